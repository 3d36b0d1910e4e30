//! One measured value (or a summary of several) with what is known about where it came from.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::InputError;
use super::summary::Summary;

/// What else an input says of a value, by name: the other columns of its row, its connection, its algorithm.
pub type Labels = BTreeMap<String, String>;

/// The most values taken from one input, so that memory stays bounded whatever it holds.
pub const MAX_SAMPLES: usize = 2_000_000;

/// No measurement is larger than this; the square of one that is could not be summed.
pub const MAX_VALUE: f64 = 1e100;

/// What was measured: a value, or already a summary of values that are not at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// One value.
    Value(f64),
    /// Several values of which only number, mean and deviation are known.
    Summary(Summary),
}

/// What one value stands for, which decides whether values may count as independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A whole run (a connection, a test, a row).
    Run,
    /// A stretch of time within a run: neighbours depend on each other.
    Interval,
}

/// One measured value of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The metric's name with its unit; empty where the input names none (a bare column of numbers).
    pub metric: Arc<str>,
    /// What was measured.
    pub observation: Observation,
    /// A run or a part of one.
    pub kind: Kind,
    /// The input it came from, as named by the caller.
    pub file: Arc<str>,
    /// The input and what was selected of it, to be shown.
    pub source: Arc<str>,
    /// What else the input says of it.
    pub labels: Arc<Labels>,
}

impl Sample {
    /// What the input says under `name`; `file` is the input itself.
    pub fn label(&self, name: &str) -> Option<&str> {
        match name {
            "file" => Some(&self.file),
            _ => self.labels.get(name).map(String::as_str),
        }
    }
}

/// Collects the values of one input, up to [`MAX_SAMPLES`], leaving out what is not a finite number.
#[derive(Debug, Default)]
pub struct Samples {
    list: Vec<Sample>,
    nameless: Arc<str>,
}

impl Samples {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one value.
    ///
    /// # Errors
    ///
    /// [`InputError`], past [`MAX_SAMPLES`] or beyond [`MAX_VALUE`].
    pub fn value(
        &mut self,
        metric: &Arc<str>,
        value: f64,
        kind: Kind,
        labels: &Arc<Labels>,
    ) -> Result<(), InputError> {
        if value.is_finite() { self.push(metric, Observation::Value(value), kind, labels) } else { Ok(()) }
    }

    /// Takes a summary.
    ///
    /// # Errors
    ///
    /// [`InputError`], past [`MAX_SAMPLES`] or beyond [`MAX_VALUE`].
    pub fn summary(
        &mut self,
        metric: &Arc<str>,
        summary: Summary,
        labels: &Arc<Labels>,
    ) -> Result<(), InputError> {
        self.push(metric, Observation::Summary(summary), Kind::Run, labels)
    }

    /// All values, in the order of the input.
    pub fn finish(self) -> Vec<Sample> {
        self.list
    }

    fn push(
        &mut self,
        metric: &Arc<str>,
        observation: Observation,
        kind: Kind,
        labels: &Arc<Labels>,
    ) -> Result<(), InputError> {
        let sizes = match &observation {
            Observation::Value(value) => [*value, 0.0],
            Observation::Summary(summary) => [summary.mean, summary.sd.unwrap_or(0.0)],
        };
        if let Some(value) = sizes.into_iter().find(|size| size.abs() > MAX_VALUE) {
            return Err(InputError::Format(format!(
                "{value:e} is beyond what can be measured ({MAX_VALUE:e})"
            )));
        }
        if self.list.len() >= MAX_SAMPLES {
            return Err(InputError::TooMany { limit: MAX_SAMPLES });
        }
        self.list.push(Sample {
            metric: Arc::clone(metric),
            observation,
            kind,
            file: Arc::clone(&self.nameless),
            source: Arc::clone(&self.nameless),
            labels: Arc::clone(labels),
        });
        Ok(())
    }
}
