//! Files that `check` writes: reports and baselines, each put in place of the old one when it is whole.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::check::report::{self, CheckReport, REPORTS};
use crate::check::result::CheckRun;
use crate::output::sink::{DirSink, Sink};

/// A report that was asked for: `junit=check.xml`.
#[derive(Clone)]
pub(super) struct Wanted {
    format: &'static dyn CheckReport,
    path: PathBuf,
}

impl std::fmt::Debug for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.format.name(), self.path.display())
    }
}

/// Reads `FORMAT=FILE`.
pub(super) fn parse(text: &str) -> Result<Wanted, String> {
    let found = text.split_once('=').filter(|(_, path)| !path.is_empty());
    found
        .and_then(|(format, path)| Some(Wanted { format: report::find(format)?, path: path.into() }))
        .ok_or_else(|| {
            let names: Vec<&str> = REPORTS.iter().map(|row| row.name()).collect();
            format!("expected FORMAT=FILE, FORMAT one of {}", names.join(", "))
        })
}

/// A file that is open and not yet in its place.
pub(super) struct Output {
    format: &'static dyn CheckReport,
    path: PathBuf,
    sink: DirSink,
    file: Box<dyn Write + Send>,
}

impl Output {
    /// Before anything is read, so that a place that cannot be written to is told at once.
    pub(super) fn open(wanted: &Wanted) -> anyhow::Result<Self> {
        let (sink, file) = create(&wanted.path)?;
        Ok(Self { format: wanted.format, path: wanted.path.clone(), sink, file })
    }

    pub(super) fn write(mut self, run: &CheckRun) -> anyhow::Result<()> {
        let name = self.path.display().to_string();
        self.file.write_all(self.format.write(run).as_bytes()).with_context(|| name.clone())?;
        drop(self.file);
        self.sink.commit().context(name)
    }
}

/// Puts a whole file in place of what has its name.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let (mut sink, mut file) = create(path)?;
    file.write_all(bytes).with_context(|| path.display().to_string())?;
    drop(file);
    sink.commit().with_context(|| path.display().to_string())
}

fn create(path: &Path) -> anyhow::Result<(DirSink, Box<dyn Write + Send>)> {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .with_context(|| format!("{}: not the name of a file that can be written", path.display()))?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut sink = DirSink::new(parent)?;
    let file = sink.create(name)?;
    Ok((sink, file))
}
