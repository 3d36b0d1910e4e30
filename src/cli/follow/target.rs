//! Where the payload goes: standard output, a file, or a folder.

use std::cell::Cell;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, bail, ensure};

use super::FollowArgs;
use crate::cli::console;
use crate::cli::out_file::OutFile;
use crate::driver::PayloadSink;
use crate::output::payload::{Dialogue, GapStyle, Outputs, RawPayload};
use crate::output::sink::{DirSink, Sink, Spared};
use crate::report::Dir;

const STDOUT: &str = "standard output";

/// Bytes that are gathered before they are written to a file.
const BUFFER: usize = 256 << 10;

/// The place, with everything in it created.
pub(super) struct Target {
    pub(super) writer: Writer,
    /// Files that have their names only from their `commit` on.
    pub(super) files: Option<DirSink>,
    /// What errors call it.
    pub(super) name: String,
}

/// What writes there.
pub(super) enum Writer {
    Raw(RawPayload<'static>),
    Dialogue(Dialogue<'static>),
}

impl Target {
    /// Creates what is to be written, before anything is read.
    pub(super) fn open(args: &FollowArgs, dir: Option<Dir>) -> anyhow::Result<Self> {
        let gaps = args.gaps.map(GapStyle::from);
        let mut spared = Spared::reading(&args.captures);
        match (args.output.as_deref().filter(|path| *path != Path::new("-")), dir) {
            (None, Some(dir)) => {
                if !args.force && io::stdout().is_terminal() {
                    bail!(
                        "raw payload may hold sequences that a terminal acts on: use -o FILE, a pipe, or --force"
                    );
                }
                let (stdout, _) = console::stdout();
                Ok(Self::raw(outputs(dir, stdout), gaps, None, STDOUT.to_owned()))
            }
            (None, None) => {
                ensure!(gaps != Some(GapStyle::Zero), "--gaps zero needs --dir or -o DIR");
                let (stdout, _) = console::stdout();
                let marks = gaps != Some(GapStyle::Skip);
                let writer = Writer::Dialogue(Dialogue::new(stdout, marks, console::palette()));
                Ok(Self { writer, files: None, name: STDOUT.to_owned() })
            }
            (Some(path), Some(dir)) => {
                let path = if path.is_dir() { path.join(file_name(args, dir)) } else { path.to_owned() };
                let (file, files) = OutFile::open(&path, &mut spared).context("-o")?.into_parts();
                Ok(Self::raw(outputs(dir, file), gaps, files, path.display().to_string()))
            }
            (Some(path), None) => {
                if fs::metadata(path).is_ok_and(|found| !found.is_dir()) {
                    bail!("-o: {} is no folder: for one file choose a direction with --dir", path.display());
                }
                let mut files = DirSink::new(path).context("-o")?.sparing(spared);
                let mut open = |dir| -> anyhow::Result<_> {
                    let name = file_name(args, dir);
                    Ok(Some(buffered(files.create(&name).context("-o")?)))
                };
                let outputs = Outputs { c2s: open(Dir::C2s)?, s2c: open(Dir::S2c)? };
                Ok(Self::raw(outputs, gaps, Some(files), path.display().to_string()))
            }
        }
    }

    fn raw(outputs: Outputs<'static>, gaps: Option<GapStyle>, files: Option<DirSink>, name: String) -> Self {
        let writer = Writer::Raw(RawPayload::new(outputs, gaps.unwrap_or(GapStyle::Skip)));
        Self { writer, files, name }
    }
}

impl Writer {
    /// Whether both directions go to a person.
    pub(super) const fn is_dialogue(&self) -> bool {
        matches!(self, Self::Dialogue(_))
    }

    /// A flag that tells when writing has failed.
    pub(super) fn failed(&self) -> Rc<Cell<bool>> {
        match self {
            Self::Raw(raw) => raw.failed(),
            Self::Dialogue(dialogue) => dialogue.failed(),
        }
    }

    /// Where the payload is to be handed.
    pub(super) fn sink(&mut self) -> &mut dyn PayloadSink {
        match self {
            Self::Raw(raw) => raw,
            Self::Dialogue(dialogue) => dialogue,
        }
    }

    /// Writes what was held back; gives the first error of all.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Raw(raw) => raw.finish(),
            Self::Dialogue(dialogue) => dialogue.finish(),
        }
    }
}

fn outputs(dir: Dir, output: Box<dyn Write>) -> Outputs<'static> {
    match dir {
        Dir::C2s => Outputs { c2s: Some(output), s2c: None },
        Dir::S2c => Outputs { c2s: None, s2c: Some(output) },
    }
}

fn file_name(args: &FollowArgs, dir: Dir) -> String {
    format!("c{}-{}.bin", args.connection, dir.name())
}

fn buffered(file: impl Write + 'static) -> Box<dyn Write> {
    Box::new(BufWriter::with_capacity(BUFFER, file))
}
