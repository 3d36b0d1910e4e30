//! Sets of stream offsets as disjoint ranges in order.
//!
//! A deque: data in order touch only its last range, retransmissions fill its first holes, and both ends of a
//! deque are cheap. Anything in between costs a move of the shorter half.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Disjoint, non-touching, ordered ranges of offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeSet {
    ranges: VecDeque<Range<i64>>,
}

impl RangeSet {
    /// Nothing.
    pub const fn new() -> Self {
        Self { ranges: VecDeque::new() }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Gives back room that is not used.
    pub fn shrink(&mut self) {
        self.ranges.shrink_to_fit();
    }

    /// How many ranges it takes.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Bytes in all ranges.
    pub fn total(&self) -> u64 {
        self.ranges.iter().map(|range| range.end.abs_diff(range.start)).sum()
    }

    /// The ranges in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Range<i64>> + '_ {
        self.ranges.iter().cloned()
    }

    /// The first range.
    pub fn first(&self) -> Option<Range<i64>> {
        self.ranges.front().cloned()
    }

    /// The last range.
    pub fn last(&self) -> Option<Range<i64>> {
        self.ranges.back().cloned()
    }

    /// Adds a range; gives how many of its bytes were not there before.
    #[inline]
    pub fn insert(&mut self, add: Range<i64>) -> u64 {
        if add.start >= add.end {
            return 0;
        }
        match self.ranges.back_mut() {
            Some(last) if add.start == last.end => {
                last.end = add.end;
                add.end.abs_diff(add.start)
            }
            Some(last) if add.start <= last.end => self.insert_within(add),
            _ => {
                self.ranges.push_back(add.clone());
                add.end.abs_diff(add.start)
            }
        }
    }

    fn insert_within(&mut self, mut add: Range<i64>) -> u64 {
        // From the first range that touches it to the last that does.
        let from = self.ranges.partition_point(|range| range.end < add.start);
        let to = self.ranges.partition_point(|range| range.start <= add.end);
        let mut fresh = add.end.abs_diff(add.start);
        if from == to {
            self.ranges.insert(from, add);
            return fresh;
        }
        for range in self.ranges.range(from..to) {
            let overlap = range.end.min(add.end) - range.start.max(add.start);
            fresh -= u64::try_from(overlap).unwrap_or(0);
        }
        add.start = add.start.min(self.ranges[from].start);
        add.end = add.end.max(self.ranges[to - 1].end);
        self.ranges[from] = add;
        self.ranges.drain(from + 1..to);
        fresh
    }

    /// Takes a range out; gives how many bytes of it were there.
    pub fn remove(&mut self, cut: Range<i64>) -> u64 {
        if cut.start >= cut.end {
            return 0;
        }
        let from = self.ranges.partition_point(|range| range.end <= cut.start);
        let to = self.ranges.partition_point(|range| range.start < cut.end);
        if from >= to {
            return 0;
        }
        let mut gone = 0;
        for range in self.ranges.range(from..to) {
            gone += (range.end.min(cut.end)).abs_diff(range.start.max(cut.start));
        }
        let (left, right) = (self.ranges[from].start..cut.start, cut.end..self.ranges[to - 1].end);
        let (keep_left, keep_right) = (left.start < left.end, right.start < right.end);
        match (keep_left, keep_right) {
            (true, true) if to - from == 1 => {
                self.ranges[from] = left;
                self.ranges.insert(from + 1, right);
            }
            _ => {
                if keep_left {
                    self.ranges[from] = left;
                }
                if keep_right {
                    self.ranges[to - 1] = right;
                }
                let (first, last) = (from + usize::from(keep_left), to - usize::from(keep_right));
                if first < last {
                    self.ranges.drain(first..last);
                }
            }
        }
        gone
    }

    /// Forgets everything before `offset`; gives how many bytes that were.
    #[inline]
    pub fn remove_before(&mut self, offset: i64) -> u64 {
        let mut gone = 0;
        while let Some(first) = self.ranges.front_mut() {
            if first.end <= offset {
                gone += first.end.abs_diff(first.start);
                self.ranges.pop_front();
            } else {
                if first.start < offset {
                    gone += offset.abs_diff(first.start);
                    first.start = offset;
                }
                break;
            }
        }
        gone
    }

    /// Forgets the lowest ranges, so that no more than `most` are left.
    pub fn forget_lowest_beyond(&mut self, most: usize) {
        self.ranges.drain(..self.ranges.len().saturating_sub(most));
    }

