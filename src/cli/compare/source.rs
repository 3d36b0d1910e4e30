//! An input of `compare`: a file, or the rows of it that are selected.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};

use super::{CaptureReader, CompareArgs, Direction};
use crate::compare::group::Selection;
use crate::compare::input::{self, Reading};
use crate::compare::sample::Sample;

/// The largest input that is read.
const MAX_INPUT: u64 = 64 << 20;

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

    /// All values of the file that are selected.
    pub(super) fn samples(
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
