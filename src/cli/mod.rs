//! The command line: arguments to calls of the library, results to stdout, everything else to stderr.
//!
//! A new command is a file with its arguments and a `run`, a variant of `Command` and an arm of
//! `Command::run`.

mod analysed;
mod analysis_args;
mod analyze;
mod annotate;
mod args;
mod batch;
mod check;
mod compare;
mod console;
mod exit;
mod explain;
mod follow;
mod generate;
mod interrupt;
mod intervals;
mod join;
mod out_file;
mod picture;
mod plot;
mod plots;
mod predict;
mod predict_limits;
mod predict_text;
mod prediction_args;
mod progress;
mod quantity;
mod query;
mod sweep;
mod vantage;
mod when;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser, Subcommand};

use args::Logging;
use console::Console;
pub use exit::Outcome;

/// Tells from a packet capture what happened to each TCP connection, and why
#[derive(Debug, Parser)]
#[command(name = "tcptrace-rs", version, max_term_width = 100, after_long_help = EXAMPLES, after_help = "Exit codes: 0 done, 1 a bound was breached, 2 an error. --help shows more.")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    logging: Logging,
}

/// Examples and exit codes below `--help`.
const EXAMPLES: &str = "\
Examples:
  What happened in a capture:
    tcptrace-rs analyze backup-slow.pcapng
  The same for a program, one JSON object a connection:
    tcptrace-rs analyze --format jsonl ring_*.pcapng.zst
  Completions for bash:
    tcptrace-rs generate completions bash > /etc/bash_completion.d/tcptrace-rs

Exit codes:
  0  done
  1  a bound that was to be checked was breached
  2  usage error, unreadable input, or input that ended early; what could be read is reported first";

#[derive(Debug, Subcommand)]
enum Command {
    /// Report on each TCP connection of a capture
    Analyze(analyze::AnalyzeArgs),
    /// Analyse many captures into one dataset
    Batch(Box<batch::BatchArgs>),
    /// Query a dataset of batch with SQL
    Query(query::QueryArgs),
    /// Check captures against baselines and rules, for CI
    Check(check::CheckArgs),
    /// Tell whether a change made a proven difference
    Compare(compare::CompareArgs),
    /// Tell what one frame was, and why
    Explain(explain::ExplainArgs),
    /// Predict what each congestion control would get on a path
    Predict(Box<predict::PredictArgs>),
    /// Join two captures of the same traffic: exact losses and delays
    Join(join::JoinArgs),
    /// Draw one connection, or the capture
    Plot(plot::PlotArgs),
    /// Write the capture again with the verdicts as packet comments
    Annotate(annotate::AnnotateArgs),
    /// Print transfer, retransmits, window and RTT a second, as iperf3
    Intervals(intervals::IntervalsArgs),
    /// Write the payload of one connection
    Follow(follow::FollowArgs),
    /// Print the manual page, shell completions or the report's schema
    Generate(generate::GenerateArgs),
}

impl Command {
    fn run(&self, console: Console) -> anyhow::Result<Outcome> {
        match self {
            Self::Analyze(args) => analyze::run(args, console),
            Self::Batch(args) => batch::run(args, console),
            Self::Query(args) => query::run(args, console),
            Self::Explain(args) => explain::run(args, console),
            Self::Check(args) => check::run(args, console),
            Self::Compare(args) => compare::run(args, console),
            Self::Predict(args) => predict::run(args, console),
            Self::Join(args) => join::run(args, console),
            Self::Plot(args) => plot::run(args, console),
            Self::Annotate(args) => annotate::run(args, console),
            Self::Intervals(args) => intervals::run(args, console),
            Self::Follow(args) => follow::run(args, console),
            Self::Generate(args) => generate::run(args, console),
        }
    }
}

/// Runs the program with its arguments, the first of which is its name.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(usage) => {
            let printed = usage.print().and_then(|()| io::stdout().flush());
            if usage.use_stderr() {
                return ExitCode::from(exit::ERROR);
            }
            // Help goes to stdout and is no error.
            return ended(printed.context("standard output").map(|()| Outcome::Done));
        }
    };
    let console = Console::new(&cli.logging);
    ended(cli.command.run(console))
}

/// Tells what went wrong; a reader that has gone away is no error.
fn ended(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(outcome) => outcome.into(),
        Err(error) if exit::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&format!("{error:#}"));
            ExitCode::from(exit::ERROR)
        }
    }
}

/// The whole command line, for the manual page, the completions and their tests.
pub fn command() -> clap::Command {
    Cli::command()
}
