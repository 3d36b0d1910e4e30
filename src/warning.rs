//! What does not stop a run but must be known by whoever reads its numbers.
//!
//! Each warning says what was seen, why it matters and what to do about it.

use std::fmt;

use serde::Serialize;

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A stable name for scripts, such as `capture_drops`.
    pub id: &'static str,
    /// What was seen, with counts.
    pub seen: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {} {}", self.seen, self.why, self.remedy)
    }
}
