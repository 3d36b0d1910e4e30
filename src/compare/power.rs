//! How many values a side would be needed to prove a difference of a given size.
//!
//! The power of the two-sided t test of two equal samples is the chance that a noncentral t exceeds the critical value
//! (Cohen 1988, section 2; the noncentrality is d sqrt(n/2)). It is summed over the distribution of the variance
//! estimate, given which the statistic is normal.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal};

use super::confidence::Confidence;

/// The chance with which the difference should be proven: Cohen's convention.
pub const POWER: f64 = 0.8;

/// More values than this are not asked for.
pub const LIMIT: u64 = 1_000_000;

/// Steps of Simpson's rule over the variance estimate; even.
const STEPS: u32 = 200;

/// Values needed on each side to prove a difference of `d` pooled deviations with a chance of [`POWER`].
///
/// `None` where [`LIMIT`] would not do.
pub fn values_per_side(d: f64, confidence: Confidence) -> Option<u64> {
    let enough = |n: u64| power(d.abs(), n, confidence) >= POWER;
    if !d.is_finite() || !enough(LIMIT) {
        return None;
    }
    let (mut low, mut high) = (2, LIMIT);
    while low < high {
        let middle = u64::midpoint(low, high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// The chance that `n` values a side prove a difference of `d` deviations.
fn power(d: f64, n: u64, confidence: Confidence) -> f64 {
    let df = 2.0 * (n as f64 - 1.0);
    let critical = confidence.t(df);
    let shift = d * (n as f64 / 2.0).sqrt();
    let normal = Normal::standard();
    let Ok(variance) = ChiSquared::new(df) else { return 0.0 };
    // `scale` is the estimated deviation over the true one; past 8 of its own deviations nothing is left.
    let reach = 8.0 / (2.0 * df).sqrt();
    let (from, upto) = ((1.0 - reach).max(0.0), 1.0 + reach);
    let step = (upto - from) / f64::from(STEPS);
    let sum: f64 = (0..=STEPS)
        .map(|index| {
            let weight = match index {
                0 | STEPS => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let scale = from + f64::from(index) * step;
            let density = variance.pdf(df * scale * scale) * 2.0 * df * scale;
            let proven = normal.cdf(shift - critical * scale) + normal.cdf(-shift - critical * scale);
            weight * density * proven
        })
        .sum();
    sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    // From scipy 1.17: the least n with 1 - nct.cdf(t, df, nc) + nct.cdf(-t, df, nc) >= 0.8. Cohen 1988, table 2.4.1,
    // has 393, 64, 26 and 17 for d of 0.2, 0.5, 0.8 and 1.0.
    #[test]
    fn the_number_is_that_of_published_tables() {
        for (d, n) in [(0.2, 394), (0.5, 64), (0.8, 26), (-1.0, 17), (2.0, 6), (5.0, 3)] {
            assert_eq!(values_per_side(d, Confidence::DEFAULT), Some(n), "{d}");
        }
    }

    #[test]
    fn next_to_no_difference_is_never_proven() {
        assert_eq!(values_per_side(1e-6, Confidence::DEFAULT), None);
        assert_eq!(values_per_side(0.0, Confidence::DEFAULT), None);
        assert_eq!(values_per_side(f64::NAN, Confidence::DEFAULT), None);
    }
}
