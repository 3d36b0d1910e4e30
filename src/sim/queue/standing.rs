//! Marks a queue that stands: one that has not fallen to a threshold for a round trip, and is no shorter than a round trip ago.
//!
//! The second is so since a queue that falls has been told enough: RED and `CoDel` mark a packet or two each time that a CUBIC window grows into
//! them (in captures of both), and every packet only of one that does not give way.

use crate::units::{Bytes, Span, Timestamp};

#[derive(Debug)]
pub(super) struct StandingQueue {
    threshold: f64,
    patience: Span,
    above_since: Option<Timestamp>,
    /// When the present stretch of a round trip began, and the longest queue in it and in the one before.
    stretch: Timestamp,
    longest: [f64; 2],
}

impl StandingQueue {
    /// `rtt` of the path, without a queue.
    pub(super) const fn new(threshold: Bytes, rtt: Span) -> Self {
        Self {
            threshold: threshold.get() as f64,
            patience: rtt,
            above_since: None,
            stretch: Timestamp::ZERO,
            longest: [0.0; 2],
        }
    }

    /// Takes the backlog an arriving packet finds; whether to mark it.
    pub(super) fn on_arrival(&mut self, now: Timestamp, backlog: f64) -> bool {
        if now.since(self.stretch) >= self.patience {
            self.stretch = now;
            self.longest = [0.0, self.longest[0]];
        }
        self.longest[0] = self.longest[0].max(backlog);
        if backlog <= self.threshold {
            self.above_since = None;
            return false;
        }
        now.since(*self.above_since.get_or_insert(now)) >= self.patience && backlog >= self.longest[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_what_stays_is_marked_and_what_falls_is_not() {
        let mut queue = StandingQueue::new(Bytes::new(3_000), Span::from_millis(10));
        let mut marks =
            |ms: i64, backlog: f64| queue.on_arrival(Timestamp::from_nanos(ms * 1_000_000), backlog);
        assert!(!marks(0, 9_000.0) && !marks(9, 9_000.0) && !marks(10, 3_000.0));
        assert!(!marks(11, 3_100.0) && !marks(20, 3_100.0));
        assert!(marks(31, 3_100.0) && marks(35, 9_000.0));
        assert!(!marks(42, 8_000.0) && marks(53, 8_500.0));
        assert!(!marks(54, 2_000.0) && !marks(55, 9_000.0));
    }
}
