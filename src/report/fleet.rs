//! `summary.json`: what a dataset says as a whole. Field names are part of the contract, `null` is unknown.

use serde::Serialize;

/// The document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FleetDocument {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// Traces in the dataset.
    pub traces: u64,
    /// Those that are missing or cut.
    pub failed_traces: u64,
    /// Bytes of their files.
    pub file_bytes: u64,
    /// Frames read.
    pub frames: u64,
    /// Connections.
    pub connections: u64,
    /// First packet of a connection, ns since the epoch.
    pub first_ns: Option<i64>,
    /// Last one.
    pub last_ns: Option<i64>,
    /// Packets of all directions.
    pub totals: FleetCounts,
    /// How figures are distributed over directions or connections.
    pub distributions: Vec<FleetDistribution>,
    /// The worst connections, a list for each symptom that any has.
    pub worst: Vec<FleetSymptom>,
    /// Groups of directions, those with most payload first.
    pub groups: Vec<FleetGroups>,
    /// What each algorithm would have got over all bulk transfers; null where nothing was predicted.
    pub switching: Option<FleetSwitching>,
    /// What failed.
    pub failures: Vec<FleetFailure>,
}

/// Sums over directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FleetCounts {
    /// Directions with payload.
    pub directions: u64,
    /// Payload, each byte once.
    pub unique_bytes: u64,
    /// Packets with payload.
    pub data_packets: u64,
    /// Sent again.
    pub retransmitted_packets: u64,
    /// Really lost.
    pub lost_packets: u64,
    /// Sent again although it was not lost.
    pub spurious_packets: u64,
    /// Nothing tells.
    pub undecided_packets: u64,
    /// Came late.
    pub reordered_packets: u64,
}

/// Quantiles of a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetDistribution {
    /// The column.
    pub metric: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Directions or connections that have it.
    pub count: u64,
    /// Smallest.
    pub min: f64,
    /// 10th percentile; these are within 0.2 % of the true ones.
    pub p10: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
    /// How many values are how large, the smallest first; those without a value are left out.
    pub bins: Vec<FleetBin>,
}

/// Values between a power of two and the next, of the smallest step that was told apart; or 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetBin {
    /// From here on.
    pub from: f64,
    /// Up to here, exclusive; 0 where `from` is.
    pub to: f64,
    /// How many.
    pub count: u64,
}

/// A symptom and who has it worst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetSymptom {
    /// Its name.
    pub symptom: &'static str,
    /// What the value is.
    pub about: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The worst first.
    pub worst: Vec<FleetConnection>,
}

/// A direction of a connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetConnection {
    /// The trace.
    pub source: String,
    /// Number of the connection in it.
    pub connection: i64,
    /// `c2s` or `s2c`.
    pub dir: String,
    /// The client's address.
    pub client_ip: String,
    /// The server's address.
    pub server_ip: String,
    /// The server's port.
    pub server_port: i64,
    /// How bad it is.
    pub value: f64,
}

/// A way to group, and its groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetGroups {
    /// What they have in common.
    pub by: &'static str,
    /// Those with most payload, the largest first.
    pub groups: Vec<FleetGroup>,
    /// Groups beyond these.
    pub others: u64,
}

/// A group of directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetGroup {
    /// What is common to it; null where that is not known.
    pub key: Option<String>,
    /// Sums.
    pub counts: FleetCounts,
    /// Median of the directions' median RTT, microseconds; null without any.
    pub rtt_p50_us: Option<f64>,
    /// Median of their goodput, bits per second.
    pub goodput_p50_bps: Option<f64>,
}

/// Another algorithm for all bulk transfers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetSwitching {
    /// Bulk transfers that were predicted with what was used known.
    pub transfers: u64,
    /// Goodput that they got, all together, bits per second.
    pub measured_bps: f64,
    /// What they would have got, the best first.
    pub algorithms: Vec<FleetAlgorithm>,
}

/// What all bulk transfers would have got with one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetAlgorithm {
    /// The algorithm.
    pub cc: String,
    /// Sum of the medians, bits per second.
    pub goodput_p50_bps: f64,
    /// Sum of the 10th percentiles: as if all predictions erred in the same way.
    pub goodput_p10_bps: f64,
    /// Sum of the 90th percentiles.
    pub goodput_p90_bps: f64,
    /// Change against what was measured, of all; 0.1 is a tenth more.
    pub change: Option<f64>,
    /// Transfers whose interval is above what they got.
    pub faster: u64,
    /// Transfers whose interval is below.
    pub slower: u64,
}

/// A trace that failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetFailure {
    /// The trace.
    pub source: String,
    /// What it died of.
    pub kind: &'static str,
    /// In words.
    pub reason: String,
}
