//! JSON lines: each connection when it is finished, the capture last. Memory does not grow with the trace.

use std::io::{self, Write};

use super::json::to_json;
use super::{Renderer, ReportWriter, Settings};
use crate::report::{CaptureReport, ConnectionReport, Line, PeriodRow, ReportSink};

/// The row of [`super::RENDERERS`].
pub(super) struct JsonLines;

struct Lines<'a> {
    out: Box<dyn Write + 'a>,
    /// The first error; nothing is written after it.
    failed: io::Result<()>,
}

impl Renderer for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "One JSON object a line: each connection as it ends, the capture last"
    }

    fn start<'a>(&self, out: Box<dyn Write + 'a>, _settings: &Settings) -> Box<dyn ReportWriter + 'a> {
        Box::new(Lines { out, failed: Ok(()) })
    }
}

impl ReportSink for Lines<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        if self.failed.is_ok() {
            self.failed =
                to_json(&Line::connection(&connection)).and_then(|line| writeln!(self.out, "{line}"));
        }
    }

    /// Whoever waits for it shall have it at once.
    fn period(&mut self, row: &PeriodRow) {
        if self.failed.is_ok() {
            let line = to_json(&Line::period(row));
            self.failed = line.and_then(|line| writeln!(self.out, "{line}")).and_then(|()| self.out.flush());
        }
    }
}

impl ReportWriter for Lines<'_> {
    fn finish(mut self: Box<Self>, capture: &CaptureReport) -> io::Result<()> {
        self.failed?;
        writeln!(self.out, "{}", to_json(&Line::capture(capture))?)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stock;
    use super::*;

    #[test]
    fn connections_come_as_they_end_and_the_capture_last() {
        let text = stock::render(&JsonLines, &Settings::default());
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["connection", "connection", "connection", "capture"]);
        assert!(lines.iter().all(|line| line["schema"] == "tcptrace-rs/1"));
        // The stock report hands them out in another order than that of their numbers.
        assert_eq!(lines[0]["connection"], 2);
        assert_eq!(lines[3]["frames"], 412_806);
    }

    #[test]
    fn the_first_write_error_comes_out_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut writer = JsonLines.start(Box::new(Full), &Settings::default());
        for connection in stock::report().connections {
            writer.connection(connection);
        }
        assert_eq!(writer.finish(&CaptureReport::default()).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
