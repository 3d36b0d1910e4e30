//! What `compare` writes as JSON: field names are part of the contract, `null` is unknown.

use std::collections::BTreeMap;

use serde::Serialize;

/// Several comparisons in one document: more than one metric was asked for, or groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparisons<'a> {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// What p values were corrected over: `metrics` of a group, `all`, `none`.
    pub correction: &'static str,
    /// How many of them prove a difference.
    pub proven: usize,
    /// Metric by metric, and within it group by group.
    pub comparisons: Vec<&'a Comparison>,
}

/// One metric before and after a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// What was measured; the name's end is its unit.
    pub metric: String,
    /// That unit: `bit/s`, `us`, `bytes`, ...; null where the name tells none.
    pub unit: Option<&'static str>,
    /// What the values of this comparison have in common, if they were grouped.
    pub group: BTreeMap<String, String>,
    /// What one value is: `run` or `interval` (a part of a run).
    pub values: &'static str,
    /// The figures before.
    pub before: SideFigures,
    /// The figures after.
    pub after: SideFigures,
    /// After minus before: of the means, or the Hodges-Lehmann shift of a test of ranks.
    pub difference: f64,
    /// Half the width of the interval that holds the true difference: the number after `+/-`.
    pub interval: Option<f64>,
    /// The least that the difference may be.
    pub low: Option<f64>,
    /// The most that the difference may be.
    pub high: Option<f64>,
    /// The difference in percent of the mean (of ranks: the median) before.
    pub percent: Option<f64>,
    /// `interval` in percent of the same.
    pub percent_interval: Option<f64>,
    /// The standard deviation of both sides, each about its own mean.
    pub pooled_sd: Option<f64>,
    /// The level of confidence in percent.
    pub confidence: f64,
    /// Whether a difference is proven at that level, after correction.
    pub proven: bool,
    /// The test: `student`, `welch`, `mann-whitney`.
    pub test: &'static str,
    /// Its statistic: t, or U.
    pub statistic: Option<f64>,
    /// Its degrees of freedom.
    pub df: Option<f64>,
    /// The chance of a difference at least this large if there were none.
    pub p: Option<f64>,
    /// That chance after Holm's correction; equal to `p` where one test stands alone.
    pub p_holm: Option<f64>,
    /// The difference over the pooled deviation.
    pub cohens_d: Option<f64>,
    /// The same without bias in small samples.
    pub hedges_g: Option<f64>,
    /// What it would take to prove a difference of this size; null where one is proven or none was seen.
    pub needed: Option<Needed>,
    /// Where the values break what the test assumes.
    pub warnings: Vec<AssumptionWarning>,
}

/// The figures of one side, in the metric's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SideFigures {
    /// How many values.
    pub n: u64,
    /// The least.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// The middle one, or the mean of the middle two.
    pub median: Option<f64>,
    /// The mean.
    pub mean: f64,
    /// The sample's standard deviation.
    pub sd: Option<f64>,
}

/// How many values would prove a difference of the size seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Needed {
    /// The chance with which they would.
    pub power: f64,
    /// Values on each side; null where a million would not do.
    pub per_side: Option<u64>,
    /// How many more than now before.
    pub more_before: Option<u64>,
    /// How many more than now after.
    pub more_after: Option<u64>,
}

/// One broken assumption.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AssumptionWarning {
    /// A stable name.
    pub kind: &'static str,
    /// `before`, `after`, or null for both.
    pub side: Option<&'static str>,
    /// What was seen, why it matters, what to do.
    pub text: String,
}
