//! `query`: SQL over a dataset of `batch`.
#![cfg_attr(not(feature = "query"), allow(dead_code, reason = "a build without SQL only says so"))]

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::Console;
use super::exit::Outcome;

/// The arguments of `query`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct QueryArgs {
    /// What batch wrote
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,

    /// A query in SQL, such as 'SELECT count(*) FROM connections'
    ///
    /// Over the tables of docs/schema.md, each with a column `source`, the trace. A connection is named by source and connection together.
    #[arg(value_name = "SQL")]
    sql: String,

    /// Print as table, csv or json
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    format: PrintAs,
}

/// Values of `--format`; also in a build that asks nothing, whose help is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrintAs {
    /// Aligned columns
    Table,
    /// Comma-separated values
    Csv,
    /// An array of objects
    Json,
}

const EXAMPLES: &str = "\
Examples:
  Traces by the share of their packets that was lost:
    tcptrace-rs query incident \"SELECT source, sum(lost_packets) * 1.0 / sum(data_packets) AS lost
      FROM directions GROUP BY source ORDER BY lost DESC LIMIT 10\"
  The slowest bulk transfers, with who had them:
    tcptrace-rs query incident \"SELECT c.source, c.client_ip, c.server_ip, d.goodput_bps FROM connections c
      JOIN directions d ON c.source = d.source AND c.connection = d.connection
      WHERE d.unique_bytes > 1000000 ORDER BY d.goodput_bps LIMIT 10\"
  What failed, for a program:
    tcptrace-rs query incident 'SELECT * FROM failures' --format json";

/// Asks and prints.
#[cfg(feature = "query")]
pub(super) fn run(args: &QueryArgs, _: Console) -> anyhow::Result<Outcome> {
    use std::io::Write;

    use anyhow::Context;

    use super::console;
    use crate::batch::query;
    use crate::output::tables::{PrintFormat, print};

    let place = args.dataset.to_string_lossy();
    if crate::batch::inputs::is_url(&place) {
        anyhow::bail!(
            "{place}: query reads datasets in directories; copy it to one, or ask it there with polars or DuckDB"
        );
    }
    let answer = query::ask(&args.dataset, &args.sql).map_err(|error| {
        // What polars says may have several lines.
        let text = error.to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        anyhow::Error::msg(lines.collect::<Vec<_>>().join(" "))
    })?;
    let format = match args.format {
        PrintAs::Table => PrintFormat::Table,
        PrintAs::Csv => PrintFormat::Csv,
        PrintAs::Json => PrintFormat::Json,
    };
    let (mut stdout, _) = console::stdout();
    print(&mut stdout, answer, format, &console::palette()).context("standard output")?;
    stdout.flush().context("standard output")?;
    Ok(Outcome::Done)
}

/// Nothing answers in this build.
#[cfg(not(feature = "query"))]
pub(super) fn run(_: &QueryArgs, _: Console) -> anyhow::Result<Outcome> {
    anyhow::bail!("query: this build answers none (feature `query`)")
}
