//! The table that iperf3 prints for people (and iperf 2, which has the same columns).
//!
//! Each interval row gives values of kind interval, each closing row values of kind run. `goodput_bps` of a run is what
//! the receiver counted, else what the sender did; of an interval what the printing side did. Several streams count as their
//! `[SUM]`. `Retr` becomes `retransmitted_packets`, `Cwnd` becomes `cwnd_bytes`, of UDP `jitter_us` and `lost_packets`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rate;
use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// The row of [`super::INPUTS`].
pub(super) struct Iperf3Text;

impl Input for Iperf3Text {
    fn name(&self) -> &'static str {
        "iperf3-text"
    }

    fn about(&self) -> &'static str {
        "the table iperf3 prints: a value an interval, and one a run from its closing rows"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines().take(500).any(|line| Row::parse(line, false).is_some())
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let mut samples = Samples::new();
        let mut run = Run::default();
        let mut has_retr = false;
        for line in text.lines() {
            if line.starts_with("Connecting to host") || line.starts_with("Accepted connection") {
                std::mem::take(&mut run).finish(&mut samples)?;
            } else if line.contains("Interval") && line.trim_start().starts_with('[') {
                has_retr = line.contains("Retr");
            } else if let Some(row) = Row::parse(line, has_retr) {
                run.rows.push(row);
            }
        }
        run.finish(&mut samples)?;
        Ok(samples.finish())
    }
}

/// Whose count a closing row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Sender,
    Receiver,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    stream: String,
    role: String,
    start: f64,
    bits_per_second: f64,
    retransmits: Option<f64>,
    cwnd_bytes: Option<f64>,
    jitter_us: Option<f64>,
    lost: Option<f64>,
    end: Option<End>,
    omitted: bool,
}

impl Row {
    /// `[  5][TX-C]   0.00-1.08   sec   118 MBytes   919 Mbits/sec   872   47.5 KBytes`
    fn parse(line: &str, has_retr: bool) -> Option<Self> {
        let (stream, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let (role, rest) = match rest.strip_prefix('[') {
            Some(role) => role.split_once(']')?,
            None => ("", rest),
        };
        let (span, rest) = rest.split_once(" sec")?;
        let (start, _) = span.split_once('-')?;
        let start = super::number(start.trim())?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let word = |index: usize| words.get(index).copied();
        // Transfer and its unit, then the rate and its unit.
        rate::bytes(word(1)?)?;
        let bits_per_second = super::number(word(2)?)? * rate::rate(word(3)?)?;
        let mut row = Self {
            stream: stream.trim().into(),
            role: role.into(),
            start,
            bits_per_second,
            retransmits: None,
            cwnd_bytes: None,
            jitter_us: None,
            lost: None,
            end: None,
            omitted: words.contains(&"(omitted)"),
        };
        row.end = match words.last() {
            Some(&"sender") => Some(End::Sender),
            Some(&"receiver") => Some(End::Receiver),
            _ => None,
        };
        if word(5) == Some("ms") {
            row.jitter_us = super::number(word(4)?).map(|ms| ms * 1e3);
            row.lost = word(6).and_then(|lost| lost.split('/').next()).and_then(super::number);
        } else if has_retr {
            row.retransmits = word(4).and_then(super::number);
            row.cwnd_bytes = word(5)
                .and_then(super::number)
                .zip(word(6).and_then(rate::bytes))
                .map(|(number, unit)| number * unit);
        }
        Some(row)
    }
}

/// The rows of one run, until the next begins.
#[derive(Default)]
struct Run {
    rows: Vec<Row>,
}

impl Run {
    fn finish(self, samples: &mut Samples) -> Result<(), InputError> {
        let mut roles: BTreeMap<String, Vec<Row>> = BTreeMap::new();
        // Where there is a sum, the streams are in it.
        let summed = self.rows.iter().any(|row| row.stream == "SUM");
        for row in self.rows.into_iter().filter(|row| !row.omitted && (!summed || row.stream == "SUM")) {
            roles.entry(row.role.clone()).or_default().push(row);
        }
        roles.into_iter().try_for_each(|(role, rows)| direction(&role, rows, samples))
    }
}

/// The rows of one direction of one run.
fn direction(role: &str, rows: Vec<Row>, samples: &mut Samples) -> Result<(), InputError> {
    let mut labels = Labels::new();
    if let Some(dir) =
        role.get(..2).and_then(|role| [("TX", "c2s"), ("RX", "s2c")].iter().find(|row| row.0 == role))
    {
        labels.insert("dir".into(), dir.1.into());
    }
    let labels = Arc::new(labels);
    let mut ends: Vec<Row> = Vec::new();
    let mut intervals: Vec<Row> = Vec::new();
    for row in rows {
        // iperf 2 marks no closing row: it is the one that starts again at 0.
        let again = row.start == 0.0
            && intervals.iter().any(|earlier| earlier.stream == row.stream && earlier.start > 0.0);
        if row.end.is_some() || again { ends.push(row) } else { intervals.push(row) }
    }
    for row in &intervals {
        values(row, Kind::Interval, &labels, samples)?;
    }
    // A table of a single row is both.
    if let (true, [only]) = (ends.is_empty(), intervals.as_slice()) {
        values(only, Kind::Run, &labels, samples)?;
    }
    // One run, or several one after the other: sender and receiver come in turn.
    for pair in ends.chunk_by(|a, b| a.end == Some(End::Sender) && b.end == Some(End::Receiver)) {
        let Some(last) = pair.last() else { continue };
        let retransmits = pair.iter().find_map(|row| row.retransmits);
        values(&Row { retransmits, ..last.clone() }, Kind::Run, &labels, samples)?;
    }
    Ok(())
}

fn values(row: &Row, kind: Kind, labels: &Arc<Labels>, samples: &mut Samples) -> Result<(), InputError> {
    let metrics = [
        ("goodput_bps", Some(row.bits_per_second)),
        ("retransmitted_packets", row.retransmits),
        ("cwnd_bytes", row.cwnd_bytes),
        ("jitter_us", row.jitter_us),
        ("lost_packets", row.lost),
    ];
    for (name, value) in metrics {
        if let Some(value) = value {
            samples.value(&Arc::from(name), value, kind, labels)?;
        }
    }
    Ok(())
}
