//! `generate`: manual pages and completions, made from the same definitions as `--help`, and the schema of the report.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::{Generator, Shell};

use super::console::Console;
use super::{Outcome, command};
use crate::output::sink::{DirSink, Sink};
use crate::report::schema;

const NAME: &str = "tcptrace-rs";

/// The arguments of `generate`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct GenerateArgs {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  All manual pages:
    tcptrace-rs generate man --out /usr/local/share/man/man1
  Read one of them:
    tcptrace-rs generate man analyze | man -l -
  Completions for zsh:
    tcptrace-rs generate completions zsh --out ~/.zfunc
  What report.json may hold, for a validator:
    tcptrace-rs generate schema > report.schema.json";

#[derive(Clone, Debug, Subcommand)]
enum What {
    /// Print a manual page, or write all of them
    Man {
        /// The command whose page is printed [default: the program]
        #[arg(value_name = "COMMAND", conflicts_with = "out", help_heading = "Input")]
        page: Option<String>,

        /// Write every page into this directory
        #[arg(long, value_name = "DIR", help_heading = "Output")]
        out: Option<PathBuf>,
    },
    /// Print the JSON Schema of the report
    Schema {
        /// Of json, the document, or of jsonl, one of its lines
        #[arg(
            value_name = "FORMAT",
            value_enum,
            default_value = "json",
            hide_possible_values = true,
            help_heading = "Input"
        )]
        format: SchemaOf,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL", help_heading = "Input")]
        shell: Shell,

        /// Write them into this directory, under the name that the shell looks for
        #[arg(long, value_name = "DIR", help_heading = "Output")]
        out: Option<PathBuf>,
    },
}

/// What a schema is of.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaOf {
    /// report.json, and what `--format json` prints
    Json,
    /// A line of what `--format jsonl` prints
    Jsonl,
}

/// Writes what was asked for.
pub(super) fn run(args: &GenerateArgs, _console: Console) -> anyhow::Result<Outcome> {
    match &args.what {
        What::Man { page: None, out: Some(dir) } => {
            let mut root = command().disable_help_subcommand(true);
            root.build();
            let mut pages = Vec::new();
            add_pages(root, &mut pages)?;
            write(dir, &pages)?;
        }
        What::Man { page, .. } => print(&man(page.as_deref())?)?,
        What::Schema { format } => {
            let schema = match format {
                SchemaOf::Json => schema::report(),
                SchemaOf::Jsonl => schema::line(),
            };
            print(format!("{schema:#}\n").as_bytes())?;
        }
        What::Completions { shell, out: Some(dir) } => {
            write(dir, &[(shell.file_name(NAME), completions(*shell))])?;
        }
        What::Completions { shell, out: None } => print(&completions(*shell))?,
    }
    Ok(Outcome::Done)
}

/// The manual page of a command, or of the program.
fn man(page: Option<&str>) -> anyhow::Result<Vec<u8>> {
    let mut root = command();
    root.build();
    let command = match page {
        None => root,
        Some(name) => match root.find_subcommand(name) {
            Some(found) => found.clone(),
            None => bail!("no command is called `{name}`"),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(text)
}

fn completions(shell: Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), NAME, &mut text);
    text
}

/// The pages of a command and of those below it, with the names of their files.
fn add_pages(command: clap::Command, into: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add_pages(below.clone(), into)?;
    }
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    into.push((page.get_filename(), text));
    Ok(())
}

/// Files in a folder: by ourselves, since the crates that make them panic where a disk is full.
fn write(dir: &Path, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    let mut sink = DirSink::new(dir).context("--out")?;
    for (name, text) in files {
        let written = sink.create(name).and_then(|mut file| file.write_all(text));
        written.with_context(|| dir.join(name).display().to_string())?;
    }
    sink.commit().context("--out")
}

fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).context("standard output")
}
