//! The public contract: plain structs that serialize to the names scripts rely on. Nothing else serializes.
//!
//! Fields whose value is not known are `None`, which is `null` in JSON and empty in CSV; never a 0 in disguise.

mod capture;
mod connection;
mod direction;
mod line;

use serde::Serialize;

pub use capture::{CaptureDrops, CaptureReport, Cleaned};
pub use connection::{ClosedBy, ConnectionReport, ConnectionState, HandshakeReport, RoleBasis};
pub use direction::{DirectionReport, Ecn, Vantage};
pub use line::Line;

use crate::warning::Warning;

/// Changes when a field is renamed, removed or changes meaning; additions leave it.
pub const SCHEMA: &str = "tcptrace-rs/1";

/// One analysed trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The input as a whole.
    pub capture: CaptureReport,
    /// Its connections, in order of their first packet.
    pub connections: Vec<ConnectionReport>,
}

impl Report {
    /// Warnings of the capture, most important first.
    pub fn warnings(&self) -> &[Warning] {
        &self.capture.warnings
    }
}
