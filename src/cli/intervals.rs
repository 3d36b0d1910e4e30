//! `intervals`: the table that iperf3 prints each second, from the wire.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::analysed::analyse_trace;
use super::analysis_args::{InputArgs, SelectionArgs};
use super::args;
use super::console::{self, Console};
use super::exit::{self, Outcome};
use super::quantity;
use crate::driver::Options;
use crate::human;
use crate::report::{ConnectionReport, Dir, IntervalRow, ReportSink, SeriesRow};
use crate::units::Span;

/// The arguments of `intervals`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct IntervalsArgs {
    /// Capture to read, `-` for standard input; several are one trace
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    /// The connection, by its number; by default all of them
    ///
    /// Without it each line is the sum over all connections in that direction.
    #[arg(long, value_name = "N", help_heading = "Selection")]
    connection: Option<u64>,

    /// Length of the intervals
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = quantity::positive_span, help_heading = "Analysis")]
    interval: Span,
}

const EXAMPLES: &str = "\
Examples:
  What iperf3 would have printed for connection 1:
    tcptrace-rs intervals --connection 1 iperf.pcap
  The sum of all connections to a server, every ten seconds:
    tcptrace-rs intervals --filter 'dst port 443' --interval 10s capture.pcapng";

/// Intervals that a sum holds; what comes later is left out, and said so.
const MOST: usize = 1_000_000;

/// One line: an interval of one connection or the sum of those that overlap it most.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    bytes: u64,
    resent: u64,
    window: Option<u64>,
    rtt_us: f64,
    samples: u32,
    /// Length of the last interval where it is cut short, ns.
    length: i64,
}

/// The sums of each direction by number of the interval.
struct Collector {
    interval: i64,
    begin: Option<i64>,
    sums: BTreeMap<(u8, i64), Sum>,
    left_out: bool,
    seen: bool,
}

impl Collector {
    fn add(&mut self, row: &IntervalRow) {
        // The first interval that ends is one of the first that began.
        let begin = *self.begin.get_or_insert(row.start_ns);
        let number = (row.start_ns - begin + self.interval / 2).div_euclid(self.interval);
        if self.sums.len() >= MOST {
            self.left_out = true;
            return;
        }
        let sum = self.sums.entry((u8::from(row.dir == Dir::S2c), number)).or_default();
        sum.bytes += row.bytes;
        sum.resent += row.retransmitted_packets;
        if row.bytes > 0 {
            sum.window = row.cwnd_bytes.map(|window| window + sum.window.unwrap_or(0)).or(sum.window);
            if let Some(rtt) = row.rtt_us {
                sum.rtt_us += rtt;
                sum.samples += 1;
            }
        }
        sum.length = sum.length.max(row.end_ns - row.start_ns);
    }
}

impl ReportSink for Collector {
    fn connection(&mut self, _: ConnectionReport) {
        self.seen = true;
    }

    fn wants_series(&self) -> bool {
        true
    }

    fn series(&mut self, row: &SeriesRow) {
        if let SeriesRow::Interval(row) = row {
            self.add(row);
        }
    }
}

/// Sums up and prints.
pub(super) fn run(args: &IntervalsArgs, console: Console) -> anyhow::Result<Outcome> {
    let options = args.selection.of(Options {
        connection: args.connection,
        interval: args.interval,
        hash_seed: args::hash_seed(),
        ..Options::default()
    });
    let mut collector = Collector {
        interval: args.interval.as_nanos().max(1),
        begin: None,
        sums: BTreeMap::new(),
        left_out: false,
        seen: false,
    };
    let (capture, errors) =
        analyse_trace(&args.captures, &args.input.open(), &options, &mut collector, console)?;
    if let Some(number) = args.connection.filter(|_| !collector.seen) {
        bail!(exit::no_connection(number, capture.connections));
    }
    let (mut out, _) = console::stdout();
    print(&mut out, &collector, args.connection).and_then(|()| out.flush()).context("standard output")?;
    if collector.left_out {
        console.warning(&format!("more than {MOST} intervals: the later ones are left out"));
    }
    Ok(exit::tell_input(&errors, args.input.allow_truncated, "summed up", console))
}

fn print(out: &mut dyn Write, collector: &Collector, connection: Option<u64>) -> io::Result<()> {
    let name = connection.map_or_else(|| "SUM".to_owned(), |number| format!("#{number}"));
    for (place, dir) in [(0, "c2s"), (1, "s2c")] {
        let sums = collector.sums.range((place, i64::MIN)..=(place, i64::MAX));
        let sums: Vec<_> = sums.map(|((_, number), sum)| (*number, sum)).collect();
        if sums.iter().all(|(_, sum)| sum.bytes == 0) {
            continue;
        }
        writeln!(
            out,
            "[{name} {dir}]  {:<19} {:>10}  {:>13}  {:>6}  {:>9}  {:>9}",
            "Interval", "Transfer", "Bitrate", "Retr", "Cwnd", "RTT"
        )?;
        let seconds = |nanos: i64| nanos as f64 / 1e9;
        for (number, sum) in sums {
            let start = seconds(number.saturating_mul(collector.interval));
            let length = seconds(sum.length.min(collector.interval));
            let bits = if length > 0.0 { sum.bytes as f64 * 8.0 / length } else { 0.0 };
            let window = sum.window.map_or_else(|| "-".to_owned(), human::bytes);
            let rtt = if sum.samples > 0 {
                human::span_us(sum.rtt_us / f64::from(sum.samples))
            } else {
                "-".to_owned()
            };
            writeln!(
                out,
                "[{name} {dir}]  {:<19} {:>10}  {:>13}  {:>6}  {:>9}  {:>9}",
                format!("{start:.2}-{:.2} s", start + length),
                human::bytes(sum.bytes),
                human::rate(bits),
                human::count(sum.resent),
                window,
                rtt
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_add_up_by_interval() {
        let mut collector =
            Collector { interval: 1_000, begin: None, sums: BTreeMap::new(), left_out: false, seen: true };
        let row = |connection, start_ns, bytes| IntervalRow {
            connection,
            dir: Dir::C2s,
            start_ns,
            end_ns: start_ns + 1_000,
            bytes,
            throughput_bps: 0.0,
            retransmitted_packets: 1,
            rtt_us: Some(20_000.0),
            cwnd_bytes: Some(10),
        };
        for row in [row(0, 500, 100), row(1, 700, 200), row(0, 1_500, 50)] {
            collector.add(&row);
        }
        let sums: Vec<_> = collector.sums.values().map(|sum| (sum.bytes, sum.resent, sum.window)).collect();
        assert_eq!(sums, [(300, 2, Some(20)), (50, 1, Some(10))]);
    }
}
