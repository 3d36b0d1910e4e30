//! `join`: two captures of the same traffic, and what became of every packet between them.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::analysis_args::{BoundArgs, InputArgs};
use super::args;
use super::console::{self, Console};
use super::exit::{self, Outcome};
use super::interrupt;
use super::progress::Bar;
use crate::capture::{Files, OpenOptions, open_many};
use crate::driver::Options;
use crate::filter::Filter;
use crate::join::{self, JoinOptions};
use crate::output::escape_json;
use crate::output::sink::{DirSink, Sink, Spared};
#[cfg(feature = "tables")]
use crate::output::tables::{TableFormat, TableWriter};
use crate::report::join::JoinReport;
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow, SeriesRow};

/// The arguments of `join`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct JoinArgs {
    /// Capture taken near the sender of the data
    #[arg(value_name = "SENDER")]
    sender: PathBuf,

    /// Capture of the same time taken near the receiver
    ///
    /// Its clock need not agree: offset and drift are found from the traffic.
    #[arg(value_name = "RECEIVER")]
    receiver: PathBuf,

    #[command(flatten)]
    input: InputArgs,

    /// Only packets that match, such as 'port 80 or 443'
    ///
    /// In the words of `analyze --filter`; of both captures.
    #[arg(long, value_name = "EXPR", value_parser = Filter::parse, help_heading = "Selection")]
    filter: Option<Filter>,

    /// Connections shown in detail
    ///
    /// The text shows those with most payload; json holds all.
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Selection")]
    top: usize,

    /// Disregard VLANs and tunnels around a connection
    ///
    /// They may differ between the captures in any case; this is for packets of one connection that are in several of them.
    #[arg(long, help_heading = "Analysis")]
    ignore_encap: bool,

    #[command(flatten)]
    bound: BoundArgs,

    /// Both captures were stamped by one clock
    ///
    /// Or by clocks that agree, as PTP makes them: the delays of both directions then need not be alike. Without it they are
    /// taken to be equal at their least, which no two captures can tell.
    #[arg(long, help_heading = "Analysis")]
    same_clock: bool,

    /// Print as text or json
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true, help_heading = "Output")]
    format: Option<Format>,

    /// Write join.json and tables into this directory
    ///
    /// The tables are those of `analyze`, of the sender's capture, with what both captures tell in place of what one alone can:
    /// the evidence of each retransmission is two-taps. Nothing is printed then, unless --format asks for it.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Write the tables as parquet or csv [default: parquet]
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        hide_possible_values = true,
        requires = "out",
        help_heading = "Output"
    )]
    tables: Option<TablesAs>,
}

const EXAMPLES: &str = "\
Examples:
  What was lost between two hosts, and which retransmissions were needed?
    tcptrace-rs join sender.pcapng receiver.pcapng
  One-way delays of a path whose ends are synchronised by PTP:
    tcptrace-rs join --same-clock --format json a.pcap b.pcap | jq '.connections[].c2s.delay'";

/// What is printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// What the tables are written as; also in a build that writes none, whose help is the same.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TablesAs {
    /// Apache Parquet
    Parquet,
    /// Comma-separated values
    Csv,
}

