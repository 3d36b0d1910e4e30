//! Summary lines: number, mean and standard deviation, where the values themselves are not at hand.
//!
//! Three shapes: CSV with columns `n`, `mean` (or `avg`) and `sd` (or `stddev`); ministat's own output, whose rows begin with
//! a symbol (label `symbol`); and lines of `n=20 mean=3314.86 sd=59.79`. `min`, `max` and `median` are taken where given, and a
//! column `metric` names the metric. All else is a label.

use std::sync::Arc;

use super::csv;
use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Labels, Sample, Samples};
use crate::compare::summary::Summary;

/// The row of [`super::INPUTS`].
pub(super) struct SummaryLines;

impl Input for SummaryLines {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn about(&self) -> &'static str {
        "number, mean and standard deviation: CSV, ministat's output, or n=20 mean=3314.86 sd=59.79"
    }

    fn recognises(&self, text: &str) -> bool {
        super::head(text).any(|line| is_header(line) || pairs(line).is_some())
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let first = super::head(text).find(|line| !line.starts_with('#')).unwrap_or_default();
        let mut samples = Samples::new();
        if is_header(first) && csv::separator(first).is_some() {
            csv::rows(text, |_, _, labels| take(&mut samples, labels, true))?;
        } else {
            lines(text, &mut samples)?;
        }
        Ok(samples.finish())
    }
}

/// ministat's table, or lines of pairs.
fn lines(text: &str, samples: &mut Samples) -> Result<(), InputError> {
    let mut header: Option<Vec<String>> = None;
    for line in text.lines() {
        if is_header(line) {
            header = Some(words(line));
        } else if let Some(labels) = pairs(line) {
            take(samples, &Arc::new(labels), true)?;
        } else if let Some(names) = &header {
            let mut cells: Vec<&str> = line.split_whitespace().collect();
            let mut labels = Labels::new();
            if cells.len() == names.len() + 1 {
                labels.insert("symbol".into(), cells.remove(0).into());
            }
            if cells.len() == names.len() {
                labels.extend(names.iter().cloned().zip(cells.into_iter().map(str::to_owned)));
                // What follows the table is prose of the same length now and then.
                take(samples, &Arc::new(labels), false)?;
            }
        }
    }
    Ok(())
}

/// Takes the summary out of a row; where it is no summary, that is an error if `must`.
fn take(samples: &mut Samples, labels: &Arc<Labels>, must: bool) -> Result<(), InputError> {
    let Some(summary) = summary(labels) else {
        return if must {
            let what = format!("no summary in {labels:?}: n must be a whole number above 0, sd not negative");
            Err(InputError::Format(what.chars().take(300).collect()))
        } else {
            Ok(())
        };
    };
    let metric = labels.get("metric").map(|metric| Arc::from(metric.as_str())).unwrap_or_default();
    samples.summary(&metric, summary, labels)
}

fn summary(labels: &Labels) -> Option<Summary> {
    let value = |names: &[&str]| {
        let find = |name: &&str| labels.iter().find(|(label, _)| label.eq_ignore_ascii_case(name));
        names.iter().find_map(find).and_then(|(_, value)| super::number(value))
    };
    let n = value(N).filter(|n| *n >= 1.0 && *n < 1e15 && n.fract() == 0.0)?;
    let sd = value(SD);
    if sd.is_some_and(|sd| sd < 0.0) || (sd.is_none() && n > 1.0) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked: whole, from 1 to 1e15"
    )]
    let n = n as u64;
    Some(Summary {
        n,
        min: value(&["min"]),
        max: value(&["max"]),
        median: value(&["median"]),
        mean: value(MEAN)?,
        sd: sd.filter(|_| n > 1),
    })
}

const N: &[&str] = &["n"];
const MEAN: &[&str] = &["mean", "avg", "average"];
const SD: &[&str] = &["sd", "stddev", "stdev"];

/// Whether the words of a line name the three figures that a summary needs.
fn is_header(line: &str) -> bool {
    let words = words(line);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    has(N) && has(MEAN) && has(SD)
}

fn words(line: &str) -> Vec<String> {
    line.split([',', ';', '\t', ' ', '\r'])
        .map(|word| word.trim_matches('"').to_ascii_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// A line of `name=value` that holds the three figures.
fn pairs(line: &str) -> Option<Labels> {
    if line.starts_with('#') {
        return None;
    }
    let labels: Labels = line
        .split([' ', '\t', ',', ';'])
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let has = |names: &[&str]| labels.keys().any(|name| names.contains(&name.to_ascii_lowercase().as_str()));
    (has(N) && has(MEAN) && has(SD)).then_some(labels)
}
