//! Student's t with pooled variance, with ministat's figures.
//!
//! Source: Student, "The probable error of a mean", Biometrika 6, 1908; R. A. Fisher for two samples, 1925. The critical value
//! is taken to three decimals, and that of infinitely many degrees of freedom past 100, at the six levels that ministat
//! knows, because its table of t has them so: with a finer quantile the fourth digit of an interval would differ from the
//! one that others published. The p value is exact.

use super::{Estimate, NoTest, Side, Test, by_t, pooled_sd};
use crate::compare::confidence::Confidence;

/// The levels at which the critical value is that of a printed table.
const TABULATED: [f64; 6] = [80.0, 90.0, 95.0, 98.0, 99.0, 99.5];

/// Beyond this many degrees of freedom a printed table has only the row for infinity.
const TABLE_END: f64 = 100.0;

/// The row of [`super::TESTS`].
pub(super) struct Student;

impl Test for Student {
    fn name(&self) -> &'static str {
        "student"
    }

    fn title(&self) -> &'static str {
        "Student's t"
    }

    fn about(&self) -> &'static str {
        "means; assumes normal values of equal variance; the figures are ministat's"
    }

    fn pools(&self) -> bool {
        true
    }

    fn estimate(
        &self,
        before: Side<'_>,
        after: Side<'_>,
        confidence: Confidence,
    ) -> Result<Estimate, NoTest> {
        let (before, after) = (before.summary, after.summary);
        let sd = pooled_sd(before, after).ok_or(NoTest::TooFew)?;
        let (nb, na) = (before.n as f64, after.n as f64);
        let df = nb + na - 2.0;
        let error = sd * (1.0 / nb + 1.0 / na).sqrt();
        Ok(by_t(before, after, error, df, critical(confidence, df)))
    }
}

/// The quantile of t, as a printed table has it at a tabulated level.
fn critical(confidence: Confidence, df: f64) -> f64 {
    if !TABULATED.contains(&confidence.percent()) {
        return confidence.t(df);
    }
    let exact = if df > TABLE_END { confidence.z() } else { confidence.t(df) };
    (exact * 1e3).round() / 1e3
}
