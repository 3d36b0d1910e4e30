//! One JSON document: `{"schema", "capture", "connections"}`, one connection a line, in order of their numbers.
//!
//! Beyond [`HELD`] connections, so that memory stays bounded, they are written as they end, and the capture after them.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::escape_json;
use super::{Renderer, ReportWriter, Settings};
use crate::report::{CaptureReport, ConnectionReport, ReportSink, SCHEMA};

/// The row of [`super::RENDERERS`].
pub(super) struct Json;

/// Most connections held to be put in order (about 2 kB each).
const HELD: usize = 1 << 14;

/// Holds the connections, since the document begins with the capture, or writes them where they are too many.
struct Document<'a> {
    out: Box<dyn Write + 'a>,
    held: usize,
    connections: Vec<ConnectionReport>,
    written: u64,
    failed: Option<io::Error>,
}

impl Document<'_> {
    fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "{{\"schema\":\"{SCHEMA}\",\n\"connections\":[")?;
        self.write_held()
    }

    fn write_held(&mut self) -> io::Result<()> {
        self.connections.sort_by_key(|connection| connection.connection);
        for connection in self.connections.drain(..) {
            let comma = if self.written > 0 { "," } else { "" };
            self.written += 1;
            write!(self.out, "{comma}\n{}", to_json(&connection)?)?;
        }
        Ok(())
    }
}

impl Renderer for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document, in order unless there are more than 16,384 connections"
    }

    fn start<'a>(&self, out: Box<dyn Write + 'a>, _settings: &Settings) -> Box<dyn ReportWriter + 'a> {
        Box::new(Document { out, held: HELD, connections: Vec::new(), written: 0, failed: None })
    }
}

impl ReportSink for Document<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
        if self.connections.len() > self.held && self.failed.is_none() {
            let result = if self.written == 0 { self.begin() } else { self.write_held() };
            self.failed = result.err();
        }
    }
}

impl ReportWriter for Document<'_> {
    fn finish(mut self: Box<Self>, capture: &CaptureReport) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.written > 0 {
            self.write_held()?;
            writeln!(self.out, "],\n\"capture\":{}}}", to_json(capture)?)?;
            return self.out.flush();
        }
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
pub(crate) fn to_json(value: &impl Serialize) -> io::Result<String> {
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
    fn too_many_to_hold_are_written_as_they_end() {
        let report = stock::report();
        let mut bytes = Vec::new();
        let mut document = Box::new(Document {
            out: Box::new(&mut bytes),
            held: 0,
            connections: Vec::new(),
            written: 0,
            failed: None,
        });
        for connection in report.connections.iter().rev().cloned() {
            document.connection(connection);
        }
        document.finish(&report.capture).unwrap();
        let written: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let whole = serde_json::to_value(&report).unwrap();
        assert_eq!(written["capture"], whole["capture"]);
        let mut connections = written["connections"].as_array().unwrap().clone();
        connections.reverse();
        assert_eq!(connections, *whole["connections"].as_array().unwrap());
    }

    #[test]
    fn a_capture_without_connections_is_a_document_too() {
        let empty = Report { schema: SCHEMA, capture: CaptureReport::default(), connections: Vec::new() };
        let text = stock::render_report(&Json, &Settings::default(), &empty);
        let written: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(written, serde_json::to_value(&empty).unwrap());
    }
}
