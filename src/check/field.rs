//! Fields of a report by name: `rtt_p50_us` of a direction, `handshake.rtt_us` of a connection, `cleaned.duplicates` of the
//! capture. Names and values are those of `report.json`; what is inside an object has the object's name and a dot before it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::derived;
use super::value::Value;
use crate::decode::SKIP_REASONS;
use crate::report::{CaptureReport, ConnectionReport, DirectionReport};

/// Every field of one part of the report, unknown ones as `None`.
pub type Fields = BTreeMap<String, Option<Value>>;

/// The part of a report that a field is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole capture.
    Capture,
    /// A connection, both directions together.
    Connection,
    /// A direction of a connection.
    Direction,
}

impl Part {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Connection => "connection",
            Self::Direction => "direction",
        }
    }
}

/// What is not compared: it names the input, not what is in it, or is compared otherwise.
const LEFT_OUT: &[&str] = &["connection", "path", "files", "read_error", "warnings", "c2s", "s2c"];

/// The fields that say which connection this is: where they differ it is another one.
pub const IDENTITY: &[&str] = &["client_ip", "client_port", "server_ip", "server_port"];

/// What a new baseline says of a capture, beside all of `skipped`.
pub const STOCK_CAPTURE: &[&str] = &[
    "capture_drops.unseen_bytes",
    "cleaned.clock_disorder",
    "cleaned.duplicates",
    "connections",
    "frames",
    "tcp_segments",
    "truncated",
];

/// What a new baseline says of a connection.
pub const STOCK_CONNECTION: &[&str] = &[
    "client_ip",
    "client_port",
    "closed_by",
    "handshake.rtt_us",
    "packets",
    "role_basis",
    "server_ip",
    "server_port",
    "state",
];

/// What a new baseline says of a direction; other fields are checked where a baseline has them.
pub const STOCK_DIRECTION: &[&str] = &[
    "cc_identified",
    "data_packets",
    "dsack_acks",
    "duplicate_acks",
    "flight_max_bytes",
    "goodput_bps",
    "inferred_losses",
    "keep_alives",
    "lost_packets",
    "packets",
    "reordered_packets",
    "retransmitted_bytes",
    "retransmitted_packets",
    "rtt_min_us",
    "rtt_p50_us",
    "rtt_p95_us",
    "rtt_samples",
    "sack_acks",
    "spurious_packets",
    "undecided_packets",
    "unique_bytes",
    "unseen_bytes",
    "vantage",
    "zero_window_probes",
    "zero_windows",
];

/// The fields of a serialized part of the report.
pub fn of(part: &impl Serialize) -> Fields {
    let mut fields = Fields::new();
    // What the report holds serializes: it has no map whose keys are no text.
    if let Ok(json) = serde_json::to_value(part) {
        flatten(&json, "", &mut fields);
    }
    fields
}

/// The fields of the capture.
pub fn of_capture(capture: &CaptureReport) -> Fields {
    let mut fields = of(capture);
    for (_, reason, _) in SKIP_REASONS {
        fields.entry(format!("skipped.{reason}")).or_insert(Some(Value::Int(0)));
    }
    fields
}

/// The names that a part of any report has.
pub fn names(part: Part) -> Vec<String> {
    let mut names: Vec<String> = match part {
        Part::Capture => of_capture(&CaptureReport::default()).into_keys().collect(),
        Part::Connection => of(&ConnectionReport::default()).into_keys().collect(),
        Part::Direction => of(&DirectionReport::default()).into_keys().collect(),
    };
    if part != Part::Connection {
        names.extend(derived::DERIVED.iter().map(|row| row.name.to_owned()));
    }
    names
}

/// The name nearest to a misspelt one, if one is near.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|known| (distance(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len() / 5)
        .min()
        .map(|(_, known)| known)
}

fn flatten(json: &serde_json::Value, prefix: &str, fields: &mut Fields) {
    let serde_json::Value::Object(object) = json else { return };
    for (name, value) in object {
        if prefix.is_empty() && LEFT_OUT.contains(&name.as_str()) || value.is_array() {
            continue;
        }
        let name = format!("{prefix}{name}");
        if value.is_object() {
            flatten(value, &format!("{name}."), fields);
        } else {
            fields.insert(name, Value::from_json(value));
        }
    }
}

/// Levenshtein's distance: the fewest letters to change, add or remove.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_fields_are_fields_of_the_report_in_order() {
        for (part, stock) in [
            (Part::Capture, STOCK_CAPTURE),
            (Part::Connection, STOCK_CONNECTION),
            (Part::Connection, IDENTITY),
            (Part::Direction, STOCK_DIRECTION),
        ] {
            let names = names(part);
            for name in stock {
                assert!(names.iter().any(|known| known == name), "{name} of a {}", part.name());
            }
            assert!(stock.is_sorted());
        }
    }

    #[test]
    fn objects_inside_are_named_with_a_dot_and_lists_left_out() {
        let names = names(Part::Capture);
        for name in ["cleaned.duplicates", "capture_drops.interface", "skipped.not_tcp", "spurious_rate"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
        for name in ["link_types", "warnings", "path"] {
            assert!(!names.iter().any(|known| known == name), "{name}");
        }
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        let names = names(Part::Direction);
        let nearest = |name| nearest(name, names.iter().map(String::as_str));
        assert_eq!(nearest("spurius_packets"), Some("spurious_packets"));
        assert_eq!(nearest("rtt_p59_us"), Some("rtt_p50_us"));
        assert_eq!(nearest("colour"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
