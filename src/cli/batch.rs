//! `batch`: many captures into one dataset.
#![cfg_attr(not(feature = "tables"), allow(dead_code, reason = "a build without tables only says so"))]

#[cfg(feature = "tables")]
mod engine;
#[cfg(feature = "tables")]
mod watch;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::analysis_args::{AnalysisArgs, InputArgs, SelectionArgs};
use super::console::Console;
use super::exit::Outcome;
use super::prediction_args::PredictionArgs;
use super::quantity;
use crate::units::Span;

/// The arguments of `batch`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct BatchArgs {
    /// Captures: files, directories, patterns, @LIST or -
    ///
    /// In a directory and those below it captures are told by their first bytes. Patterns are those of a shell, with ** for any
    /// directories. @LIST is a file with a capture a line, `-` such a list on standard input. A build with the feature `cloud` reads
    /// s3://, gs://, az:// and http(s):// too: an object, or all below a name.
    #[arg(value_name = "INPUT", required_unless_present_any = ["task", "summarize"])]
    inputs: Vec<String>,

    #[command(flatten)]
    input: InputArgs,

    /// Name traces by their paths below this directory
    ///
    /// By default below the directory, the fixed part of the pattern or the list that they were found by.
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    root: Option<PathBuf>,

    /// Which files are one trace
    ///
    /// name: numbered or dated files of one ring in one directory, as tcpdump, dumpcap and logrotate name them. file: each is its own.
    /// directory: all of one. A pattern keeps what is at {} and drops what is at *, such as '{}/eth0-*.pcap'.
    #[arg(long, value_name = "RULE", default_value = "name", help_heading = "Input")]
    group_by: String,

    #[command(flatten)]
    selection: SelectionArgs,

    #[command(flatten)]
    analysis: AnalysisArgs,

    #[command(flatten)]
    prediction: PredictionArgs,

    /// Write the dataset here; what is done is not done again
    ///
    /// DATASET/TABLE/source=TRACE/part-HASH.parquet, which Hive, polars, `DuckDB` and Spark read as one table. Any number of runs may write to
    /// one dataset at a time. docs/batch.md describes it. With the feature `cloud` also s3://, gs:// and az://.
    #[arg(long, value_name = "DATASET", required_unless_present = "plan", help_heading = "Output")]
    out: Option<String>,

    /// Traces at a time [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Run")]
    jobs: Option<u16>,

    /// Memory for all of them [default: 192 MiB a job]
    ///
    /// Such as 512MB. Fewer run at a time where they would need more.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, help_heading = "Run")]
    memory: Option<u64>,

    /// Time for one trace; then it is recorded as failed
    ///
    /// Such as 10min. The next run tries it again.
    #[arg(long, value_name = "TIME", value_parser = quantity::positive_span, help_heading = "Run")]
    timeout: Option<Span>,

    /// Only this part of the traces, such as 3/16
    ///
    /// For array jobs: each machine has the same command but for I, which counts from 0 or from 1. Then one run without --shard
    /// finds everything done and writes the summary.
    #[arg(long, value_name = "I/N", help_heading = "Run")]
    shard: Option<String>,

    /// Do again what is done
    #[arg(long, help_heading = "Run")]
    again: bool,

    /// Print the traces, a line of JSON each, and do nothing
    #[arg(long, help_heading = "Run")]
    plan: bool,

    /// Do the traces of such lines in a file, or `-`
    ///
    /// For engines that place tasks on machines: --plan on one, --task on the others.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "root", "group_by", "plan"], help_heading = "Run")]
    task: Option<PathBuf>,

    /// Only write the summary of what the dataset holds
    ///
    /// After the last shard or task: no capture is looked at.
    #[arg(long, conflicts_with_all = ["inputs", "task", "shard", "plan", "again"], help_heading = "Run")]
    summarize: bool,

    /// Tell of each trace on stderr as json
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, help_heading = "Output")]
    log: Option<LogAs>,
}

/// Values of `--log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogAs {
    /// An object a line
    Json,
}

const EXAMPLES: &str = "\
Examples:
  Everything below a directory, and again after an interruption:
    tcptrace-rs batch /captures --out incident
  One of 16 array jobs, counted from 0:
    tcptrace-rs batch /captures --out /shared/incident --shard $INDEX/16
  What find finds, without predictions:
    find /captures -mtime -1 -print0 | tcptrace-rs batch - --out today --no-predict";

/// Finds the captures and works through them.
#[cfg(feature = "tables")]
pub(super) fn run(args: &BatchArgs, console: Console) -> anyhow::Result<Outcome> {
    engine::run(args, console)
}

/// Nothing writes tables in this build.
#[cfg(not(feature = "tables"))]
pub(super) fn run(_: &BatchArgs, _: Console) -> anyhow::Result<Outcome> {
    anyhow::bail!("batch: this build writes no tables (feature `tables`)")
}
