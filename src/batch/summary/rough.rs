//! A median in little memory: for thousands of groups of which most have a few values.

use std::collections::BTreeMap;

/// Steps of a doubling: a value is known to 1.1 % (half a step).
const STEPS: f64 = 32.0;

/// Counts of values by their size; only sizes that occur take memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Rough {
    counts: BTreeMap<i32, u64>,
    values: u64,
}

impl Rough {
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a double times 32 is below 2^15")]
    pub(super) fn add(&mut self, value: f64) {
        let size = if value > 0.0 { (value.log2() * STEPS).floor() as i32 } else { i32::MIN };
        *self.counts.entry(size).or_default() += 1;
        self.values += 1;
    }

    pub(super) fn append(&mut self, other: &Self) {
        for (&size, &count) in &other.counts {
            *self.counts.entry(size).or_default() += count;
        }
        self.values += other.values;
    }

    /// The lower median; `None` without a value.
    pub(super) fn median(&self) -> Option<f64> {
        let mut left = self.values.div_ceil(2);
        for (&size, &count) in &self.counts {
            if count >= left {
                return Some(if size == i32::MIN { 0.0 } else { ((f64::from(size) + 0.5) / STEPS).exp2() });
            }
            left -= count;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_within_a_little_more_than_a_percent() {
        let mut rough = Rough::default();
        assert_eq!(rough.median(), None);
        for value in [54_000.0, 0.0, 1e9, 55_000.0, 53_000.0] {
            rough.add(value);
        }
        let median = rough.median().unwrap();
        assert!((median / 54_000.0 - 1.0).abs() < 0.011, "{median}");
        let mut nothing = Rough::default();
        nothing.add(0.0);
        assert_eq!(nothing.median(), Some(0.0));
    }
}
