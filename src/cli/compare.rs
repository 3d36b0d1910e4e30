//! `compare`: reads both sides, compares them, prints the result.

mod captures;
mod dataset;
mod source;

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use captures::Captures;
use source::Source;

use super::Outcome;
use super::args;
use super::console::{self, Console};
use super::picture::{self, Picture, PictureFile};
use crate::compare::confidence::Confidence;
use crate::compare::engine::{self, Compared, Compares, Correction, Plan, Values};
use crate::compare::gate::Gate;
use crate::compare::group::{By, Selection};
use crate::compare::input::INPUTS;
use crate::compare::metric::Metric;
use crate::compare::sample::Sample;
use crate::compare::test::{self, TESTS};
use crate::compare::text::{self, Look};
use crate::output::escape_json;
use crate::output::sink::Spared;
use crate::plot::{ComparedValues, Subject, figures};
use crate::report::SCHEMA;
use crate::report::comparison::Comparisons;

/// The arguments of `compare`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct CompareArgs {
    /// Measurements before the change, `-` for standard input
    ///
    /// Recognised by their content: captures, report.json, directories that analyze --out wrote (or trees of them), Parquet tables, what iperf3 (text or --json) and netperf print, CSV with column
    /// names, plain columns of numbers, and summary lines (n, mean, sd). `FILE:COLUMN=VALUE[,COLUMN=VALUE]` takes only the rows of FILE
    /// that say so, so that one file can hold both sides.
    #[arg(value_name = "BEFORE", required = true)]
    before: Vec<String>,

    /// Measurements after the change
    #[arg(long, value_name = "AFTER", required = true, num_args = 1.., help_heading = "Input")]
    vs: Vec<String>,

    /// Read every input in this format
    ///
    /// Without it each input is recognised by its content.
    #[arg(long, value_name = "FORMAT", value_parser = input_names(), hide_possible_values = true, help_heading = "Input")]
    input: Option<String>,

    /// Column of plain numbers, from 1
    #[arg(short = 'C', long, value_name = "N", default_value_t = 1, value_parser = column, help_heading = "Input")]
    column: usize,

    /// Exit with 0 even if a capture ends inside a record
    ///
    /// What could be read of it is compared in any case.
    #[arg(long, help_heading = "Input")]
    allow_truncated: bool,

    /// What separates plain columns
    ///
    /// Any of these characters does. The default is a space or a tab.
    #[arg(short = 'd', long, value_name = "CHARS", help_heading = "Input")]
    delimiter: Option<String>,

    /// What to compare, or all
    ///
    /// Names separated by commas; NAME=PATTERN pools all columns that match (`*` stands for any text) as values of one metric;
    /// all takes each that both sides have. The default is `goodput_bps`, or else the only metric that both sides have.
    #[arg(long, value_name = "METRIC", value_delimiter = ',', help_heading = "Selection")]
    metric: Vec<Metric>,

    /// Groups: cc, connection, file, dir, column:NAME
    ///
    /// Values before are compared with those after of the same group. Several, separated by commas, make finer groups.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Selection")]
    by: Vec<By>,

    /// Direction: main, c2s, s2c, both
    ///
    /// Of each connection of a report; main is the direction that carries more data.
    #[arg(
        long,
        value_name = "DIR",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Selection"
    )]
    dir: Direction,

    /// What a value is: auto, runs, intervals
    ///
    /// Where an input has runs and their intervals, auto takes whole runs if both sides have 3 or more, else intervals.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Selection"
    )]
    values: ValuesArg,

    /// Statistical test
    ///
    /// student: Student's t with pooled variance, with ministat's figures. welch: without the assumption of equal variances.
    /// mann-whitney: by rank, without any assumption of the values' shape.
    #[arg(long, value_name = "TEST", default_value = "student", value_parser = test_names(), hide_possible_values = true, help_heading = "Statistics")]
    test: String,

    /// Level of confidence in percent
    #[arg(short = 'c', long, value_name = "PERCENT", default_value = "95", value_parser = confidence, help_heading = "Statistics")]
    confidence: Confidence,

    /// Correct for: metrics, all, none
    ///
    /// Many tests find a difference by chance more often than one. Holm's correction is taken over the metrics of a group, over
    /// all tests, or not at all.
    #[arg(
        long,
        value_name = "TESTS",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Statistics"
    )]
    correction: CorrectionArg,

    /// Exit with 1 where this is proven
    ///
    /// Such as `goodput_bps<-5%` or `rtt_p95_us>2000`: the difference after - before must be proven, and lie beyond the bound. May
    /// be given several times.
    #[arg(long, value_name = "CHANGE", help_heading = "Statistics")]
    fail_on: Vec<Gate>,

    /// Print as text or json
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: Format,

    /// Draw the values: auto, always, never
    ///
    /// auto draws where there is a single comparison.
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    draw: DrawArg,

    /// Characters across a drawing
    #[arg(short = 'w', long, value_name = "N", default_value_t = 74, help_heading = "Output")]
    width: usize,

    /// Plot into this file: .svg, .png or .xpl
    ///
    /// One comparison as boxes and dots, several as their changes in percent with intervals.
    #[arg(long, value_name = "FILE", value_parser = picture::file, help_heading = "Output")]
    plot: Option<PictureFile>,
}

