//! Windowed extremes: the largest (or smallest) sample of the last rounds or seconds.

use std::collections::VecDeque;

/// The largest value whose stamp lies within `width` of the newest, exact; the queue holds falling values
/// only.
#[derive(Clone, Debug)]
pub(super) struct MaxFilter {
    width: u64,
    samples: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    pub(super) const fn new(width: u64) -> Self {
        Self { width, samples: VecDeque::new() }
    }

    /// Adds a sample stamped `at` (a round, or a time) and returns the maximum.
    pub(super) fn update(&mut self, at: u64, value: f64) -> f64 {
        while self.samples.back().is_some_and(|&(_, held)| held <= value) {
            self.samples.pop_back();
        }
        // One sample a stamp is enough: a smaller one of the same stamp can never become the maximum.
        if self.samples.back().is_none_or(|&(stamp, _)| stamp != at) {
            self.samples.push_back((at, value));
        }
        while self.samples.front().is_some_and(|&(stamp, _)| stamp + self.width <= at) {
            self.samples.pop_front();
        }
        self.get()
    }

    pub(super) fn get(&self) -> f64 {
        self.samples.front().map_or(0.0, |&(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_maximum_leaves_after_its_width() {
        let mut filter = MaxFilter::new(3);
        assert!((filter.update(1, 10.0) - 10.0).abs() < 1e-12);
        assert!((filter.update(2, 4.0) - 10.0).abs() < 1e-12);
        assert!((filter.update(3, 6.0) - 10.0).abs() < 1e-12);
        assert!((filter.update(4, 1.0) - 6.0).abs() < 1e-12);
        assert!((filter.update(9, 1.0) - 1.0).abs() < 1e-12);
    }
}
