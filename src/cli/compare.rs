//! `compare`: reads both sides, compares them, prints the result.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use super::Outcome;
use crate::compare::confidence::Confidence;
use crate::compare::engine::{self, Compares, Correction, Plan, Values};
use crate::compare::gate::Gate;
use crate::compare::group::{By, Selection};
use crate::compare::input::{self, INPUTS, Reading};
use crate::compare::metric::Metric;
use crate::compare::sample::Sample;
use crate::compare::test::{self, TESTS};
use crate::compare::text::{self, Look};
use crate::report::SCHEMA;
use crate::report::comparison::Comparisons;

/// The largest input that is read.
const MAX_INPUT: u64 = 64 << 20;

/// Reads a capture into samples; what the caller passes where it can analyse captures.
pub type CaptureReader<'a> = &'a dyn Fn(&Path) -> anyhow::Result<Vec<Sample>>;

/// The arguments of `compare`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct CompareArgs {
    /// Measurements before the change: report.json, iperf3, netperf, CSV, columns of numbers, summary lines
    ///
    /// `-` is standard input. `FILE:COLUMN=VALUE[,COLUMN=VALUE]` takes only the rows of FILE that say so, so that one file can
    /// hold both sides.
    #[arg(value_name = "BEFORE", required = true, help_heading = "Input")]
    pub before: Vec<String>,

    /// Measurements after the change
    #[arg(long, value_name = "AFTER", required = true, num_args = 1.., help_heading = "Input")]
    pub vs: Vec<String>,

    /// Read every input as this format instead of recognising it
    #[arg(long, value_name = "FORMAT", value_parser = input_names(), help_heading = "Input")]
    pub input: Option<String>,

    /// The column of bare numbers to take, from 1
    #[arg(short = 'C', long, value_name = "N", default_value_t = 1, value_parser = column, help_heading = "Input")]
    pub column: usize,

    /// What separates columns of bare numbers [default: space and tab]
    #[arg(short = 'd', long, value_name = "CHARACTERS", help_heading = "Input")]
    pub delimiter: Option<String>,

    /// What to compare: names, NAME=PATTERN for columns that hold one metric, or all [default: `goodput_bps`, or the only one]
    #[arg(long, value_name = "METRIC", value_delimiter = ',', help_heading = "Selection")]
    pub metric: Vec<Metric>,

    /// Compare within groups: cc, connection, file, dir or column:NAME
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Selection")]
    pub by: Vec<By>,

    /// Which direction of a connection of a report
    #[arg(long, value_enum, default_value_t, help_heading = "Selection")]
    pub dir: Direction,

    /// What one value is, where an input has runs and their intervals
    #[arg(long, value_enum, default_value_t, help_heading = "Selection")]
    pub values: ValuesArg,

    /// The test
    #[arg(long, value_name = "TEST", default_value = "student", value_parser = test_names(), help_heading = "Statistics")]
    pub test: String,

    /// The level of confidence in percent
    #[arg(short = 'c', long, value_name = "PERCENT", default_value = "95", value_parser = confidence, help_heading = "Statistics")]
    pub confidence: Confidence,

    /// Over which tests to correct for their number (Holm)
    #[arg(long, value_enum, default_value_t, help_heading = "Statistics")]
    pub correction: CorrectionArg,

    /// Exit with 1 where this change is proven, such as `goodput_bps<-5%`
    #[arg(long, value_name = "CHANGE", help_heading = "Statistics")]
    pub fail_on: Vec<Gate>,

    /// How to print
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub format: Format,

    /// Whether to draw the values [auto: where there is a single comparison]
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub plot: PlotArg,

    /// Characters between the borders of a drawing
    #[arg(short = 'w', long, value_name = "CHARACTERS", default_value_t = 74, help_heading = "Output")]
    pub width: usize,
}

