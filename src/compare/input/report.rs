//! Our own `report.json` and its JSON lines: each number of each direction of each connection is a value of the metric of that name.
//!
//! Labels: `connection`, `dir`, all that a connection or direction says in words (so `cc_identified`), and `main`, which tells
//! whether the direction carries more unique bytes than the other: `--dir main` compares those, since the acknowledging
//! direction's goodput says nothing of the path.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// The row of [`super::INPUTS`].
pub(super) struct Report;

/// What is read of a document or a line; all else is passed over.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Report { connections: Vec<Connection> },
    Line(Connection),
}

#[derive(Deserialize)]
struct Connection {
    #[serde(default)]
    c2s: Map<String, Value>,
    #[serde(default)]
    s2c: Map<String, Value>,
    #[serde(flatten)]
    own: Map<String, Value>,
}

impl Input for Report {
    fn name(&self) -> &'static str {
        "report"
    }

    fn about(&self) -> &'static str {
        "report.json or JSON lines of tcptrace-rs analyze: each number of each direction of each connection"
    }

    fn recognises(&self, text: &str) -> bool {
        let head: String = super::head(text).take(10).collect();
        head.starts_with('{')
            && (head.contains("\"tcptrace-rs/")
                || (text.contains("\"connections\"") && text.contains("\"c2s\"")))
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let mut samples = Samples::new();
        let mut connections = Vec::new();
        for document in serde_json::Deserializer::from_str(text).into_iter::<Document>() {
            match document.map_err(|error| InputError::Format(error.to_string()))? {
                Document::Report { connections: all } => connections.extend(all),
                Document::Line(connection) => connections.push(connection),
            }
        }
        for connection in &connections {
            let main = main_direction(connection);
            for (dir, fields) in [("c2s", &connection.c2s), ("s2c", &connection.s2c)] {
                let labels = Arc::new(labels(connection, dir, fields, main == dir));
                for (name, value) in fields {
                    if let Some(value) = value.as_f64().filter(|_| name != "connection") {
                        samples.value(&Arc::from(name.as_str()), value, Kind::Run, &labels)?;
                    }
                }
            }
        }
        Ok(samples.finish())
    }
}

/// The direction with the more unique bytes, or packets where those are unknown; the client's where they are equal.
fn main_direction(connection: &Connection) -> &'static str {
    let carried = |fields: &Map<String, Value>| {
        let count = |name: &str| fields.get(name).and_then(Value::as_f64);
        count("unique_bytes").or_else(|| count("data_bytes")).or_else(|| count("packets")).unwrap_or(0.0)
    };
    if carried(&connection.s2c) > carried(&connection.c2s) { "s2c" } else { "c2s" }
}

fn labels(connection: &Connection, dir: &str, fields: &Map<String, Value>, main: bool) -> Labels {
    let text = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Some((name.clone(), text.clone())),
        Value::Number(number) if name == "connection" => Some((name.clone(), number.to_string())),
        _ => None,
    };
    let mut labels: Labels = connection.own.iter().chain(fields).filter_map(text).collect();
    labels.insert("dir".into(), dir.into());
    labels.insert("main".into(), main.to_string());
    labels
}