const EXAMPLES: &str = "\
Examples:
  Two iperf3 runs, interval by interval:
    tcptrace-rs compare before.txt --vs after.txt
  Captures of three runs on each side:
    tcptrace-rs compare old-*.pcap.zst --vs new-*.pcap.zst --metric goodput_bps,retransmitted_packets
  A cell of a table against another, for each queueing discipline:
    tcptrace-rs compare bql.csv:bql=no --vs bql.csv:bql=yes --metric 'tps=run*' --by column:qdisc
  In CI, fail where a loss of 5 % is proven:
    tcptrace-rs compare main/*.json --vs branch/*.json --fail-on 'goodput_bps<-5%'
  As ministat, the third column, at 99 %:
    tcptrace-rs compare -C 3 -c 99 old --vs new";

/// Which direction of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Direction {
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
enum ValuesArg {
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
enum CorrectionArg {
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
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Whether to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DrawArg {
    /// Where there is a single comparison
    #[default]
    Auto,
    /// Every comparison
    Always,
    /// Never
    Never,
}

/// Compares and prints; fails on inputs that cannot be read or have nothing to compare.
pub(super) fn run(args: &CompareArgs, console: Console) -> anyhow::Result<Outcome> {
    args::stdin_once(args.before.iter().chain(&args.vs))?;
    let sides = [&args.before, &args.vs].map(|side| side.iter().map(|name| Source::parse(name)).collect());
    let [before, after]: [anyhow::Result<Vec<Source>>; 2] = sides;
    let (before, after) = (before?, after?);
    let plan = plan(args, before.iter().chain(&after))?;
    let captures = Captures::new(args.allow_truncated, console);
    let read = |sources: &[Source]| -> anyhow::Result<Vec<Sample>> {
        let mut all = Vec::new();
        for source in sources {
            all.extend(source.samples(args, &captures)?);
        }
        Ok(all)
    };
    let picture = args.plot.as_ref().map(|file| {
        let read = before.iter().chain(&after).flat_map(Source::files);
        Picture::open(file, Spared::reading(read))
    });
    let picture = picture.transpose().context("--plot")?;
    let (before, after) = (read(&before)?, read(&after)?);
    let compares = engine::compare(&before, &after, &plan)?;
    if compares.list.is_empty() {
        bail!("no values of the kind asked for on both sides (--values)");
    }
    if let Some(picture) = picture {
        let list: Vec<ComparedValues<'_>> = compares.list.iter().map(Compared::values).collect();
        picture.draw(figures(&Subject::Comparisons(&list)).next())?;
    }
    match args.format {
        Format::Text => print_text(args, &compares, &plan, console)?,
        Format::Json => print_json(args, &compares, &plan)?,
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
        console::breach(&format!("{gate}{group}: {percent:+.2}%, proven at {}", plan.confidence));
    }
    Ok(captures.outcome(if breached.is_empty() { Outcome::Done } else { Outcome::Breach }))
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

fn print_text(args: &CompareArgs, compares: &Compares, plan: &Plan, console: Console) -> anyhow::Result<()> {
    let drawn = match args.draw {
        DrawArg::Auto => compares.list.len() == 1,
        DrawArg::Always => true,
        DrawArg::Never => false,
    };
    let mut printed = String::new();
    text::write(&mut printed, compares, plan, Look { plot_width: drawn.then_some(args.width) })?;
    print(&printed)?;
    if let Some(note) = text::ministat_note(plan.confidence).filter(|_| plan.test.pools()) {
        console.hint(note);
    }
    Ok(())
}

/// One object where one metric of all values was asked for, else one document with all; by the arguments alone, so that a
/// script knows which.
fn print_json(args: &CompareArgs, compares: &Compares, plan: &Plan) -> anyhow::Result<()> {
    let single = plan.metrics.len() < 2 && plan.by.is_empty() && !plan.metrics.contains(&Metric::All);
    let text = match compares.list.as_slice() {
        [only] if single => serde_json::to_string(&only.comparison)?,
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
            serde_json::to_string(&document)?
        }
    };
    print(&(escape_json(text) + "\n"))
}

fn print(text: &str) -> anyhow::Result<()> {
    let (mut stdout, _) = console::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
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
