//! `follow`: the payload of one connection, byte for byte.

mod notes;
mod target;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use self::notes::Notes;
use self::target::Target;
use super::analysis_args::{InputArgs, SelectionArgs};
use super::args;
use super::console::Console;
use super::exit::{self, Outcome};
use super::progress::Bar;
use crate::analysis::reassembly::ReassemblyOptions;
use crate::capture::open_many;
use crate::driver::{self, FollowOptions, Options};
use crate::error::CaptureError;
use crate::output::payload::GapStyle;
use crate::output::sink::Sink;
use crate::report::Dir;
use crate::units::Span;

/// The arguments of `follow`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct FollowArgs {
    /// Capture to read, `-` for standard input; several are one trace
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,

    #[command(flatten)]
    input: InputArgs,

    /// The connection, by its number in the report
    ///
    /// As `analyze` numbers them with the same selection.
    #[arg(long, value_name = "N", help_heading = "Selection")]
    connection: u64,

    /// Only this direction: c2s or s2c
    ///
    /// c2s: what the client sent. s2c: what the server sent.
    #[arg(long, value_name = "DIR", hide_possible_values = true, help_heading = "Selection")]
    dir: Option<Direction>,

    #[command(flatten)]
    selection: SelectionArgs,

    /// Disregard VLANs and tunnels around a connection
    #[arg(long, help_heading = "Selection")]
    ignore_encap: bool,

    /// Missing bytes: skip, zero or mark [default: skip]
    ///
    /// skip: nothing is written for them. zero: as many zero bytes, so that offsets stay right. mark: a line
    /// `[N bytes missing]`. Whatever is chosen, standard error tells where bytes are missing, and why. The dialogue on
    /// standard output marks them by default.
    #[arg(long, value_name = "HOW", hide_possible_values = true, help_heading = "Output")]
    gaps: Option<Gaps>,

    /// Write to this file, or to this folder
    ///
    /// With --dir it is a file (or a folder that exists); without, a folder for cN-c2s.bin and cN-s2c.bin, created if
    /// need be. Earlier files stay until the new ones are complete. `-` is standard output.
    #[arg(short, long, value_name = "FILE|DIR", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write raw bytes even to a terminal
    ///
    /// They may hold sequences that a terminal acts on.
    #[arg(long, help_heading = "Output")]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  Read what two hosts said to each other:
    tcptrace-rs follow --connection 3 mail.pcapng
  What the server sent, into a pipe:
    tcptrace-rs follow --connection 0 --dir s2c download.pcap.zst | sha256sum
  Both directions as files out/c0-c2s.bin and out/c0-s2c.bin, with offsets kept where bytes are missing:
    tcptrace-rs follow --connection 0 --gaps zero -o out download.pcap.zst";

/// A direction.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Direction {
    /// Client to server
    C2s,
    /// Server to client
    S2c,
}

impl From<Direction> for Dir {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::C2s => Self::C2s,
            Direction::S2c => Self::S2c,
        }
    }
}

/// What is written where bytes are missing.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Gaps {
    /// Nothing
    Skip,
    /// As many zero bytes
    Zero,
    /// A line that says how many
    Mark,
}

impl From<Gaps> for GapStyle {
    fn from(gaps: Gaps) -> Self {
        match gaps {
            Gaps::Skip => Self::Skip,
            Gaps::Zero => Self::Zero,
            Gaps::Mark => Self::Mark,
        }
    }
}

/// Writes the payload.
pub(super) fn run(args: &FollowArgs, console: Console) -> anyhow::Result<Outcome> {
    let dir = args.dir.map(Dir::from);
    let Target { writer, files, name } = Target::open(args, dir)?;
    let is_dialogue = writer.is_dialogue();
    // Its text names the file and the cause already.
    args::stdin_once(&args.captures)?;
    let mut source = open_many(&args.captures, &args.input.open())
        .map_err(|error| anyhow::Error::msg(error.to_string()))?;
    let bar = Bar::new(console, source.total_bytes());
    let failed = writer.failed();
    let mut notes = Notes::new(writer, dir);
    let follow = args.follow(is_dialogue);
    let (followed, error) = driver::follow(&mut source, &args.options(), &follow, &mut notes, &mut |state| {
        bar.show(&state);
        !failed.get()
    });
    drop(bar);
    let errors: Vec<CaptureError> = error.into_iter().chain(source.take_errors()).collect();
    let (writer, notes) = notes.into_parts();
    writer.finish().with_context(|| name.clone())?;
    let outcome = exit::tell_input(&errors, args.input.allow_truncated, "written", console);
    let Some(connection) = &followed.connection else {
        bail!(exit::no_connection(args.connection, followed.capture.connections));
    };
    if let Some(mut files) = files {
        files.commit().context(name)?;
    }
    notes.tell(&followed, connection, console);
    Ok(outcome)
}

impl FollowArgs {
    fn options(&self) -> Options {
        self.selection.of(Options {
            ignore_encap: self.ignore_encap,
            hash_seed: args::hash_seed(),
            ..Options::default()
        })
    }

    fn follow(&self, is_dialogue: bool) -> FollowOptions {
        let mut reassembly = ReassemblyOptions::default();
        if is_dialogue {
            // What is waited for in one direction would be overtaken by the answer to it.
            reassembly.patience = Span::ZERO;
        }
        FollowOptions { connection: self.connection, reassembly }
    }
}
