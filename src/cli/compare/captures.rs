//! Captures as inputs of `compare`: analysed first, then read as their `report.json` would be.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

use crate::cli::Outcome;
use crate::cli::analysed::analyse;
use crate::cli::console::{self, Console};
use crate::compare::input::{self, Reading};
use crate::compare::sample::Sample;
use crate::report::{Report, SCHEMA};

/// Analyses captures, and remembers whether one of them ended early.
pub(in crate::cli) struct Captures {
    console: Console,
    allow_truncated: bool,
    incomplete: Cell<bool>,
}

impl Captures {
    pub(in crate::cli) fn new(allow_truncated: bool, console: Console) -> Self {
        Self { console, allow_truncated, incomplete: Cell::new(false) }
    }

    /// The values of a capture, each under the name it has in the report.
    pub(in crate::cli) fn read(&self, path: &Path) -> anyhow::Result<Vec<Sample>> {
        if path.as_os_str() == "-" {
            bail!("-: not text: a capture on standard input is not read here, only from a file");
        }
        // Its first bytes, which told that it is a capture, are gone.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            bail!("{}: not text: a capture in a pipe cannot be read twice: give a file", path.display());
        }
        let mut connections = Vec::new();
        let (capture, errors) = analyse(path, &mut connections, self.console)?;
        for error in errors {
            if self.allow_truncated && error.is_truncation() {
                self.console.warning(&error.to_string());
            } else {
                console::error(&error.to_string());
                self.incomplete.set(true);
            }
        }
        connections.sort_by_key(|connection| connection.connection);
        let report = Report { schema: SCHEMA, capture, connections };
        // By way of the text, so that a capture and its report.json can never differ, not even in a last digit.
        let text = serde_json::to_string(&report)?;
        input::read(&text, input::find("report"), &Reading::default())
            .with_context(|| path.display().to_string())
    }

    /// What the comparison's outcome becomes where a capture ended early.
    pub(in crate::cli) fn outcome(&self, outcome: Outcome) -> Outcome {
        if self.incomplete.get() { Outcome::Incomplete } else { outcome }
    }
}
