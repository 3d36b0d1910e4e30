//! Rows of our tables, however they are stored: what `analyze --out` writes as `tables/directions` and any other table.
//!
//! Each number of a row is a value of the metric of its column, each word a label. Rows of one connection are told apart into its
//! main direction and the other, as those of a report are. Rows that span a stretch of time (`start_ns`, `end_ns`) are
//! intervals of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// Columns that say which row it is, not how much of something.
const NAMES: [&str; 3] = ["connection", "frame", "original_frame"];

/// The values of rows.
///
/// # Errors
///
/// [`InputError`], where there are too many values.
pub(super) fn read(rows: &[Map<String, Value>]) -> Result<Vec<Sample>, InputError> {
    let mains = main_directions(rows);
    let mut samples = Samples::new();
    for row in rows {
        let kind = if row.contains_key("start_ns") && row.contains_key("end_ns") {
            Kind::Interval
        } else {
            Kind::Run
        };
        let labels = Arc::new(labels(row, &mains));
        for (name, value) in row {
            let moment = name.ends_with("_ns") || NAMES.contains(&name.as_str());
            if let Some(value) = value.as_f64().filter(|_| !moment) {
                samples.value(&Arc::from(name.as_str()), value, kind, &labels)?;
            }
        }
    }
    Ok(samples.finish())
}

/// The direction of each connection with the more unique bytes; the client's where they are equal.
fn main_directions(rows: &[Map<String, Value>]) -> BTreeMap<String, String> {
    let mut best: BTreeMap<String, (f64, bool, String)> = BTreeMap::new();
    for row in rows {
        let (Some(connection), Some(dir)) = (word(row, "connection"), word(row, "dir")) else { continue };
        let count = |name: &str| row.get(name).and_then(Value::as_f64);
        let carried = count("unique_bytes").or_else(|| count("data_bytes")).or_else(|| count("packets"));
        let (carried, client) = (carried.unwrap_or(0.0), dir == "c2s");
        let better = best.get(&connection).is_none_or(|(most, held_client, _)| {
            carried > *most || (carried >= *most && client && !held_client)
        });
        if better {
            best.insert(connection, (carried, client, dir));
        }
    }
    best.into_iter().map(|(connection, (.., dir))| (connection, dir)).collect()
}

fn labels(row: &Map<String, Value>, mains: &BTreeMap<String, String>) -> Labels {
    let words = row.iter().filter(|(name, value)| !value.is_number() || NAMES.contains(&name.as_str()));
    let mut labels: Labels = words.filter_map(|(name, _)| Some((name.clone(), word(row, name)?))).collect();
    if let (Some(connection), Some(dir)) = (word(row, "connection"), word(row, "dir")) {
        labels.insert("main".into(), (mains.get(&connection) == Some(&dir)).to_string());
    }
    labels
}

fn word(row: &Map<String, Value>, name: &str) -> Option<String> {
    match row.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_values_and_words_are_labels() {
        let rows = [
            row(
                r#"{"connection": 0, "dir": "c2s", "unique_bytes": 10, "goodput_bps": 5.5, "first_data_ns": 1, "mss": null}"#,
            ),
            row(
                r#"{"connection": 0, "dir": "s2c", "unique_bytes": 99, "goodput_bps": 7.5, "cc_identified": "cubic"}"#,
            ),
        ];
        let samples = read(&rows).unwrap();
        let goodput: Vec<(Option<&str>, Option<&str>)> = samples
            .iter()
            .filter(|sample| &*sample.metric == "goodput_bps")
            .map(|sample| (sample.label("main"), sample.label("cc_identified")))
            .collect();
        assert_eq!(goodput, [(Some("false"), None), (Some("true"), Some("cubic"))]);
        let metrics: Vec<&str> = samples.iter().map(|sample| &*sample.metric).collect();
        assert_eq!(metrics, ["goodput_bps", "unique_bytes", "goodput_bps", "unique_bytes"]);
    }

    #[test]
    fn rows_over_a_stretch_of_time_are_intervals() {
        let samples = read(&[row(r#"{"start_ns": 0, "end_ns": 9, "throughput_bps": 1e6}"#)]).unwrap();
        assert_eq!((samples.len(), samples[0].kind), (1, Kind::Interval));
    }
}