    /// Whether every byte of `range` is in it.
    #[inline]
    pub fn covers(&self, range: &Range<i64>) -> bool {
        if range.start >= range.end {
            return true;
        }
        match self.ranges.back() {
            None => false,
            // What is looked for lies mostly in the last, which is mostly the only one.
            Some(last) if last.start <= range.start => range.end <= last.end,
            Some(_) => {
                let at = self.ranges.partition_point(|have| have.end < range.end);
                self.ranges.get(at).is_some_and(|have| have.start <= range.start)
            }
        }
    }

    /// How many bytes of `range` are in it.
    pub fn overlap(&self, range: &Range<i64>) -> u64 {
        let from = self.ranges.partition_point(|have| have.end <= range.start);
        self.ranges
            .range(from..)
            .take_while(|have| have.start < range.end)
            .map(|have| have.end.min(range.end).abs_diff(have.start.max(range.start)))
            .sum()
    }

    /// How many bytes at or after `offset` are in it, counted until they are more than `enough`.
    pub fn overlap_until(&self, offset: i64, enough: u64) -> u64 {
        let from = self.ranges.partition_point(|have| have.end <= offset);
        let mut bytes = 0_u64;
        for have in self.ranges.range(from..) {
            bytes += have.end.abs_diff(have.start.max(offset));
            if bytes > enough {
                break;
            }
        }
        bytes
    }

    /// The parts of `range` that are not in it, in order.
    pub fn gaps(&self, range: Range<i64>) -> impl Iterator<Item = Range<i64>> + '_ {
        let from = self.ranges.partition_point(|have| have.end <= range.start);
        let mut at = range.start;
        let mut rest = self.ranges.range(from..).take_while(move |have| have.start < range.end);
        std::iter::from_fn(move || {
            loop {
                if at >= range.end {
                    return None;
                }
                let Some(have) = rest.next() else {
                    let gap = at..range.end;
                    at = range.end;
                    return Some(gap);
                };
                let gap = at..have.start;
                at = have.end;
                if gap.start < gap.end {
                    return Some(gap);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Change {
        Insert(Range<i64>),
        Remove(Range<i64>),
        RemoveBefore(i64),
    }

    fn change() -> impl Strategy<Value = Change> {
        let range = || (0_i64..120, 0_i64..30).prop_map(|(start, len)| start..start + len);
        prop_oneof![
            4 => range().prop_map(Change::Insert),
            2 => range().prop_map(Change::Remove),
            1 => (0_i64..150).prop_map(Change::RemoveBefore),
        ]
    }

    fn in_order(set: &RangeSet) -> bool {
        set.iter().all(|range| range.start < range.end)
            && set.iter().zip(set.iter().skip(1)).all(|(a, b)| a.end < b.start)
    }

    proptest! {
        // The oracle is a plain array with one flag for each byte.
        #[test]
        fn it_is_what_an_array_of_flags_is(changes in prop::collection::vec(change(), 0..60), probe in (0_i64..150, 0_i64..40)) {
            let mut set = RangeSet::new();
            let mut flags = [false; 160];
            for change in changes {
                let mut expected = 0;
                let mut each = |range: Range<i64>, value: bool| {
                    for at in range {
                        let flag = &mut flags[usize::try_from(at).unwrap()];
                        expected += u64::from(*flag != value);
                        *flag = value;
                    }
                };
                let got = match change {
                    Change::Insert(range) => { each(range.clone(), true); set.insert(range) }
                    Change::Remove(range) => { each(range.clone(), false); set.remove(range) }
                    Change::RemoveBefore(offset) => { each(0..offset, false); set.remove_before(offset) }
                };
                prop_assert_eq!(got, expected);
                prop_assert!(in_order(&set), "{:?}", set);
                prop_assert_eq!(set.total(), flags.iter().map(|&flag| u64::from(flag)).sum::<u64>());
            }
            let range = probe.0..(probe.0 + probe.1).min(160);
            let inside = |at: i64| flags[usize::try_from(at).unwrap()];
            let held = range.clone().filter(|&at| inside(at)).count();
            prop_assert_eq!(set.overlap(&range), held as u64);
            prop_assert_eq!(set.covers(&range), range.clone().all(inside));
            let gaps: Vec<i64> = set.gaps(range.clone()).flatten().collect();
            prop_assert_eq!(gaps, range.filter(|&at| !inside(at)).collect::<Vec<_>>());
        }
    }
}
