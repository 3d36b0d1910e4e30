//! Files that `check` writes: reports and baselines, each put in place of the old one when it is whole.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::check::report::{self, CheckReport, REPORTS};
use crate::check::result::CheckRun;
use crate::cli::out_file::OutFile;
use crate::output::sink::Spared;

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
    file: OutFile,
}

impl Output {
    /// Before anything is read, so that a place that cannot be written to is told at once.
    pub(super) fn open(wanted: &Wanted, spared: &mut Spared) -> anyhow::Result<Self> {
        let file = create(&wanted.path, spared).context("--report")?;
        Ok(Self { format: wanted.format, path: wanted.path.clone(), file })
    }

    pub(super) fn write(mut self, run: &CheckRun) -> anyhow::Result<()> {
        let name = || self.path.display().to_string();
        self.file.write_all(self.format.write(run).as_bytes()).with_context(name)?;
        self.file.commit()
    }
}

/// Puts a whole file in place of what has its name, unless that is the capture.
pub(super) fn replace(path: &Path, bytes: &[u8], capture: &Path) -> anyhow::Result<()> {
    let mut file = create(path, &mut Spared::reading([capture]))?;
    file.write_all(bytes).with_context(|| path.display().to_string())?;
    file.commit()
}

/// The file, with the folders above it.
fn create(path: &Path, spared: &mut Spared) -> anyhow::Result<OutFile> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    OutFile::open(path, spared)
}
