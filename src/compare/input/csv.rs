//! CSV (RFC 4180) with a line of column names: each numeric cell is a value of the metric its column names.
//!
//! The separator is the first of `,`, `;` and tab that the first line holds. All columns of a row are also labels of its
//! values, to select or group by.

use std::sync::Arc;

use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// The row of [`super::INPUTS`].
pub(super) struct Csv;

impl Input for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn about(&self) -> &'static str {
        "CSV with a line of column names; every column of numbers is a metric"
    }

    fn recognises(&self, text: &str) -> bool {
        let mut lines = super::head(text).filter(|line| !line.starts_with('#'));
        let Some(first) = lines.next() else { return false };
        let is_name = |name: &str| {
            let name = name.trim().trim_matches('"');
            !name.is_empty() && super::number(name).is_none()
        };
        match separator(first) {
            Some(separator) => first.split(char::from(separator)).all(is_name),
            // A single column with its name: a word, then numbers.
            None => {
                !first.contains(char::is_whitespace)
                    && is_name(first)
                    && lines.next().is_some_and(|second| super::number(second).is_some())
            }
        }
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let mut samples = Samples::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        rows(text, |header, cells, labels| {
            if names.is_empty() {
                names = header.iter().map(|name| Arc::from(name.as_str())).collect();
            }
            for (name, cell) in names.iter().zip(cells) {
                if let Some(value) = super::number(cell.trim()) {
                    samples.value(name, value, Kind::Run, labels)?;
                }
            }
            Ok(())
        })?;
        Ok(samples.finish())
    }
}

/// The separator that a line of names holds.
pub(super) fn separator(line: &str) -> Option<u8> {
    [b',', b';', b'\t'].into_iter().find(|separator| line.as_bytes().contains(separator))
}

/// Calls `each` with the column names, the cells and the labels of every row.
pub(super) fn rows(
    text: &str,
    mut each: impl FnMut(&[String], &csv::StringRecord, &Arc<Labels>) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let first = super::head(text).find(|line| !line.starts_with('#')).unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(first).unwrap_or(b','))
        .comment(Some(b'#'))
        .flexible(true)
        .from_reader(text.as_bytes());
    let failed = |error: csv::Error| InputError::Format(error.to_string());
    let header: Vec<String> =
        reader.headers().map_err(failed)?.iter().map(|name| name.trim().to_owned()).collect();
    let mut cells = csv::StringRecord::new();
    while reader.read_record(&mut cells).map_err(failed)? {
        let labels: Labels =
            header.iter().cloned().zip(cells.iter().map(|cell| cell.trim().to_owned())).collect();
        each(&header, &cells, &Arc::new(labels))?;
    }
    Ok(())
}
