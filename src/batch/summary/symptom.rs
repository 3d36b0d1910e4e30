//! What can be wrong with a direction, and who has it worst.

use super::distribution::loss;
use super::row::Row;
use crate::report::fleet::{FleetConnection, FleetSymptom};

/// Connections that are named for each.
const NAMED: usize = 10;

/// Something that can be wrong.
pub(super) struct Symptom {
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    /// How bad it is; `None` or 0 where there is nothing of it.
    value: fn(&Row) -> Option<f64>,
}

/// Every one, in the order of the summary.
pub(super) const SYMPTOMS: &[Symptom] = &[
    Symptom { name: "loss", about: "share of packets lost, of at least 100", unit: "", value: loss },
    Symptom {
        name: "spurious",
        about: "packets sent again although they had arrived",
        unit: "packets",
        value: |row| Some(row.spurious_packets as f64),
    },
    Symptom {
        name: "reordering",
        about: "packets that came late",
        unit: "packets",
        value: |row| Some(row.reordered_packets as f64),
    },
    Symptom {
        name: "zero_window",
        about: "time with the receive window shut",
        unit: "µs",
        value: |row| row.zero_window_us,
    },
    Symptom {
        name: "queueing",
        about: "95th percentile of the RTT above its minimum",
        unit: "µs",
        value: |row| Some(row.rtt_p95_us? - row.rtt_min_us?),
    },
    Symptom { name: "rtt", about: "smallest RTT", unit: "µs", value: |row| row.rtt_min_us },
    Symptom {
        name: "handshake",
        about: "SYNs sent again",
        unit: "packets",
        value: |row| row.syn_retransmissions.map(|count| count as f64),
    },
];

/// The worst of each so far.
pub(super) struct Worst(Vec<Vec<FleetConnection>>);

impl Worst {
    pub(super) fn new() -> Self {
        Self(SYMPTOMS.iter().map(|_| Vec::new()).collect())
    }

    pub(super) fn add(&mut self, source: &str, row: &Row) {
        for (symptom, worst) in SYMPTOMS.iter().zip(&mut self.0) {
            let Some(value) = (symptom.value)(row).filter(|value| value.is_finite() && *value > 0.0) else {
                continue;
            };
            if let Some(place) = place(worst, value) {
                worst.insert(place, named(source, row, value));
                worst.truncate(NAMED);
            }
        }
    }

    /// Adds those of traces that come later.
    pub(super) fn append(&mut self, other: Self) {
        for (worst, more) in self.0.iter_mut().zip(other.0) {
            for one in more {
                let Some(place) = place(worst, one.value) else { break };
                worst.insert(place, one);
                worst.truncate(NAMED);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<FleetSymptom> {
        let had = SYMPTOMS.iter().zip(self.0).filter(|(_, worst)| !worst.is_empty());
        had.map(|(Symptom { name, about, unit, .. }, worst)| FleetSymptom {
            symptom: name,
            about,
            unit,
            worst,
        })
        .collect()
    }
}

/// Where it is among the worst. Those that are equal stay in order of their traces.
fn place(worst: &[FleetConnection], value: f64) -> Option<usize> {
    let place = worst.partition_point(|other| other.value >= value);
    (place < NAMED).then_some(place)
}

fn named(source: &str, row: &Row, value: f64) -> FleetConnection {
    FleetConnection {
        source: source.to_owned(),
        connection: row.connection,
        dir: row.dir.clone(),
        client_ip: row.client_ip.clone(),
        server_ip: row.server_ip.clone(),
        server_port: row.server_port,
        value,
    }
}
