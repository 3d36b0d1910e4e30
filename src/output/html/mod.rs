//! `report.html`: one page that needs no network, with the connections of a capture, their pictures and what to make of them.
//!
//! The page draws the pictures itself, from figures in few bytes (`compact`), and only those of the connection that is looked at.
//! [`shell`], [`table`] and [`markup`] serve any page.

mod compact;
mod connections;
mod detail;
pub mod markup;
pub mod shell;
mod summary;
pub mod table;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::human;
use crate::plot::{Subject, Traces, figures};
use crate::report::{CaptureReport, ConnectionReport, ReportSink};

/// Rows of the table at most.
const MOST_ROWS: usize = 5_000;
/// Bytes of the rows' details at most, all connections together.
const DETAIL_BUDGET: usize = 5_000_000;
/// Bytes of figures at most.
const FIGURE_BUDGET: usize = 9_000_000;

/// Scripts of this page.
const SCRIPTS: &[&str] = &[
    include_str!("series.js"),
    include_str!("axis.js"),
    include_str!("draw.js"),
    include_str!("hover.js"),
    include_str!("plot.js"),
    include_str!("connection.js"),
];

/// The largest first, those of equal size in order of their numbers.
type Rank = (Reverse<u64>, u64);

/// Gathers what the page shows of each connection; only the largest are held.
#[derive(Debug, Default)]
pub struct HtmlReport {
    kept: BTreeMap<Rank, ConnectionReport>,
    connections: u64,
    bytes: u64,
}

impl ReportSink for HtmlReport {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections += 1;
        self.bytes = self.bytes.saturating_add(connection.unique_bytes());
        self.kept.insert((Reverse(connection.unique_bytes()), connection.connection), connection);
        if self.kept.len() > MOST_ROWS {
            self.kept.pop_last();
        }
    }
}

impl HtmlReport {
    /// Writes the page, with the pictures of what `traces` holds.
    pub fn write(&self, out: &mut dyn Write, capture: &CaptureReport, traces: &Traces) -> io::Result<()> {
        let mut page = shell::Page::start(out, &summary::title(capture), SCRIPTS)?;
        let body = page.body();
        let diagnosed: Vec<&ConnectionReport> =
            self.kept.values().filter(|connection| connection.diagnosis.is_some()).collect();
        summary::summary(body, capture, self.connections, self.bytes, &diagnosed)?;
        self.table(body)?;
        writeln!(body, "<section id=\"connection\" tabindex=\"-1\" aria-label=\"Connection\"></section>")?;
        summary::quality(body, capture)?;
        writeln!(
            body,
            "<section id=\"overview\" aria-labelledby=\"overview-title\" hidden>\n\
             <h2 id=\"overview-title\">The capture over time</h2>\n<div class=\"figures\"></div>\n</section>"
        )?;
        self.details(body)?;
        pictures(body, traces, FIGURE_BUDGET)?;
        page.finish()
    }

    fn table(&self, body: &mut dyn Write) -> io::Result<()> {
        writeln!(body, "<section aria-labelledby=\"connections\">\n<h2 id=\"connections\">Connections</h2>")?;
        if self.kept.is_empty() {
            return writeln!(body, "<p>There are none.</p>\n</section>");
        }
        let columns = connections::columns();
        table::begin(body, "Connections and their larger direction", &columns, "data")?;
        for connection in self.kept.values() {
            body.write_all(table::row(&columns, &connections::cells(connection)).as_bytes())?;
        }
        table::end(body)?;
        let left_out = self.connections - self.kept.len() as u64;
        if left_out > 0 {
            let rest = human::counted(left_out, "connection");
            writeln!(
                body,
                "<p class=\"note\">{rest} with less payload than these are not on this page; report.json has all.</p>"
            )?;
        }
        writeln!(body, "</section>")
    }

    /// Details of the largest, as far as the budget goes.
    fn details(&self, body: &mut dyn Write) -> io::Result<()> {
        let mut left = DETAIL_BUDGET;
        for connection in self.kept.values() {
            let text = markup::data(&detail::detail(connection));
            let Some(rest) = left.checked_sub(text.len()) else { break };
            left = rest;
            block(body, &format!("detail-{}", connection.connection), &text)?;
        }
        Ok(())
    }
}

/// Figures of the capture, and of the largest connections as far as the budget goes.
fn pictures(body: &mut dyn Write, traces: &Traces, budget: usize) -> io::Result<()> {
    let capture: Vec<Value> =
        figures(&Subject::Capture(traces.capture())).map(|figure| compact::figure(&figure)).collect();
    block(body, "figures-capture", &markup::data(&json!(capture)))?;
    let mut left = budget;
    for views in traces.largest() {
        let Some(number) = views.first().map(|view| view.connection.connection) else { continue };
        let direction = |view: &_| {
            let subject = Subject::Direction(view);
            let drawn = figures(&subject).map(|figure| compact::figure(&figure));
            json!({ "dir": view.dir, "figures": drawn.collect::<Vec<_>>() })
        };
        let text = markup::data(&json!(views.iter().map(direction).collect::<Vec<_>>()));
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        block(body, &format!("figures-{number}"), &text)?;
    }
    Ok(())
}

/// Data for the scripts, which nothing reads until it is asked for.
fn block(body: &mut dyn Write, id: &str, json: &str) -> io::Result<()> {
    writeln!(body, "<script type=\"application/json\" id=\"{id}\">{json}</script>")
}

#[cfg(test)]
mod tests;
