//! Why values could not be read or compared.

/// Why an input gave no values.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum InputError {
    /// A line is not what the format has there.
    #[error("line {line}: {what}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The whole is not what it should be.
    #[error("{0}")]
    Format(String),
    /// No value at all.
    #[error("holds no value")]
    Empty,
    /// More values than are kept.
    #[error("holds more than {limit} values")]
    TooMany {
        /// The most that is kept.
        limit: usize,
    },
}

/// Why two sets of values could not be compared.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum CompareError {
    /// A metric that one side has no value of.
    #[error("no value of {metric} {side}; it has: {found}")]
    NoMetric {
        /// The metric asked for.
        metric: String,
        /// `before` or `after`.
        side: &'static str,
        /// What that side has instead.
        found: String,
    },
    /// Several metrics in common and none asked for.
    #[error("which metric? Both sides have: {found}. Name one with --metric, or --metric all")]
    Ambiguous {
        /// The metrics in common.
        found: String,
    },
    /// No metric in common.
    #[error("no metric in common: before has {before}; after has {after}")]
    NothingInCommon {
        /// Metrics before.
        before: String,
        /// Metrics after.
        after: String,
    },
    /// No group that both sides have.
    #[error("no value of both sides falls into one group by {by}")]
    NoGroup {
        /// The names grouped by.
        by: String,
    },
    /// An argument that cannot be meant.
    #[error("{0}")]
    Argument(String),
}
