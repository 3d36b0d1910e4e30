//! Loss events: copies that were lost one after the other, in the order of sending.
//!
//! First copies are sent in the order of their bytes, so lost ones that touch are one event; and so are lost second
//! copies, and so on.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Most events kept that may still grow; the one of the lowest bytes is counted beyond it.
const MOST: usize = 4_096;

/// Loss events of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct LossEvents {
    /// Events that may still grow: which copies were lost, from which byte; to which byte, and how many packets.
    growing: BTreeMap<(u16, i64), (i64, u64)>,
    counted: Events,
}

/// What they add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::analysis) struct Events {
    pub(in crate::analysis) count: u64,
    /// Packets of the shortest and of the longest; 0 without any.
    pub(in crate::analysis) shortest: u64,
    pub(in crate::analysis) longest: u64,
}

impl Events {
    const fn add(&mut self, packets: u64) {
        self.shortest = if self.count == 0 || packets < self.shortest { packets } else { self.shortest };
        self.longest = if packets > self.longest { packets } else { self.longest };
        self.count += 1;
    }

    /// Two sums as one.
    pub(in crate::analysis) fn with(self, more: Self) -> Self {
        match (self.count, more.count) {
            (0, _) => more,
            (_, 0) => self,
            _ => Self {
                count: self.count + more.count,
                shortest: self.shortest.min(more.shortest),
                longest: self.longest.max(more.longest),
            },
        }
    }
}

impl LossEvents {
    /// The copy of `bytes` after `copies` others was lost; it took `packets`.
    pub(super) fn add(&mut self, bytes: &Range<i64>, copies: u16, packets: u64) {
        let (mut start, mut end, mut packets) = (bytes.start, bytes.end, packets);
        // Those that touch it, of which there are two at most unless they overlap.
        while let Some((&key, &(other_end, other))) =
            self.growing.range((copies, i64::MIN)..=(copies, end)).next_back()
            && other_end >= start
        {
            self.growing.remove(&key);
            (start, end) = (start.min(key.1), end.max(other_end));
            packets += other;
        }
        self.growing.insert((copies, start), (end, packets));
        if self.growing.len() > MOST
            && let Some((_, (_, packets))) = self.growing.pop_first()
        {
            self.counted.add(packets);
        }
    }

    /// What they add up to as they are now.
    pub(super) fn sum(&self) -> Events {
        let mut sum = self.counted;
        self.growing.values().for_each(|(_, packets)| sum.add(*packets));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_is_one_event_in_whatever_order_it_is_learnt() {
        let mut events = LossEvents::default();
        for start in [0_i64, 200, 100, 1_000, 700, 800] {
            events.add(&(start..start + 100), 0, 1);
        }
        // 0 to 300, 700 to 900, 1,000 to 1,100.
        assert_eq!(events.sum(), Events { count: 3, shortest: 1, longest: 3 });
        // A second copy that is lost as well is another event, and one in between joins two.
        events.add(&(100..200), 1, 1);
        events.add(&(900..1_000), 0, 1);
        assert_eq!(events.sum(), Events { count: 3, shortest: 1, longest: 4 });
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_forgotten() {
        let mut events = LossEvents::default();
        for number in 0..10_000_i64 {
            events.add(&(number * 10..number * 10 + 1), 0, 1);
        }
        assert!(events.growing.len() <= MOST);
        assert_eq!(events.sum(), Events { count: 10_000, shortest: 1, longest: 1 });
    }
}