/// Reads both and reports.
pub(super) fn run(args: &JoinArgs, console: Console) -> anyhow::Result<Outcome> {
    args::stdin_once([&args.sender, &args.receiver])?;
    let out_dir = args.out.as_deref().map(DirSink::new).transpose().context("--out")?;
    let mut out_dir = out_dir.map(|dir| dir.sparing(Spared::reading([&args.sender, &args.receiver])));
    let document = out_dir.as_mut().map(|dir| dir.create("join.json")).transpose().context("--out")?;
    let mut rows = match &mut out_dir {
        Some(dir) => args.rows(dir)?,
        None => Rows::default(),
    };
    let stop = interrupt::install(console)?;
    let open = |path: &Path| -> anyhow::Result<Files> {
        let options = OpenOptions { stop: Some(stop.clone()), ..args.input.open() };
        open_many(&[path], &options).map_err(|error| anyhow::Error::msg(error.to_string()))
    };
    let (mut sender, mut receiver) = (open(&args.sender)?, open(&args.receiver)?);
    let total = sender.total_bytes().zip(receiver.total_bytes()).map(|(one, other)| one + other);
    let bar = Bar::new(console, total);
    let options = JoinOptions {
        analysis: Options {
            filter: args.filter.clone(),
            ignore_encap: args.ignore_encap,
            max_connections: args.bound.max_connections,
            hash_seed: args::hash_seed(),
            ..Options::default()
        },
        same_clock: args.same_clock,
    };
    let found = join::join([&mut sender, &mut receiver], &options, &mut rows, &mut |state| {
        bar.show(&state);
        !stop.is_asked()
    });
    drop(bar);
    let mut errors: Vec<_> = found
        .errors
        .into_iter()
        .flatten()
        .chain(sender.take_errors())
        .chain(receiver.take_errors())
        .collect();
    if stop.is_asked() {
        // Where it was stopped it need not end with a whole record.
        errors.retain(|error| !error.is_truncation());
    }
    let mut report = found.report;
    report.sender.path = args.sender.display().to_string();
    report.receiver.path = args.receiver.display().to_string();
    rows.finish()?;
    if let (Some(dir), Some(file)) = (&mut out_dir, document) {
        let mut file = BufWriter::new(file);
        json(&mut file, &report).context("--out")?;
        drop(file);
        dir.commit().context("--out")?;
    }
    if args.out.is_none() || args.format.is_some() {
        let (mut stdout, _) = console::stdout();
        match args.format {
            None | Some(Format::Text) => {
                join::text::write(&mut *stdout, &report, Some(args.top), &console::palette())
            }
            Some(Format::Json) => json(&mut *stdout, &report),
        }
        .context("standard output")?;
    }
    let outcome = exit::tell_input(&errors, args.input.allow_truncated, "reported", console);
    if report.connections.is_empty() && errors.is_empty() && !stop.is_asked() {
        bail!(
            "no packet of {} is in {}: other hosts, another time, or an address translation between them",
            args.sender.display(),
            args.receiver.display()
        );
    }
    Ok(outcome)
}

fn json(out: &mut dyn Write, report: &JoinReport) -> std::io::Result<()> {
    let text = serde_json::to_string(report).map_err(std::io::Error::other)?;
    writeln!(out, "{}", escape_json(text))?;
    out.flush()
}

impl JoinArgs {
    /// What writes the tables.
    #[cfg(feature = "tables")]
    fn rows(&self, sink: &mut dyn Sink) -> anyhow::Result<Rows> {
        let format = match self.tables {
            None | Some(TablesAs::Parquet) => TableFormat::Parquet,
            Some(TablesAs::Csv) => TableFormat::Csv,
        };
        Ok(Rows { tables: Some(TableWriter::with_sink(sink, format).context("--out")?) })
    }

    /// Nothing writes tables in this build.
    #[cfg(not(feature = "tables"))]
    fn rows(&self, _: &mut dyn Sink) -> anyhow::Result<Rows> {
        anyhow::ensure!(self.tables.is_none(), "--tables: this build writes none (feature `tables`)");
        Ok(Rows::default())
    }
}

/// Takes the rows of the tables, where some are wanted.
#[derive(Default)]
struct Rows {
    #[cfg(feature = "tables")]
    tables: Option<TableWriter>,
}

impl Rows {
    #[cfg_attr(
        not(feature = "tables"),
        expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "writing tables can fail")
    )]
    fn finish(self) -> anyhow::Result<()> {
        #[cfg(feature = "tables")]
        if let Some(tables) = self.tables {
            tables.finish().context("--out")?;
        }
        Ok(())
    }
}

impl ReportSink for Rows {
    fn connection(&mut self, connection: ConnectionReport) {
        #[cfg(feature = "tables")]
        if let Some(tables) = &mut self.tables {
            tables.connection(connection);
        }
        #[cfg(not(feature = "tables"))]
        drop(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        #[cfg(feature = "tables")]
        if let Some(tables) = &mut self.tables {
            tables.retransmission(row);
        }
        #[cfg(not(feature = "tables"))]
        let _ = row;
    }

    fn wants_series(&self) -> bool {
        #[cfg(feature = "tables")]
        return self.tables.is_some();
        #[cfg(not(feature = "tables"))]
        false
    }

    fn series(&mut self, row: &SeriesRow) {
        #[cfg(feature = "tables")]
        if let Some(tables) = &mut self.tables {
            tables.series(row);
        }
        #[cfg(not(feature = "tables"))]
        let _ = row;
    }
}
