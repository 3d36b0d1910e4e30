//! What is checked: the fields of a report and the counts of its verdicts, collected while the capture is analysed.

use std::collections::BTreeMap;

use super::derived;
use super::field::{self, Fields};
use super::value::Value;
use crate::report::{
    CaptureReport, ConnectionReport, Dir, Kind, ReportSink, RetransmissionRow, Trigger, Verdict,
};

/// One analysed capture.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Of the capture, with the derived numbers over all directions.
    pub capture: Fields,
    /// By number.
    pub connections: BTreeMap<u64, Connection>,
    /// Counts of connections that are not finished.
    open: BTreeMap<(u64, Dir), Verdicts>,
}

/// One connection.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// Of both directions together.
    pub fields: Fields,
    /// Client to server.
    pub c2s: Direction,
    /// Server to client.
    pub s2c: Direction,
}

/// One direction.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// Of this direction, with the derived numbers.
    pub fields: Fields,
    /// How many of each sort.
    pub verdicts: Verdicts,
}

/// How many segments of each sort, by the sort's name.
pub type Verdicts = BTreeMap<Sort, Tally>;

/// Kind, trigger and verdict, as `retransmission-fast-lost`; a kind that has no verdict has `none`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sort {
    /// Its name.
    pub name: String,
}

/// How often, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Segments.
    pub count: u64,
    /// Frame of the first.
    pub first_frame: u64,
}

impl Sort {
    /// That of a row.
    pub fn of(row: &RetransmissionRow) -> Self {
        Self::new(row.kind, row.trigger, row.verdict)
    }

    fn new(kind: Kind, trigger: Trigger, verdict: Option<Verdict>) -> Self {
        let word = |value: serde_json::Result<serde_json::Value>| match value {
            Ok(serde_json::Value::String(word)) => word,
            _ => "none".to_owned(),
        };
        let words = [
            word(serde_json::to_value(kind)),
            word(serde_json::to_value(trigger)),
            word(serde_json::to_value(verdict)),
        ];
        Self { name: words.join("-") }
    }

    /// Its kind and its verdict.
    pub fn parts(&self) -> (&str, &str) {
        let mut words = self.name.split('-');
        (words.next().unwrap_or_default(), words.next_back().unwrap_or_default())
    }

    /// Whether there is a sort of that name.
    pub fn is_one(name: &str) -> bool {
        let kinds = [
            Kind::Retransmission,
            Kind::Reordering,
            Kind::Duplicate,
            Kind::KeepAlive,
            Kind::ZeroWindowProbe,
            Kind::InferredLoss,
            Kind::Reinjection,
        ];
        let triggers =
            [Trigger::Fast, Trigger::Rack, Trigger::Rto, Trigger::Tlp, Trigger::Recovery, Trigger::Unknown];
        let verdicts = [
            None,
            Some(Verdict::Lost),
            Some(Verdict::Spurious),
            Some(Verdict::Reordered),
            Some(Verdict::Undecided),
        ];
        kinds.iter().any(|&kind| {
            triggers.iter().any(|&trigger| {
                verdicts.iter().any(|&verdict| Self::new(kind, trigger, verdict).name == name)
            })
        })
    }
}

impl Subject {
    /// Takes what is known of the whole capture, which ends it.
    pub fn finish(&mut self, capture: &CaptureReport) {
        self.capture = field::of_capture(capture);
        let directions: Vec<&Fields> =
            self.connections.values().flat_map(|one| [&one.c2s.fields, &one.s2c.fields]).collect();
        derived::add_sums_to(&mut self.capture, &directions);
    }
}

impl Connection {
    /// One of its directions.
    pub const fn direction(&self, dir: Dir) -> &Direction {
        match dir {
            Dir::C2s => &self.c2s,
            Dir::S2c => &self.s2c,
        }
    }

    /// The direction that carries more data; `None` where neither carries any.
    pub fn main(&self) -> Option<Dir> {
        let carried = |dir| {
            let fields = &self.direction(dir).fields;
            fields.get("unique_bytes").and_then(Option::as_ref).and_then(Value::number).unwrap_or(0.0)
        };
        let (c2s, s2c) = (carried(Dir::C2s), carried(Dir::S2c));
        if c2s.max(s2c) <= 0.0 {
            return None;
        }
        Some(if s2c > c2s { Dir::S2c } else { Dir::C2s })
    }

    /// Who talks to whom.
    pub fn ends(&self) -> String {
        let text = |name: &str| match self.fields.get(name) {
            Some(Some(value)) => value.to_string(),
            _ => "unknown".to_owned(),
        };
        let end = |ip: String, port: String| {
            if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
        };
        format!(
            "{} -> {}",
            end(text("client_ip"), text("client_port")),
            end(text("server_ip"), text("server_port"))
        )
    }
}

impl ReportSink for Subject {
    fn connection(&mut self, connection: ConnectionReport) {
        let mut direction = |dir, report| {
            let mut fields = field::of(report);
            derived::add_to(&mut fields);
            Direction {
                fields,
                verdicts: self.open.remove(&(connection.connection, dir)).unwrap_or_default(),
            }
        };
        let (c2s, s2c) = (direction(Dir::C2s, &connection.c2s), direction(Dir::S2c, &connection.s2c));
        let whole = Connection { fields: field::of(&connection), c2s, s2c };
        self.connections.insert(connection.connection, whole);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        let sorts = self.open.entry((row.connection, row.dir)).or_default();
        let tally = sorts.entry(Sort::of(row)).or_insert(Tally { count: 0, first_frame: row.frame });
        tally.count += 1;
        tally.first_frame = tally.first_frame.min(row.frame);
    }
}
