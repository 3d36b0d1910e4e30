//! What netperf prints: the tables of `TCP_STREAM`, `TCP_RR` and their kin, of `omni`, and `KEYWORD=value` lines of `-k`.
//!
//! A table's value stands below its heading (`Throughput`, or `Trans.` of request/response tests), so it is found by place,
//! with or without the columns of CPU use between. Streams give `goodput_bps`, requests `transactions_per_s`.
//! `Interim result` lines of `-D` are intervals. Source: "Care and Feeding of Netperf 2.7", chapters 5, 6 and 9.

use std::sync::Arc;

use super::rate;
use super::{Input, Reading};
use crate::compare::error::InputError;
use crate::compare::sample::{Kind, Labels, Sample, Samples};

/// netperf's keywords (its chapter 9.1.4) and our names for them.
const KEYWORDS: &[(&str, &str)] = &[
    ("MIN_LATENCY", "latency_min_us"),
    ("MEAN_LATENCY", "latency_mean_us"),
    ("P50_LATENCY", "latency_p50_us"),
    ("P90_LATENCY", "latency_p90_us"),
    ("P99_LATENCY", "latency_p99_us"),
    ("MAX_LATENCY", "latency_max_us"),
    ("STDDEV_LATENCY", "latency_sd_us"),
    ("RT_LATENCY", "rtt_us"),
    ("TRANSACTION_RATE", "transactions_per_s"),
    ("LOCAL_TRANSPORT_RETRANS", "retransmitted_packets"),
];

/// The row of [`super::INPUTS`].
pub(super) struct Netperf;

impl Input for Netperf {
    fn name(&self) -> &'static str {
        "netperf"
    }

    fn about(&self) -> &'static str {
        "netperf's tables (TCP_STREAM, TCP_RR, omni), or its KEYWORD=value lines"
    }

    fn recognises(&self, text: &str) -> bool {
        text.lines().take(500).any(|line| is_banner(line) || line.trim_start().starts_with("THROUGHPUT="))
    }

    fn read(&self, text: &str, _reading: &Reading) -> Result<Vec<Sample>, InputError> {
        let mut samples = Samples::new();
        let mut state = Test::default();
        for line in text.lines() {
            if is_banner(line) {
                std::mem::take(&mut state).finish(&mut samples)?;
                state.requests = line.to_ascii_uppercase().contains("REQUEST/RESPONSE");
            } else {
                state.line(line, &mut samples)?;
            }
        }
        state.finish(&mut samples)?;
        Ok(samples.finish())
    }
}

/// `MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to ...`
fn is_banner(line: &str) -> bool {
    line.to_ascii_uppercase().contains(" TEST FROM ")
}

/// What is known of the test whose output is being read.
#[derive(Default)]
struct Test {
    requests: bool,
    /// Where the heading of the wanted column begins.
    heading: Option<usize>,
    /// Bits per second of the unit of `Throughput`, where a heading names it.
    unit: Option<f64>,
    table_done: bool,
    throughput: Option<f64>,
    keyword_unit: Option<Unit>,
}

/// The unit of a throughput.
#[derive(Clone, Copy)]
enum Unit {
    Bits(f64),
    Transactions,
}

impl Unit {
    fn of(text: &str) -> Option<Self> {
        if text.trim() == "Trans/s" {
            Some(Self::Transactions)
        } else {
            rate::rate(text.trim()).map(Self::Bits)
        }
    }
}

impl Test {
    fn line(&mut self, line: &str, samples: &mut Samples) -> Result<(), InputError> {
        if let Some(interim) = line.trim_start().strip_prefix("Interim result:") {
            let mut words = interim.split_whitespace();
            if let (Some(value), Some(unit)) =
                (words.next().and_then(super::number), words.next().and_then(Unit::of))
            {
                give(value, unit, Kind::Interval, samples)?;
            }
        } else if let Some((keyword, value)) = line.trim().split_once('=') {
            self.keyword(keyword, value, samples)?;
        } else if is_data(line) {
            self.row(line, samples)?;
        } else {
            self.headings(line);
        }
        Ok(())
    }

    /// A line of headings may tell the place of the column, its unit, or both.
    fn headings(&mut self, line: &str) {
        if let Some(unit) = line.split_whitespace().find_map(rate::rate) {
            self.unit = Some(unit);
        }
        // The first `Throughput` is the value; omni heads its unit with a second one.
        let found = if self.requests {
            place(line, "Trans.").or_else(|| place(line, "Tran/s")).or_else(|| place(line, "Throughput"))
        } else {
            place(line, "Throughput")
        };
        self.heading = self.heading.or(found);
    }

    fn row(&mut self, line: &str, samples: &mut Samples) -> Result<(), InputError> {
        let Some(heading) = self.heading.filter(|_| !self.table_done) else { return Ok(()) };
        // Of the words, the one that begins nearest to the heading; numbers may be wider than their column.
        let nearest = starts(line).min_by_key(|(start, _)| start.abs_diff(heading));
        let Some(value) = nearest.and_then(|(_, word)| super::number(word)) else { return Ok(()) };
        let unit = match line.split_whitespace().find_map(Unit::of) {
            Some(unit) => unit,
            None if self.requests => Unit::Transactions,
            None => Unit::Bits(self.unit.unwrap_or(1e6)),
        };
        // A second row repeats the first's sizes for the other end.
        self.table_done = true;
        give(value, unit, Kind::Run, samples)
    }

    fn keyword(&mut self, keyword: &str, value: &str, samples: &mut Samples) -> Result<(), InputError> {
        let keyword = keyword.trim();
        match (keyword, super::number(value.trim())) {
            ("THROUGHPUT", Some(value)) => self.throughput = Some(value),
            ("THROUGHPUT_UNITS", _) => self.keyword_unit = Unit::of(value),
            (_, Some(value)) => {
                if let Some((_, name)) = KEYWORDS.iter().find(|(known, _)| *known == keyword) {
                    samples.value(&Arc::from(*name), value, Kind::Run, &Arc::new(Labels::new()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self, samples: &mut Samples) -> Result<(), InputError> {
        let Some(value) = self.throughput else { return Ok(()) };
        let assumed = if self.requests { Unit::Transactions } else { Unit::Bits(1e6) };
        give(value, self.keyword_unit.unwrap_or(assumed), Kind::Run, samples)
    }
}

fn give(value: f64, unit: Unit, kind: Kind, samples: &mut Samples) -> Result<(), InputError> {
    let (metric, value) = match unit {
        Unit::Bits(bits) => ("goodput_bps", value * bits),
        Unit::Transactions => ("transactions_per_s", value),
    };
    samples.value(&Arc::from(metric), value, kind, &Arc::new(Labels::new()))
}

/// Whether a line is a row of figures: it begins with a number and has three or more, or is a single one below a heading.
fn is_data(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|first| super::number(first).is_some())
}

/// Where a whole word begins.
fn place(line: &str, wanted: &str) -> Option<usize> {
    starts(line).find(|(_, word)| *word == wanted).map(|(start, _)| start)
}

/// The words of a line and where they begin, in bytes.
fn starts(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    line.split_whitespace().filter_map(move |word| {
        let start = from + line.get(from..)?.find(word)?;
        from = start + word.len();
        Some((start, word))
    })
}
