//! Text for people, 100 columns wide: the capture, its quality, one block per connection, the warnings.
//!
//! Only the connections that will be shown are kept while the trace is read.

pub(super) mod capture;
pub(super) mod connection;
mod layout;
pub(super) mod prediction;
pub(super) mod rows;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

pub(crate) use layout::{WIDTH, wrap};

use super::{Palette, Renderer, ReportWriter, Settings, Sort, escape};
use crate::human;
use crate::report::{CaptureReport, ConnectionReport, PeriodRow, ReportSink};

/// The row of [`super::RENDERERS`].
pub(super) struct Text;

struct TextWriter<'a> {
    out: Box<dyn Write + 'a>,
    settings: Settings,
    /// The connections to show, the last of them on top.
    kept: BinaryHeap<Ranked>,
    connections: u64,
    unique_bytes: u64,
    /// The first error of what is told on the way.
    failed: io::Result<()>,
}

/// A connection by its place in the report; the greatest is shown last.
struct Ranked {
    rank: (Reverse<u64>, u64),
    /// Large, and the heap moves what it keeps.
    connection: Box<ConnectionReport>,
}

impl Renderer for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "For people: the capture's quality, then a block per connection"
    }

    fn is_for_programs(&self) -> bool {
        false
    }

    fn start<'a>(&self, out: Box<dyn Write + 'a>, settings: &Settings) -> Box<dyn ReportWriter + 'a> {
        let settings = settings.clone();
        let kept = BinaryHeap::new();
        Box::new(TextWriter { out, settings, kept, connections: 0, unique_bytes: 0, failed: Ok(()) })
    }
}

impl ReportSink for TextWriter<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections += 1;
        self.unique_bytes = self.unique_bytes.saturating_add(connection.unique_bytes());
        let bytes = match self.settings.sort {
            Sort::Bytes => connection.unique_bytes(),
            Sort::Start => 0,
        };
        let rank = (Reverse(bytes), connection.connection);
        if self.settings.top.is_some_and(|top| self.kept.len() >= top) {
            // Most of many are not among the first.
            if self.kept.peek().is_none_or(|last| rank > last.rank) {
                return;
            }
            self.kept.pop();
        }
        self.kept.push(Ranked { rank, connection: Box::new(connection) });
    }

    /// Whoever waits for it shall have it at once.
    fn period(&mut self, row: &PeriodRow) {
        if self.failed.is_ok() {
            self.failed = writeln!(self.out, "{}", period(row)).and_then(|()| self.out.flush());
        }
    }
}

/// What went by, in a line.
fn period(row: &PeriodRow) -> String {
    let count = human::count;
    format!(
        "{} {}: {}, {}; connections {} new, {} ended, {} open; retransmitted {}, of which lost {}, spurious {}, undecided {}; reordered {}",
        capture::stamp(row.start_ns),
        human::span_ns(row.end_ns.saturating_sub(row.start_ns)),
        human::counted(row.frames, "frame"),
        human::rate(row.throughput_bps),
        count(row.connections_started),
        count(row.connections_finished),
        count(row.connections_live),
        count(row.retransmitted_packets),
        count(row.lost_packets),
        count(row.spurious_packets),
        count(row.undecided_packets),
        count(row.reordered_packets),
    )
}

impl ReportWriter for TextWriter<'_> {
    fn finish(self: Box<Self>, capture: &CaptureReport) -> io::Result<()> {
        let Self { mut out, settings, kept, connections, unique_bytes, failed } = *self;
        failed?;
        let palette = &settings.palette;
        capture::header(&mut out, capture, palette)?;
        capture::quality(&mut out, capture, settings.verbose, palette)?;
        let shown = kept.into_sorted_vec();
        let hidden = connections - shown.len() as u64;
        writeln!(out, "\n{}{}{}", palette.heading, overview(capture, connections, &settings), palette.reset)?;
        let mut shown_bytes = 0;
        for Ranked { connection, .. } in shown {
            shown_bytes += connection.unique_bytes();
            writeln!(out)?;
            connection::block(&mut out, &connection, &settings)?;
            prediction::sections(&mut out, &connection, &settings)?;
        }
        if hidden > 0 {
            let rest = human::bytes(unique_bytes.saturating_sub(shown_bytes));
            let connections = human::counted(hidden, "further connection");
            writeln!(out, "\n{connections} with {rest} of payload not shown: --top all or --connection N")?;
        }
        if settings.warnings {
            warnings(&mut out, capture, palette)?;
        }
        out.flush()
    }
}

/// How many connections there are and in what order they come.
fn overview(capture: &CaptureReport, reported: u64, settings: &Settings) -> String {
    let order = match settings.sort {
        Sort::Bytes => "most payload bytes first",
        Sort::Start => "in order of the first packet",
    };
    let of = if capture.connections > reported {
        format!(" of {} selected", human::count(capture.connections))
    } else {
        String::new()
    };
    match reported {
        0 => format!("no connections{of}"),
        1 => format!("1 connection{of}"),
        number => format!("{} connections{of}, {order}", human::count(number)),
    }
}

/// What was seen, why it matters and what to do.
fn warnings(out: &mut dyn Write, capture: &CaptureReport, palette: &Palette) -> io::Result<()> {
    if capture.warnings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}warnings{}", palette.warning, palette.reset)?;
    for warning in &capture.warnings {
        let sentence = |text: &str| format!("{}.", text.trim_end_matches('.'));
        layout::paragraph(out, 2, &format!("{}: {}", warning.id, sentence(&escape(&warning.seen))))?;
        layout::paragraph(out, 4, &format!("{} {}", sentence(warning.why), sentence(warning.remedy)))?;
    }
    Ok(())
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[cfg(test)]
mod tests;
