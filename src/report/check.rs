//! What `check` writes as JSON: field names are part of the contract, `null` is unknown.

use serde::Serialize;

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckDocument {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// Values and rules checked.
    pub checked: usize,
    /// Those that failed.
    pub failed: usize,
    /// Capture by capture.
    pub captures: Vec<CheckedCapture>,
}

/// One capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedCapture {
    /// The capture as it was named.
    pub path: String,
    /// Its baseline; null where rules alone were checked.
    pub baseline: Option<String>,
    /// `passed`, `failed`, `error`, `unchecked`.
    pub status: &'static str,
    /// Values and rules checked.
    pub checked: usize,
    /// Values that `--bless` wrote; null without it.
    pub blessed: Option<usize>,
    /// What is not as it must be.
    pub breaches: Vec<BreachReport>,
    /// What is wrong with the baseline or the capture.
    pub problems: Vec<ProblemReport>,
}

/// A value that is not what it must be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreachReport {
    /// The connection's number; null for the capture as a whole.
    pub connection: Option<u64>,
    /// `c2s` or `s2c`; null for what both directions have in common.
    pub dir: Option<&'static str>,
    /// The field.
    pub field: String,
    /// What it must be, in the field's own unit; the limit of a rule.
    pub expected: Option<Scalar>,
    /// What it is; null for unknown.
    pub got: Option<Scalar>,
    /// How far it may lie off: `exactly`, `+/- 2 %`; `at most` or `at least` of a rule.
    pub tolerance: String,
    /// The rule that was broken; null where a value differs.
    pub rule: Option<String>,
    /// Line of the baseline; null for a rule of the command line.
    pub line: Option<usize>,
    /// The command that shows more.
    pub look: String,
}

/// What is wrong with a baseline or a capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemReport {
    /// Line of the baseline.
    pub line: Option<usize>,
    /// What, and what to do.
    pub text: String,
}

/// A number, a word, or yes and no.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A whole number.
    Int(i64),
    /// A fraction.
    Float(f64),
    /// A word.
    Text(String),
    /// Yes or no.
    Bool(bool),
}
