//! An input of `compare`: a file, or the rows of it that are selected.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::captures::Captures;
use super::{CompareArgs, Direction, dataset};
use crate::compare::group::Selection;
use crate::compare::input::{self, Reading};
use crate::compare::sample::Sample;

/// The largest input that is read.
const MAX_INPUT: u64 = 64 << 20;

/// So many bytes tell text from captures.
const HEAD: u64 = 4096;

/// A file and which of its rows count.
pub(super) struct Source {
    file: String,
    pub(super) selection: Option<Selection>,
}

impl Source {
    /// What follows the last `:` is a selection where it holds a `=` and no file has the whole name.
    pub(super) fn parse(name: &str) -> anyhow::Result<Self> {
        if let Some((file, selection)) =
            name.rsplit_once(':').filter(|(_, selection)| selection.contains('='))
            && !Path::new(name).exists()
        {
            return Ok(Self { file: file.into(), selection: Some(selection.parse()?) });
        }
        Ok(Self { file: name.into(), selection: None })
    }

    /// The files that it is read from; of a directory, those that can be told.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let path = PathBuf::from(&self.file);
        if path.is_dir() { dataset::files(&path).unwrap_or_default() } else { vec![path] }
    }

    /// All values of the file, or of each run in the directory, that are selected.
    pub(super) fn samples(&self, args: &CompareArgs, captures: &Captures) -> anyhow::Result<Vec<Sample>> {
        let mut samples = Vec::new();
        if Path::new(&self.file).is_dir() {
            for path in dataset::files(Path::new(&self.file))? {
                let file = path.display().to_string();
                let run = dataset::run(&path).display().to_string();
                samples.extend(self.named(one(&file, true, args, captures)?, &run));
            }
        } else {
            samples = self.named(one(&self.file, false, args, captures)?, &self.file);
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

    /// The values under the name of their file.
    fn named(&self, mut samples: Vec<Sample>, file: &str) -> Vec<Sample> {
        let name: Arc<str> = Arc::from(file);
        let source = match &self.selection {
            Some(selection) => Arc::from(format!("{name}:{selection}")),
            None => Arc::clone(&name),
        };
        for sample in &mut samples {
            sample.file = Arc::clone(&name);
            sample.source = Arc::clone(&source);
        }
        samples
    }
}

/// The values of one file; `ours` where it is of a directory that `analyze --out` wrote.
fn one(file: &str, ours: bool, args: &CompareArgs, captures: &Captures) -> anyhow::Result<Vec<Sample>> {
    match content(file).with_context(|| file.to_owned())? {
        Content::Text(text) if ours && Path::new(file).extension().is_some_and(|end| end == "csv") => {
            input::read_directions(&text).with_context(|| file.to_owned())
        }
        Content::Text(text) => {
            let reading = Reading {
                column: args.column,
                delimiters: args.delimiter.clone().unwrap_or_else(|| Reading::default().delimiters),
            };
            let format = args.input.as_deref().and_then(input::find);
            input::read(&text, format, &reading).with_context(|| file.to_owned())
        }
        Content::Parquet(bytes) => input::parquet::read(bytes).with_context(|| file.to_owned()),
        Content::Capture => captures.read(Path::new(file)),
    }
}

/// What a file holds, by its first bytes.
enum Content {
    Text(String),
    Parquet(Vec<u8>),
    /// Neither; the rest is left unread.
    Capture,
}

fn content(file: &str) -> anyhow::Result<Content> {
    let mut reader: Box<dyn Read> = match file {
        "-" => Box::new(std::io::stdin().lock()),
        file => Box::new(File::open(file)?),
    };
    let mut bytes = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    let parquet = bytes.starts_with(input::parquet::MAGIC);
    if is_binary(&bytes) && !parquet {
        return Ok(Content::Capture);
    }
    reader.take(MAX_INPUT).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        bail!("larger than {} MiB", MAX_INPUT >> 20);
    }
    Ok(if parquet {
        Content::Parquet(bytes)
    } else {
        Content::Text(String::from_utf8_lossy(&bytes).into_owned())
    })
}

/// Whether the first bytes hold what no text does, as those of every capture do, or begin a compressed file.
fn is_binary(head: &[u8]) -> bool {
    const COMPRESSED: [&[u8]; 5] =
        [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"\x04\x22\x4d\x18"];
    head.contains(&0) || COMPRESSED.iter().any(|magic| head.starts_with(magic))
}
