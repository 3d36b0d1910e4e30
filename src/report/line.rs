//! One line of the JSON-lines form of a report.

use serde::Serialize;

use super::{CaptureReport, ConnectionReport, PeriodRow, SCHEMA};

/// A connection, a period or the capture, with what tells them apart: `type`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a, T> {
    /// [`SCHEMA`].
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA), description = "Name and version of the contract."))]
    pub schema: &'static str,
    /// "connection", "period" or "capture".
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its fields, beside the two above.
    #[serde(flatten)]
    pub fields: &'a T,
}

impl<'a> Line<'a, ConnectionReport> {
    /// The line of a connection.
    pub const fn connection(fields: &'a ConnectionReport) -> Self {
        Self { schema: SCHEMA, kind: "connection", fields }
    }
}

impl<'a> Line<'a, CaptureReport> {
    /// The line of the capture, which is the last.
    pub const fn capture(fields: &'a CaptureReport) -> Self {
        Self { schema: SCHEMA, kind: "capture", fields }
    }
}

impl<'a> Line<'a, PeriodRow> {
    /// The line of a period.
    pub const fn period(fields: &'a PeriodRow) -> Self {
        Self { schema: SCHEMA, kind: "period", fields }
    }
}
