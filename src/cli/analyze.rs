//! `analyze`: a report on each connection of a capture.

use std::io::BufWriter;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::analysis_args::{self, AnalysisArgs, InputArgs, SelectionArgs};
use super::args::{self, Threads};
use super::console::{self, Console};
use super::exit::{self, Outcome};
use super::plots::{self, Plots, PlotsAs, WithPlots};
use super::prediction_args::PredictionArgs;
use super::progress::Bar;
use super::{interrupt, quantity};
use crate::capture::{OpenOptions, open_many};
use crate::driver::{self, Options, Progress};
use crate::error::CaptureError;
use crate::output::html::HtmlReport;
use crate::output::sink::{DirSink, Sink, Spared};
#[cfg(feature = "tables")]
use crate::output::tables::{TableFormat, TableWriter};
use crate::output::{RENDERERS, Renderer, ReportWriter, Settings, Sort, renderer};
use crate::report::{CaptureReport, ConnectionReport, PeriodRow, ReportSink, RetransmissionRow, SeriesRow};
use crate::units::Span;

/// The arguments of `analyze`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct AnalyzeArgs {
    /// Capture to read, `-` for standard input; several are one trace
    ///
    /// pcap, pcapng, snoop and ERF, plain or compressed, are told apart by their first bytes. Frames of several files are
    /// put in order of time.
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    /// Only this connection, by its number in the report
    #[arg(long, value_name = "N", help_heading = "Selection")]
    connection: Option<u64>,

    /// Connections shown in detail, or `all`
    ///
    /// The text counts the others in a line; the other formats hold all of them.
    #[arg(long, value_name = "N", default_value = "20", value_parser = top, help_heading = "Selection")]
    top: Top,

    /// Order in the text: bytes or start
    ///
    /// bytes: those with most payload, each byte counted once. start: in order of the first packet.
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "bytes",
        hide_possible_values = true,
        help_heading = "Selection"
    )]
    sort: SortBy,

    #[command(flatten)]
    analysis: AnalysisArgs,

    #[command(flatten)]
    prediction: PredictionArgs,

    #[command(flatten)]
    threads: Threads,

    /// Summarise each period of this length
    ///
    /// Of the capture's own time, such as 10s: a line each in the text, a record in jsonl. For pipes that do not end; Ctrl-C
    /// gives the report of what was read.
    #[arg(long, value_name = "TIME", value_parser = quantity::positive_span, help_heading = "Output")]
    report_every: Option<Span>,

    /// Print as text, json or jsonl [default: text]
    ///
    /// text is for people. json is one document, in order of the connections unless they are more than 16,384. jsonl is one object a
    /// line, each connection as it ends and the capture last, and memory stays bounded.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), hide_possible_values = true, help_heading = "Output")]
    format: Option<Format>,

    /// Write report.json, report.html, tables, plots there
    ///
    /// The directory is created if need be, before anything is read. Nothing is printed then, unless --format asks for it.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Tables as parquet or csv [default: parquet]
    ///
    /// They are DIR/tables/connections.parquet and so on, one row for each connection, direction, retransmission, ...;
    /// docs/schema.md describes each column. They are written while the capture is read, in bounded memory.
    #[arg(
        long,
        value_name = "FORMAT",
        hide_possible_values = true,
        requires = "out",
        help_heading = "Output"
    )]
    tables: Option<TablesAs>,

    /// Plots as svg, png, xplot or none [default: svg]
    ///
    /// Several formats are separated by commas. DIR/plots/c0-c2s-rtt.svg and so on, of the --top largest connections (at most 100),
    /// and of the capture; docs/plots.md shows each.
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = plots::parser(), hide_possible_values = true, requires = "out", help_heading = "Output")]
    plots: Vec<PlotsAs>,

    /// Write no report.html
    ///
    /// DIR/report.html is one page with everything in it, for any browser and without a network: connections to sort and filter, and for
    /// each its plots to zoom into.
    #[arg(long, requires = "out", help_heading = "Output")]
    no_html: bool,

    /// All rows in the text, also those that are zero
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  The five largest connections to a web server:
    tcptrace-rs analyze --filter 'port 80 or 443' --top 5 capture.pcapng.gz
  Every connection of a ring of files, a line of JSON each:
    tcptrace-rs analyze --format jsonl ring_*.pcap | jq 'select(.type == \"connection\") | .c2s.goodput_bps'
  Straight from the network, for a minute:
    timeout 60 tcpdump -i eth0 -s 128 -w - tcp | tcptrace-rs analyze --allow-truncated -";

