//! Plain columns of numbers: ministat's own input.
//!
//! As ministat(1) reads it: columns split by any of the delimiters, `#` ends a line, lines without that column are skipped,
//! and anything there that is no number is an error.

use std::sync::Arc;

use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// The row of [`super::INPUTS`].
pub(super) struct Columns;

impl Input for Columns {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn about(&self) -> &'static str {
        "plain columns of numbers as ministat reads them, # starts a comment"
    }

    /// Last of the table: what nothing else takes is read as numbers, and an error then says what is wrong.
    fn recognises(&self, _text: &str) -> bool {
        true
    }

    fn read(&self, text: &str, reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let (nameless, labels) = (Arc::<str>::default(), Arc::new(Labels::new()));
        let mut samples = Samples::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let mut fields = line
                .split(|c: char| reading.delimiters.contains(c) || c == '\r')
                .filter(|field| !field.is_empty());
            let Some(field) = fields.nth(reading.column.saturating_sub(1)) else { continue };
            let Some(value) = super::number(field) else {
                let shown: String = field.chars().take(40).collect();
                let what = format!("{shown:?} is not a number");
                return Err(InputError::Line { line: index + 1, what });
            };
            samples.value(&nameless, value, Kind::Run, &labels)?;
        }
        Ok(samples.finish())
    }
}