const EXAMPLES: &str = "\
Examples:
  Two iperf3 runs, interval by interval:
    tcptrace-rs compare before.txt --vs after.txt
  A cell of a table against another, for each queueing discipline:
    tcptrace-rs compare bql.csv:bql=no --vs bql.csv:bql=yes --metric 'tps=run*' --by column:qdisc
  In CI, fail where a loss of 5 % is proven:
    tcptrace-rs compare main/*.json --vs branch/*.json --fail-on 'goodput_bps<-5%'
  As ministat, the third column, at 99 %:
    tcptrace-rs compare -C 3 -c 99 old --vs new";

/// Which direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// The one that carries more data
    #[default]
    Main,
    /// From the client
    C2s,
    /// From the server
    S2c,
    /// Both, each as a value of its own
    Both,
}

/// What one value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ValuesArg {
    /// Runs where both sides have 3 or more, else intervals
    #[default]
    Auto,
    /// Whole runs
    Runs,
    /// Intervals of runs
    Intervals,
}

/// Over which tests to correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CorrectionArg {
    /// Over the metrics of a group
    #[default]
    Metrics,
    /// Over all tests
    All,
    /// Not at all
    None,
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Whether to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlotArg {
    /// Where there is a single comparison
    #[default]
    Auto,
    /// Every comparison
    Always,
    /// Never
    Never,
}

/// Compares, prints to `out`, and says on `err` what should be known besides.
///
/// # Errors
///
/// Inputs that cannot be read, nothing to compare, or `out` failing.
pub fn run(
    args: &CompareArgs,
    captures: Option<CaptureReader<'_>>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let sides = [&args.before, &args.vs].map(|side| side.iter().map(|name| Source::parse(name)).collect());
    let [before, after]: [anyhow::Result<Vec<Source>>; 2] = sides;
    let (before, after) = (before?, after?);
    let plan = plan(args, before.iter().chain(&after))?;
    let read = |sources: &[Source]| -> anyhow::Result<Vec<Sample>> {
        let mut all = Vec::new();
        for source in sources {
            all.extend(source.samples(args, captures)?);
        }
        Ok(all)
    };
    let (before, after) = (read(&before)?, read(&after)?);
    let compares = engine::compare(&before, &after, &plan)?;
    if compares.list.is_empty() {
        bail!("no values of the kind asked for on both sides (--values)");
    }
    match args.format {
        Format::Text => print_text(args, &compares, &plan, out, err)?,
        Format::Json => print_json(args, &compares, &plan, out)?,
    }
    let breached: Vec<_> = args
        .fail_on
        .iter()
        .flat_map(|gate| compares.list.iter().map(move |compared| (gate, compared)))
        .filter(|(gate, compared)| gate.breached(&compared.comparison))
        .collect();
    for (gate, compared) in &breached {
        let group: String =
            compared.comparison.group.iter().flat_map(|(name, value)| [" ", name, "=", value]).collect();
        let percent = compared.comparison.percent.unwrap_or(f64::NAN);
        writeln!(err, "breach: {gate}{group}: {percent:+.2}%, proven at {}", plan.confidence)?;
    }
    Ok(if breached.is_empty() { Outcome::Done } else { Outcome::Breach })
}

/// A file and which of its rows count.
struct Source {
    file: String,
    selection: Option<Selection>,
}

impl Source {
    /// What follows the last `:` is a selection where it holds a `=` and no file has the whole name.
    fn parse(name: &str) -> anyhow::Result<Self> {
        if let Some((file, selection)) =
            name.rsplit_once(':').filter(|(_, selection)| selection.contains('='))
            && !Path::new(name).exists()
        {
            return Ok(Self { file: file.into(), selection: Some(selection.parse()?) });
        }
        Ok(Self { file: name.into(), selection: None })
    }

    /// All values of the file that are selected.
    fn samples(
        &self,
        args: &CompareArgs,
        captures: Option<CaptureReader<'_>>,
    ) -> anyhow::Result<Vec<Sample>> {
        let bytes = self.bytes().with_context(|| self.file.clone())?;
        let format = args.input.as_deref().and_then(input::find);
        let read = match std::str::from_utf8(&bytes) {
            Ok(text) if !looks_binary(text) => {
                let reading = Reading {
                    column: args.column,
                    delimiters: args.delimiter.clone().unwrap_or_else(|| Reading::default().delimiters),
                };
                input::read(text, format, &reading).map_err(anyhow::Error::from)
            }
            _ => match captures {
                Some(read) => read(Path::new(&self.file)),
                None => Err(anyhow::anyhow!(
                    "not text: a capture is analysed first, tcptrace-rs analyze CAPTURE --format json > report.json"
                )),
            },
        };
        let mut samples = read.with_context(|| self.file.clone())?;
        let name: Arc<str> = Arc::from(self.file.as_str());
        let source = match &self.selection {
            Some(selection) => Arc::from(format!("{name}:{selection}")),
            None => Arc::clone(&name),
        };
        for sample in &mut samples {
            sample.file = Arc::clone(&name);
            sample.source = Arc::clone(&source);
        }
        let dir = |sample: &Sample| match (args.dir, sample.label("dir")) {
            (Direction::Main, Some(_)) => sample.label("main") != Some("false"),
            (Direction::C2s, Some(dir)) => dir == "c2s",
            (Direction::S2c, Some(dir)) => dir == "s2c",
            (Direction::Both, _) | (_, None) => true,
        };
        samples.retain(|sample| {
            dir(sample) && self.selection.as_ref().is_none_or(|selection| selection.takes(sample))
        });
        if let (true, Some(selection)) = (samples.is_empty(), &self.selection) {
            bail!("{}: no row says {selection}", self.file);
        }
        Ok(samples)
    }

    fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = match self.file.as_str() {
            "-" => std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?,
            file => File::open(file)?.take(MAX_INPUT + 1).read_to_end(&mut bytes)?,
        };
        if read as u64 > MAX_INPUT {
            // A capture may well be larger: its first bytes tell.
            if std::str::from_utf8(bytes.get(..4096).unwrap_or(&bytes)).is_ok_and(|text| !looks_binary(text))
            {
                bail!("larger than {} MiB", MAX_INPUT >> 20);
            }
            bytes.truncate(4096);
        }
        Ok(bytes)
    }
}

/// Whether a text holds what no text does.
fn looks_binary(text: &str) -> bool {
    text.bytes().take(4096).any(|byte| byte == 0)
}

/// The plan that the arguments tell.
fn plan<'a>(args: &CompareArgs, sources: impl Iterator<Item = &'a Source>) -> anyhow::Result<Plan> {
    let mut metrics = args.metric.clone();
    for gate in &args.fail_on {
        let tested = metrics
            .iter()
            .any(|metric| metric.name_of(gate.metric()).is_some_and(|name| name == gate.metric()));
        let pooled = metrics
            .iter()
            .any(|metric| matches!(metric, Metric::Pooled { name, .. } if name == gate.metric()));
        if !tested && !pooled {
            metrics.push(Metric::Named(gate.metric().into()));
        }
    }
    let selected = sources.filter_map(|source| source.selection.as_ref()).flat_map(Selection::columns);
    let not_metrics: BTreeSet<String> =
        selected.map(str::to_owned).chain(args.by.iter().map(|by| by.name().to_owned())).collect();
    Ok(Plan {
        metrics,
        by: args.by.clone(),
        not_metrics,
        test: test::find(&args.test).with_context(|| format!("no test {:?}", args.test))?,
        confidence: args.confidence,
        values: match args.values {
            ValuesArg::Auto => Values::Auto,
            ValuesArg::Runs => Values::Runs,
            ValuesArg::Intervals => Values::Intervals,
        },
        correction: match args.correction {
            CorrectionArg::Metrics => Correction::Metrics,
            CorrectionArg::All => Correction::All,
            CorrectionArg::None => Correction::None,
        },
    })
}

fn print_text(
    args: &CompareArgs,
    compares: &Compares,
    plan: &Plan,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<()> {
    let drawn = match args.plot {
        PlotArg::Auto => compares.list.len() == 1,
        PlotArg::Always => true,
        PlotArg::Never => false,
    };
    let mut printed = String::new();
    text::write(&mut printed, compares, plan, Look { plot_width: drawn.then_some(args.width) })?;
    out.write_all(printed.as_bytes())?;
    if let Some(note) = text::ministat_note(plan.confidence).filter(|_| plan.test.pools()) {
        writeln!(err, "note: {note}")?;
    }
    Ok(())
}

/// One object where one metric of all values was asked for, else one document with all; by the arguments alone, so that a
/// script knows which.
fn print_json(
    args: &CompareArgs,
    compares: &Compares,
    plan: &Plan,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let single = plan.metrics.len() < 2 && plan.by.is_empty() && !plan.metrics.contains(&Metric::All);
    match compares.list.as_slice() {
        [only] if single => serde_json::to_writer_pretty(&mut *out, &only.comparison)?,
        list => {
            let document = Comparisons {
                schema: SCHEMA,
                correction: match args.correction {
                    CorrectionArg::Metrics => "metrics",
                    CorrectionArg::All => "all",
                    CorrectionArg::None => "none",
                },
                proven: list.iter().filter(|compared| compared.comparison.proven).count(),
                comparisons: list.iter().map(|compared| &compared.comparison).collect(),
            };
            serde_json::to_writer_pretty(&mut *out, &document)?;
        }
    }
    Ok(writeln!(out)?)
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse().ok();
    percent
        .and_then(Confidence::from_percent)
        .ok_or_else(|| "expected percent, more than 0 and less than 100".into())
}

fn column(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|column| *column > 0).ok_or_else(|| "expected a number from 1".into())
}

fn test_names() -> PossibleValuesParser {
    TESTS.iter().map(|test| PossibleValue::new(test.name()).help(test.about())).collect::<Vec<_>>().into()
}

fn input_names() -> PossibleValuesParser {
    INPUTS.iter().map(|input| PossibleValue::new(input.name()).help(input.about())).collect::<Vec<_>>().into()
}
