//! Which bytes of a direction the capture holds, and which it misses though they were acknowledged.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ranges::RangeSet;

/// Most stretches kept for bytes that are missing; the oldest are booked as missing for good beyond that.
const MOST_GAPS: usize = 4_096;

/// Most stretches of seen bytes that wait for an acknowledgment.
const MOST_RANGES: usize = 1 << 16;

/// Seen and unseen bytes of one direction. Memory is bounded by the flight and [`MOST_GAPS`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Coverage {
    /// Everything before it is settled: seen, or in `unseen`. The least number while nothing is settled.
    floor: i64,
    /// Whether the stream's first byte to be expected is known: from the SYN, or from the first data.
    started: bool,
    /// Seen bytes from the floor on.
    seen: RangeSet,
    /// Acknowledged bytes before the floor that the capture does not hold (yet).
    unseen: RangeSet,
    unique: u64,
    lost_gaps: u64,
    lost_bytes: u64,
}

impl Coverage {
    /// The stream is known from byte 0 on: its SYN was seen.
    pub(super) fn from_start() -> Self {
        Self { floor: 0, started: true, ..Self::from_middle() }
    }

    /// The stream's beginning was not captured.
    pub(super) const fn from_middle() -> Self {
        Self {
            floor: i64::MIN,
            started: false,
            seen: RangeSet::new(),
            unseen: RangeSet::new(),
            unique: 0,
            lost_gaps: 0,
            lost_bytes: 0,
        }
    }

    /// Adds payload; gives how many bytes of it had not been seen.
    #[inline]
    pub(super) fn add(&mut self, data: Range<i64>) -> u64 {
        let fresh = if data.start >= self.floor && self.started {
            self.seen.insert(data)
        } else if self.started {
            let late = self.unseen.remove(data.start..data.end.min(self.floor));
            late + self.seen.insert(data.start.max(self.floor)..data.end)
        } else {
            // What was acknowledged before the first data was sent before the capture began.
            self.started = true;
            if self.floor > i64::MIN {
                self.floor = self.floor.max(data.start);
            }
            let fresh = data.end.abs_diff(data.start);
            self.seen.insert(data.start.max(self.floor)..data.end);
            fresh
        };
        self.unique += fresh;
        if self.seen.len() > MOST_RANGES {
            self.give_up_first();
        }
        fresh
    }

    /// Everything before `ack` has arrived at the receiver.
    #[inline]
    pub(super) fn acknowledged(&mut self, ack: i64) {
        if ack <= self.floor {
            return;
        }
        if self.started {
            let from = if self.floor > i64::MIN {
                self.floor
            } else {
                self.seen.first().map_or(ack, |first| first.start)
            };
            // The ordinary case first: one seen range that reaches at least up to it.
            if !self.seen.covers(&(from..ack)) {
                for gap in self.seen.gaps(from..ack) {
                    self.unseen.insert(gap);
                }
                self.bound();
            }
            self.seen.remove_before(ack);
        }
        self.floor = ack;
    }

    /// Gives back room that is not used.
    pub(super) fn shrink(&mut self) {
        self.seen.shrink();
        self.unseen.shrink();
    }

    /// Bytes seen, each counted once.
    pub(super) const fn unique(&self) -> u64 {
        self.unique
    }

    /// Acknowledged bytes that the capture does not hold, and in how many stretches.
    pub(super) fn unseen(&self) -> (u64, u64) {
        (self.lost_bytes + self.unseen.total(), self.lost_gaps + self.unseen.len() as u64)
    }

    /// Books the oldest missing stretches for good where there are too many.
    fn bound(&mut self) {
        while self.unseen.len() > MOST_GAPS
            && let Some(gap) = self.unseen.first()
        {
            self.lost_bytes += self.unseen.remove_before(gap.end);
            self.lost_gaps += 1;
        }
    }

    /// Without acknowledgments (a capture of one direction) holes are never settled; the oldest is given up.
    fn give_up_first(&mut self) {
        if let Some(first) = self.seen.first() {
            self.seen.remove_before(first.end);
            self.floor = self.floor.max(first.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_unique_once() {
        let mut coverage = Coverage::from_start();
        assert_eq!(coverage.add(0..100), 100);
        assert_eq!(coverage.add(50..150), 50);
        coverage.acknowledged(150);
        assert_eq!(coverage.add(0..150), 0, "a retransmission of acknowledged bytes");
        assert_eq!(coverage.unique(), 150);
        assert_eq!(coverage.unseen(), (0, 0));
    }

    #[test]
    fn acknowledged_but_never_seen_is_missing_from_the_capture() {
        let mut coverage = Coverage::from_start();
        coverage.add(0..100);
        coverage.add(300..400);
        coverage.add(500..600);
        coverage.acknowledged(600);
        assert_eq!(coverage.unseen(), (300, 2));
        assert_eq!(coverage.add(100..200), 100, "it was stamped late, not missing");
        assert_eq!(coverage.unseen(), (200, 2));
        assert_eq!(coverage.unique(), 400);
    }

    #[test]
    fn a_capture_that_begins_in_the_middle_misses_nothing_before_its_first_byte() {
        let mut coverage = Coverage::from_middle();
        coverage.acknowledged(-5_000);
        assert_eq!(coverage.add(0..100), 100);
        coverage.acknowledged(100);
        assert_eq!(coverage.unseen(), (0, 0));
        coverage.acknowledged(200);
        assert_eq!(coverage.unseen(), (100, 1));
    }

    #[test]
    fn without_acknowledgments_memory_stays_bounded() {
        let mut coverage = Coverage::from_start();
        for step in 0..200_000 {
            coverage.add(step * 10..step * 10 + 5);
        }
        assert!(coverage.seen.len() <= MOST_RANGES);
        assert_eq!(coverage.unique(), 1_000_000);
    }
}
