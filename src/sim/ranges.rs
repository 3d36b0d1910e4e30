//! A set of segment numbers as sorted, disjoint, non-adjacent ranges.

/// Half-open ranges in rising order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds `start..end`, calling `fresh` with each part that was not in the set.
    pub(super) fn insert(&mut self, start: u64, end: u64, mut fresh: impl FnMut(u64, u64)) {
        if start >= end {
            return;
        }
        // The ranges from `first` up to `last` touch the new one and melt into it.
        let first = self.0.partition_point(|range| range.1 < start);
        let mut last = first;
        let (mut low, mut high, mut from) = (start, end, start);
        while let Some(&(s, e)) = self.0.get(last).filter(|range| range.0 <= end) {
            if from < s {
                fresh(from, s);
            }
            from = from.max(e);
            low = low.min(s);
            high = high.max(e);
            last += 1;
        }
        if from < end {
            fresh(from, end);
        }
        match last - first {
            0 => self.0.insert(first, (low, high)),
            1 => self.0[first] = (low, high),
            _ => {
                self.0[first] = (low, high);
                self.0.drain(first + 1..last);
            }
        }
    }

    /// The range with `number` in it.
    pub(super) fn containing(&self, number: u64) -> Option<(u64, u64)> {
        let index = self.0.partition_point(|range| range.1 <= number);
        self.0.get(index).copied().filter(|range| range.0 <= number)
    }

    /// Takes the first range out if it begins at or before `number`, and returns its end.
    pub(super) fn pop_reached(&mut self, number: u64) -> Option<u64> {
        let &(start, end) = self.0.first()?;
        (start <= number).then(|| {
            self.0.remove(0);
            end
        })
    }

    /// Forgets everything below `number`.
    pub(super) fn remove_below(&mut self, number: u64) {
        let gone = self.0.partition_point(|range| range.1 <= number);
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.0 = first.0.max(number);
        }
    }

    /// The largest number below which `count` numbers of the set do not lie, that is: the `count`-th from the
    /// top.
    pub(super) fn nth_from_top(&self, mut count: u64) -> Option<u64> {
        for &(start, end) in self.0.iter().rev() {
            if end - start >= count {
                return Some(end - count);
            }
            count -= end - start;
        }
        None
    }

    /// One past the largest number.
    pub(super) fn end(&self) -> Option<u64> {
        self.0.last().map(|range| range.1)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_third_from_the_top() {
        let mut ranges = Ranges::default();
        ranges.insert(1, 3, |_, _| ());
        ranges.insert(7, 9, |_, _| ());
        assert_eq!(ranges.nth_from_top(1), Some(8));
        assert_eq!(ranges.nth_from_top(3), Some(2));
        assert_eq!(ranges.nth_from_top(5), None);
    }

    proptest! {
        #[test]
        fn like_a_set_of_numbers(inserts in prop::collection::vec((0_u64..60, 0_u64..9), 0..30), cut in 0_u64..70) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (start, length) in inserts {
                let mut fresh = BTreeSet::new();
                ranges.insert(start, start + length, |s, e| fresh.extend(s..e));
                let expected: BTreeSet<u64> = (start..start + length).filter(|n| set.insert(*n)).collect();
                prop_assert_eq!(fresh, expected);
                prop_assert!(ranges.0.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
            ranges.remove_below(cut);
            for number in 0..80 {
                prop_assert_eq!(ranges.containing(number).is_some(), number >= cut && set.contains(&number));
            }
        }
    }
}
