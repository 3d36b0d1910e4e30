//! One JSON document: `{"schema", "capture", "connections"}`, one connection a line, in order of their numbers.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::escape_json;
use super::{Renderer, ReportWriter, Settings};
use crate::report::{CaptureReport, ConnectionReport, ReportSink, SCHEMA};

/// The row of [`super::RENDERERS`].
pub(super) struct Json;

/// Holds the connections, since the document begins with the capture.
struct Document<'a> {
    out: Box<dyn Write + 'a>,
    connections: Vec<ConnectionReport>,
}

impl Renderer for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document; holds every connection in memory until the end"
    }

    fn start<'a>(&self, out: Box<dyn Write + 'a>, _settings: &Settings) -> Box<dyn ReportWriter + 'a> {
        Box::new(Document { out, connections: Vec::new() })
    }
}

impl ReportSink for Document<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }
}

impl ReportWriter for Document<'_> {
    fn finish(mut self: Box<Self>, capture: &CaptureReport) -> io::Result<()> {
        self.connections.sort_by_key(|connection| connection.connection);
        let out = &mut self.out;
        writeln!(out, "{{\"schema\":\"{SCHEMA}\",")?;
        writeln!(out, "\"capture\":{},", to_json(capture)?)?;
        write!(out, "\"connections\":[")?;
        for (place, connection) in self.connections.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(out, "{comma}\n{}", to_json(connection)?)?;
        }
        writeln!(out, "]}}")?;
        out.flush()
    }
}

/// One value on one line, safe to show on a terminal.
pub(super) fn to_json(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map(escape_json).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::super::stock;
    use super::*;
    use crate::report::Report;

    #[test]
    fn the_document_is_the_report_as_it_serializes() {
        let report = stock::report();
        let written: serde_json::Value =
            serde_json::from_str(&stock::render(&Json, &Settings::default())).unwrap();
        assert_eq!(written, serde_json::to_value(&report).unwrap());
        assert_eq!(written["schema"], "tcptrace-rs/1");
        assert_eq!(written["connections"][0]["c2s"]["unique_bytes"], 1_940_123_456_u64);
    }

    #[test]
    fn a_capture_without_connections_is_a_document_too() {
        let empty = Report { schema: SCHEMA, capture: CaptureReport::default(), connections: Vec::new() };
        let text = stock::render_report(&Json, &Settings::default(), &empty);
        let written: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(written, serde_json::to_value(&empty).unwrap());
    }
}