/// How many connections are shown.
#[derive(Clone, Copy, Debug)]
struct Top(Option<usize>);

/// Order of connections.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SortBy {
    /// Most payload bytes first
    Bytes,
    /// In order of the first packet
    Start,
}

/// What the tables are written as; also in a build that writes none, whose help is the same.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TablesAs {
    /// Apache Parquet
    Parquet,
    /// Comma-separated values
    Csv,
}

/// A row of [`RENDERERS`].
#[derive(Clone, Copy)]
struct Format(&'static dyn Renderer);

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

/// Analyses and reports.
pub(super) fn run(args: &AnalyzeArgs, console: Console) -> anyhow::Result<Outcome> {
    let settings = args.settings(console);
    let options = args.options()?;
    let out_dir = args.out.as_deref().map(DirSink::new).transpose().context("--out")?;
    let mut out_dir = out_dir.map(|dir| dir.sparing(Spared::reading(&args.captures)));
    let (stdout, reader_left) = console::stdout();
    let printed = match (&args.format, &out_dir) {
        (Some(format), _) => Some(format.0),
        (None, None) => RENDERERS.first().copied(),
        (None, Some(_)) => None,
    };
    let mut report = Writers(Vec::new());
    let plots = match &out_dir {
        Some(_) => Plots::new(&args.plots, args.top.0, args.connection, !args.no_html)?,
        None => None,
    };
    let mut page = None;
    if let Some(dir) = &mut out_dir {
        if !args.no_html {
            page = Some((HtmlReport::default(), dir.create("report.html").context("--out")?));
        }
        let json = renderer("json").context("this build writes no JSON")?;
        let file = BufWriter::new(dir.create("report.json").context("--out")?);
        report.0.push(("report.json".to_owned(), json.start(Box::new(file), &settings)));
        report.0.extend(args.tables(dir)?.map(|tables| ("--out".to_owned(), tables)));
    }
    if let Some(format) = printed {
        report.0.push(("standard output".to_owned(), format.start(stdout, &settings)));
    }

    args::stdin_once(&args.captures)?;
    let stop = interrupt::install(console)?;
    let open = OpenOptions { ahead: args.threads.count() > 1, stop: Some(stop.clone()), ..args.input.open() };
    let mut source = match open_many(&args.captures, &open) {
        Ok(source) => source,
        Err(error) => {
            if printed.is_some_and(Renderer::is_for_programs) {
                let text = Some(error.to_string());
                report.finish(&CaptureReport {
                    path: args.name(),
                    read_error: text,
                    ..CaptureReport::default()
                })?;
            }
            // Its text names the file and the cause already.
            let folder = args.captures.iter().any(|path| path.is_dir());
            let advice =
                if folder { ": `tcptrace-rs batch` analyses the captures of a directory" } else { "" };
            bail!("{error}{advice}");
        }
    };
    let bar = Bar::new(console, source.total_bytes());
    let progress = &mut |state: Progress| {
        bar.show(&state);
        !reader_left.get() && !stop.is_asked()
    };
    let sink = &mut WithPlots {
        report: &mut report,
        plots: plots.as_ref(),
        html: page.as_mut().map(|(html, _)| html),
    };
    let (mut capture, error) = match &plots {
        Some(plots) => driver::analyze_seeing(&mut source, &options, sink, progress, &mut |seen| {
            plots.seen(seen);
        }),
        None => driver::analyze_into(&mut source, &options, sink, progress),
    };
    drop(bar);
    let mut errors: Vec<CaptureError> = error.into_iter().chain(source.take_errors()).collect();
    if stop.is_asked() {
        // Where it was stopped it need not end with a whole record.
        if errors.iter().any(CaptureError::is_truncation) {
            (capture.truncated, capture.read_error) = (false, None);
        }
        errors.retain(|error| !error.is_truncation());
    }
    name_files(&mut capture, source.paths(), &errors);
    report.finish(&capture)?;
    if let Some(mut dir) = out_dir {
        if let Some(plots) = &plots {
            plots.write(&mut dir, console)?;
            if let Some((html, file)) = page {
                plots.page(&html, &capture, file)?;
            }
        }
        dir.commit().context("--out")?;
    }
    let outcome = exit::tell_input(&errors, args.input.allow_truncated, "reported", console);
    if let Some(number) = args.connection.filter(|number| *number >= capture.connections) {
        bail!(exit::no_connection(number, capture.connections));
    }
    Ok(outcome)
}

impl AnalyzeArgs {
    /// What writes the tables.
    #[cfg(feature = "tables")]
    fn tables(&self, sink: &mut dyn Sink) -> anyhow::Result<Option<Box<dyn ReportWriter>>> {
        let format = match self.tables {
            None | Some(TablesAs::Parquet) => TableFormat::Parquet,
            Some(TablesAs::Csv) => TableFormat::Csv,
        };
        Ok(Some(Box::new(TableWriter::with_sink(sink, format).context("--out")?)))
    }

    /// Nothing writes tables in this build.
    #[cfg(not(feature = "tables"))]
    fn tables(&self, _: &mut dyn Sink) -> anyhow::Result<Option<Box<dyn ReportWriter>>> {
        anyhow::ensure!(self.tables.is_none(), "--tables: this build writes none (feature `tables`)");
        Ok(None)
    }

    fn options(&self) -> anyhow::Result<Options> {
        let threads = self.threads.count();
        let options = analysis_args::options(
            self.connection,
            threads,
            &self.selection,
            &self.analysis,
            &self.prediction,
        )?;
        Ok(Options { report_every: self.report_every, ..options })
    }

    fn settings(&self, console: Console) -> Settings {
        Settings {
            top: self.top.0,
            sort: match self.sort {
                SortBy::Bytes => Sort::Bytes,
                SortBy::Start => Sort::Start,
            },
            verbose: self.verbose,
            warnings: console.shows_warnings(),
            palette: console::palette(),
        }
    }

    /// The first capture as it was named.
    fn name(&self) -> String {
        self.captures.first().map(|path| path.display().to_string()).unwrap_or_default()
    }
}

/// Adds to the report what only the opener of the files knows.
fn name_files(capture: &mut CaptureReport, paths: &[PathBuf], errors: &[CaptureError]) {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    capture.path = names.first().cloned().unwrap_or_default();
    if names.len() > 1 {
        capture.files = names;
    }
    capture.truncated = errors.iter().any(CaptureError::is_truncation);
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    capture.read_error = (!texts.is_empty()).then(|| texts.join("; "));
}

/// The report in every form that was asked for, each with the name of where it goes.
struct Writers<'a>(Vec<(String, Box<dyn ReportWriter + 'a>)>);

