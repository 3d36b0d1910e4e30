//! The directory of `--out`.
//!
//! It is created and tried before the work starts. Files appear under their names when they are complete, so that a run
//! that was broken off leaves the earlier report in place.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

const REPORT: &str = "report.json";
const UNFINISHED: &str = ".report.json.part";

/// A directory that can be written to.
pub(super) struct OutDir {
    dir: PathBuf,
    committed: bool,
}

impl OutDir {
    /// Creates the directory and the file in which the report grows.
    pub(super) fn prepare(dir: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(dir).with_context(|| format!("--out {}", dir.display()))?;
        let out = Self { dir: dir.to_owned(), committed: false };
        File::create(out.unfinished()).with_context(|| out.unfinished().display().to_string())?;
        Ok(out)
    }

    /// Where the report goes to in the end.
    pub(super) fn report_name(&self) -> String {
        self.dir.join(REPORT).display().to_string()
    }

    /// The file of the report, empty.
    pub(super) fn report(&self) -> anyhow::Result<Box<dyn Write>> {
        let file =
            File::create(self.unfinished()).with_context(|| self.unfinished().display().to_string())?;
        Ok(Box::new(BufWriter::new(file)))
    }

    /// Gives the finished report its name.
    pub(super) fn commit(mut self) -> anyhow::Result<()> {
        fs::rename(self.unfinished(), self.dir.join(REPORT)).with_context(|| self.report_name())?;
        self.committed = true;
        Ok(())
    }

    fn unfinished(&self) -> PathBuf {
        self.dir.join(UNFINISHED)
    }
}

impl Drop for OutDir {
    fn drop(&mut self) {
        if !self.committed {
            // The run has failed already; a file that stays behind is no further harm.
            let _ = fs::remove_file(self.unfinished());
        }
    }
}
