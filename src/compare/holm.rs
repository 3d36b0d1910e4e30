//! Holm's correction: many tests at once find a difference by chance more often than one does.
//!
//! Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.

use super::summary::ascending;

/// The p values that each test may be judged by as if it were the only one: the least times their number, the next times
/// one fewer, and so on, never below the one before, at most 1. In the order given.
pub fn adjust(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    let value = |index: usize| p.get(index).copied().unwrap_or(1.0);
    order.sort_by(|a, b| ascending(&value(*a), &value(*b)));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max(value(index) * (p.len() - rank) as f64).min(1.0);
        if let Some(slot) = adjusted.get_mut(index) {
            *slot = least;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02.
    #[test]
    fn adjusted_values_are_those_of_r() {
        let adjusted = adjust(&[0.01, 0.04, 0.03, 0.005]);
        for (got, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn one_test_needs_no_correction() {
        assert_eq!(adjust(&[0.04]), [0.04]);
        assert_eq!(adjust(&[]), [0.0; 0]);
        assert_eq!(adjust(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
