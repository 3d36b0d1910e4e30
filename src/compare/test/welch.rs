//! Welch's t: two means without the assumption of equal variances.
//!
//! Source: B. L. Welch, "The generalization of 'Student's' problem", Biometrika 34, 1947; degrees of freedom by
//! Satterthwaite, Biometrics 2, 1946. Quantiles are exact.

use super::{Estimate, NoTest, Side, Test, by_t};
use crate::compare::confidence::Confidence;

/// The row of [`super::TESTS`].
pub(super) struct Welch;

impl Test for Welch {
    fn name(&self) -> &'static str {
        "welch"
    }

    fn title(&self) -> &'static str {
        "Welch's t"
    }

    fn about(&self) -> &'static str {
        "means; assumes normal values, not equal variance"
    }

    fn estimate(
        &self,
        before: Side<'_>,
        after: Side<'_>,
        confidence: Confidence,
    ) -> Result<Estimate, NoTest> {
        let (before, after) = (before.summary, after.summary);
        let (nb, na) = (before.n as f64, after.n as f64);
        let eb = before.variance().ok_or(NoTest::TooFew)? / nb;
        let ea = after.variance().ok_or(NoTest::TooFew)? / na;
        let error = (eb + ea).sqrt();
        let satterthwaite = (eb + ea).powi(2) / (eb.powi(2) / (nb - 1.0) + ea.powi(2) / (na - 1.0));
        // Without any deviation the formula is 0/0, and any number of degrees of freedom gives the same.
        let df = if satterthwaite.is_finite() { satterthwaite } else { nb + na - 2.0 };
        Ok(by_t(before, after, error, df, confidence.t(df)))
    }
}