impl Writers<'_> {
    fn finish(self, capture: &CaptureReport) -> anyhow::Result<()> {
        for (name, writer) in self.0 {
            writer.finish(capture).context(name)?;
        }
        Ok(())
    }
}

impl ReportSink for Writers<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        if let Some(((_, last), others)) = self.0.split_last_mut() {
            for (_, writer) in others {
                writer.connection(connection.clone());
            }
            last.connection(connection);
        }
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        for (_, writer) in &mut self.0 {
            writer.retransmission(row);
        }
    }

    fn wants_series(&self) -> bool {
        self.0.iter().any(|(_, writer)| writer.wants_series())
    }

    fn series(&mut self, row: &SeriesRow) {
        for (_, writer) in &mut self.0 {
            writer.series(row);
        }
    }

    fn period(&mut self, row: &PeriodRow) {
        for (_, writer) in &mut self.0 {
            writer.period(row);
        }
    }
}

fn top(text: &str) -> Result<Top, String> {
    match text {
        "all" => Ok(Top(None)),
        number => number.parse().map(|number| Top(Some(number))).map_err(|_| "a number or `all`".to_owned()),
    }
}

/// The names of [`RENDERERS`], with their help.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    let names = RENDERERS.iter().map(|row| PossibleValue::new(row.name()).help(row.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| renderer(&name).map(Format).ok_or_else(|| format!("`{name}` is no format")))
}
