//! `CoDel`: drops from the head while packets have waited too long for too long (RFC 8289 section 5).

use crate::units::{Span, Timestamp};

/// Acceptable standing delay (RFC 8289 section 4.4).
const TARGET: Span = Span::from_millis(5);
/// How long it must stand (section 4.3).
const INTERVAL: Span = Span::from_millis(100);

/// The state of one queue.
#[derive(Debug, Default)]
pub(super) struct Codel {
    first_above: Option<Timestamp>,
    dropping: bool,
    drop_next: Timestamp,
    count: u32,
    last_count: u32,
}

impl Codel {
    /// Whether a packet that waited for `sojourn` leaves a queue in which the delay is too long; `more` says
    /// that the queue still holds a full packet behind it.
    fn too_long(&mut self, now: Timestamp, sojourn: Span, more: bool) -> bool {
        if sojourn < TARGET || !more {
            self.first_above = None;
            return false;
        }
        let due = *self.first_above.get_or_insert(now + INTERVAL);
        now >= due
    }

    /// Whether to drop (or mark) the packet at the head.
    pub(super) fn on_head(&mut self, now: Timestamp, sojourn: Span, more: bool) -> bool {
        let too_long = self.too_long(now, sojourn, more);
        if self.dropping {
            if !too_long {
                self.dropping = false;
            } else if now >= self.drop_next {
                self.count += 1;
                self.drop_next = self.control_law(self.drop_next);
                return true;
            }
            return false;
        }
        if too_long {
            self.dropping = true;
            // Resume near the last drop rate if it was not long ago.
            let delta = self.count - self.last_count.min(self.count);
            self.count =
                if delta > 1 && now.since(self.drop_next) < INTERVAL.scale(16.0) { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.last_count = self.count;
            return true;
        }
        false
    }

    fn control_law(&self, from: Timestamp) -> Timestamp {
        from + INTERVAL.scale(1.0 / f64::from(self.count).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8289: the first drop after a whole interval above target, the next ones after 100, 100/sqrt(2),
    // 100/sqrt(3) ms.
    #[test]
    fn drops_come_closer_together() {
        let mut codel = Codel::default();
        let drops: Vec<i64> = (0..400)
            .filter(|ms| codel.on_head(Timestamp::from_nanos(ms * 1_000_000), Span::from_millis(20), true))
            .collect();
        assert_eq!(drops[..4], [100, 200, 271, 329]);
        assert!(!codel.on_head(Timestamp::from_nanos(500_000_000), Span::from_millis(1), true));
    }
}
