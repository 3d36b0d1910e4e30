//! The public contract: plain structs that serialize to the names scripts rely on. Nothing else serializes.
//!
//! Fields whose value is not known are `None`, which is `null` in JSON and empty in CSV; never a 0 in
//! disguise.

pub mod batch;
mod capture;
pub mod check;
pub mod comparison;
mod connection;
mod direction;
pub mod explanation;
pub mod fleet;
pub mod join;
mod line;
mod path;
mod period;
pub mod prediction;
mod retransmission;
mod samples;
#[cfg(feature = "schema")]
pub mod schema;
mod series;
mod trace;

use serde::Serialize;

pub use capture::{CaptureDrops, CaptureReport, Cleaned};
pub use connection::{ClosedBy, ConnectionReport, ConnectionState, HandshakeReport, RoleBasis};
pub use direction::{DirectionReport, Ecn, Vantage};
pub use line::Line;
pub use path::PathRow;
pub use period::PeriodRow;
pub use retransmission::{Kind, RetransmissionRow, Trigger, Verdict};
pub use samples::{
    AckSteps, DelayBin, DelayCounts, JitterCounts, PathSamples, PathSlice, SHORTEST_TRAIN, TRAIN_SCALES,
    Train, Trains,
};
pub use series::{IntervalRow, Limit, LimitRow, RttRow, RttSource, SeriesRow, WindowPhase, WindowRow};
pub use trace::{RoundRecord, Trace};

use crate::warning::Warning;

/// Changes when a field is renamed, removed or changes meaning; additions leave it.
pub const SCHEMA: &str = "tcptrace-rs/1";

/// One analysed trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`].
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA), description = "Name and version of the contract."))]
    pub schema: &'static str,
    /// The input as a whole.
    pub capture: CaptureReport,
    /// Its connections, in order of their first packet.
    pub connections: Vec<ConnectionReport>,
}

/// A direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Dir {
    /// Client to server.
    #[default]
    C2s,
    /// Server to client.
    S2c,
}

impl Dir {
    /// Its name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C2s => "c2s",
            Self::S2c => "s2c",
        }
    }
}

/// Takes what the analysis finds, while it reads: rows of a connection come before the connection itself, and
/// connections in the order in which they are finished.
pub trait ReportSink {
    /// One finished connection.
    fn connection(&mut self, connection: ConnectionReport);

    /// One segment that was sent again, came late or was lost, as soon as its verdict is final.
    fn retransmission(&mut self, row: &RetransmissionRow) {
        let _ = row;
    }

    /// The rounds of each direction, just before the connection itself: c2s and s2c, `None` without data, and where nobody predicts from
    /// them (`PipelineOptions::traces`).
    fn traces(&mut self, connection: &ConnectionReport, traces: [Option<Trace>; 2]) {
        let _ = (connection, traces);
    }

    /// Whether [`Self::series`] is wanted: rows that nobody wants are not made.
    fn wants_series(&self) -> bool {
        false
    }

    /// One row of what changes over time.
    fn series(&mut self, row: &SeriesRow) {
        let _ = row;
    }

    /// A period of the capture is over (`Options::report_every`).
    fn period(&mut self, row: &PeriodRow) {
        let _ = row;
    }
}

impl ReportSink for Vec<ConnectionReport> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.push(connection);
    }
}

impl Report {
    /// Warnings of the capture, most important first.
    pub fn warnings(&self) -> &[Warning] {
        &self.capture.warnings
    }
}
