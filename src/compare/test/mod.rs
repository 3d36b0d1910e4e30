//! Tests of the difference between two sets of values. One file is one row of [`TESTS`].

mod mann_whitney;
mod student;
mod welch;

use super::confidence::{Confidence, two_sided_p};
use super::summary::Summary;

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its figures.
    pub summary: &'a Summary,
    /// Its values in ascending order; `None` where only the summary is known.
    pub values: Option<&'a [f64]>,
}

impl<'a> Side<'a> {
    /// A side from its figures and its values, none of which means that only the figures are known.
    pub fn of(summary: &'a Summary, values: &'a [f64]) -> Self {
        Self { summary, values: (!values.is_empty()).then_some(values) }
    }
}

/// What a test says of the difference after - before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// How much more (or, negative, less) it is after.
    pub difference: f64,
    /// The least that the difference may be at the level of confidence.
    pub low: f64,
    /// The most that the difference may be at the level of confidence.
    pub high: f64,
    /// What percentages are of: the mean before, or the median of a test of ranks. Never negative.
    pub base: f64,
    /// The test's statistic (t, or U of the values after).
    pub statistic: f64,
    /// Degrees of freedom, where the test has them.
    pub df: Option<f64>,
    /// The chance of a difference at least this large if there were none, both directions counted.
    pub p: f64,
    /// Whether the test proves a difference at the level of confidence.
    pub proven: bool,
}

impl Estimate {
    /// Half the width of the interval: the number after `+/-`.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// Why a test says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTest {
    /// A side without any value.
    Empty,
    /// A single value on a side has no deviation to judge by.
    TooFew,
    /// The test needs the values, and there is only their summary.
    OnlySummary,
}

/// A test of two independent sets of values.
pub trait Test: Sync {
    /// The value of `--test`.
    fn name(&self) -> &'static str;
    /// How a report names it.
    fn title(&self) -> &'static str;
    /// One line on what it assumes, with its source.
    fn about(&self) -> &'static str;
    /// Whether it compares means, not ranks.
    fn by_means(&self) -> bool {
        true
    }
    /// Whether it takes both sides to have one variance.
    fn pools(&self) -> bool {
        false
    }
    /// Judges the difference.
    ///
    /// # Errors
    ///
    /// [`NoTest`], where the values do not allow it.
    fn estimate(&self, before: Side<'_>, after: Side<'_>, confidence: Confidence)
    -> Result<Estimate, NoTest>;
}

/// All tests; the first is the default.
pub const TESTS: &[&dyn Test] = &[&student::Student, &welch::Welch, &mann_whitney::MannWhitney];

/// The test of that name.
pub fn find(name: &str) -> Option<&'static dyn Test> {
    TESTS.iter().copied().find(|test| test.name() == name)
}

/// The deviation of two sets about their own means, taken together: the square root of the weighted mean variance.
///
/// `None` where a side has fewer than two values.
pub fn pooled_sd(before: &Summary, after: &Summary) -> Option<f64> {
    let (nb, na) = (before.n as f64 - 1.0, after.n as f64 - 1.0);
    Some(((nb * before.variance()? + na * after.variance()?) / (nb + na)).sqrt())
}

/// The estimate that a t test gives from a difference of means, its standard error and the quantile of t.
fn by_t(before: &Summary, after: &Summary, error: f64, df: f64, quantile: f64) -> Estimate {
    let difference = after.mean - before.mean;
    let half = error * quantile;
    // With no deviation at all every difference is certain, and none is no difference.
    let statistic = if error > 0.0 {
        difference / error
    } else if difference == 0.0 {
        0.0
    } else {
        f64::INFINITY.copysign(difference)
    };
    let p = if statistic.is_finite() { two_sided_p(statistic, df) } else { 0.0 };
    Estimate {
        difference,
        low: difference - half,
        high: difference + half,
        base: before.mean.abs(),
        statistic,
        df: Some(df),
        p,
        proven: difference.abs() > half,
    }
}

#[cfg(test)]
mod tests;
