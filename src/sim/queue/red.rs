//! Random early detection that marks (Floyd and Jacobson 1993; parameters as `tc-red`(8) advises).

use crate::sim::random::Stream;
use crate::units::Bytes;

/// Weight of a new sample in the average queue.
const WEIGHT: f64 = 0.002;
/// Marking probability at the upper threshold.
const MAX_PROBABILITY: f64 = 0.02;

#[derive(Debug)]
pub(super) struct Red {
    average: f64,
    low: f64,
    high: f64,
    since_mark: u32,
    stream: Stream,
}

impl Red {
    /// For a queue of at most `limit`: the upper threshold at a quarter of it, the lower at a third of that.
    pub(super) const fn new(limit: Bytes, stream: Stream) -> Self {
        let high = limit.get() as f64 / 4.0;
        Self { average: 0.0, low: high / 3.0, high, since_mark: 0, stream }
    }

    /// Takes the backlog an arriving packet finds; whether to mark it.
    pub(super) fn on_arrival(&mut self, backlog: f64) -> bool {
        self.average += WEIGHT * (backlog - self.average);
        if self.average < self.low {
            self.since_mark = 0;
            return false;
        }
        let mark = self.average >= self.high || {
            let p = MAX_PROBABILITY * (self.average - self.low) / (self.high - self.low);
            // Spread the marks evenly: p / (1 - count p).
            self.stream.chance(p / (1.0 - f64::from(self.since_mark) * p).max(p))
        };
        self.since_mark = if mark { 0 } else { self.since_mark + 1 };
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_below_and_everything_above_the_thresholds() {
        let mut red = Red::new(Bytes::new(120_000), Stream::new(5));
        assert!((0..10_000).all(|_| !red.on_arrival(9_000.0)));
        red.average = 40_000.0;
        assert!((0..100).all(|_| red.on_arrival(40_000.0)));
    }
}
