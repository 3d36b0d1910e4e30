//! What `batch` writes: failures, the record of a finished trace, plans and log lines. Field names are part of
//! the contract, `null` is unknown.

use serde::{Deserialize, Serialize};

/// What a trace died of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It could not be opened, or the system refused to read on.
    Unreadable,
    /// It is no capture that this build reads.
    NotACapture,
    /// It ends inside a record.
    Truncated,
    /// A header or record contradicts its format, or its compressed stream is broken.
    Corrupt,
    /// It took longer than it was given.
    Timeout,
    /// The analysis panicked.
    Panic,
    /// What it ran on died, and so did every other try: whoever placed it on machines said so.
    Lost,
}

impl FailureKind {
    /// Every name.
    pub const NAMES: &'static [&'static str] =
        &["unreadable", "not_a_capture", "truncated", "corrupt", "timeout", "panic", "lost"];

    /// Its name in every output.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Whether another run may end otherwise although nothing about the capture has changed.
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::Unreadable | Self::Timeout | Self::Panic | Self::Lost)
    }
}

/// A row of the `failures` table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What it died of.
    pub kind: FailureKind,
    /// In words, with the place in the file.
    pub reason: String,
    /// The file, as it is named below the input.
    pub file: String,
    /// Whether what could be read before is in the dataset.
    pub partial: bool,
    /// Frames read before; null where it cannot be told.
    pub frames: Option<u64>,
}

/// `_done/<trace>.json`: the trace is in the dataset, and this is what of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The schema of the tables, [`super::SCHEMA`].
    pub schema: String,
    /// Version of the program.
    pub version: String,
    /// The trace's name.
    pub trace: String,
    /// Hash of version, options and content, which the parts have in their names.
    pub hash: String,
    /// Its files, in order of their names.
    pub files: Vec<DoneFile>,
    /// Its parts, in the order of the tables.
    pub parts: Vec<DonePart>,
    /// Frames read; null where it could not be opened.
    pub frames: Option<u64>,
    /// Connections found.
    pub connections: Option<u64>,
    /// Why it is missing or cut; empty if it is whole.
    pub failures: Vec<Failure>,
}

/// A file of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneFile {
    /// Its name below the input.
    pub name: String,
    /// Its size, bytes.
    pub bytes: u64,
    /// Hash of its content.
    pub content: String,
}

/// A part of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DonePart {
    /// Its table.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Its size, bytes.
    pub bytes: u64,
}

/// A line of `batch --plan`, and what `batch --task` takes: a trace with its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskLine {
    /// The trace's name.
    pub trace: String,
    /// Its files.
    pub files: Vec<TaskFile>,
    /// Their size, bytes; null where it is not known.
    pub bytes: Option<u64>,
    /// Memory that its analysis may need at most, bytes; for whoever places it on a machine.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// Only for `--task`: why it is given up. It is recorded as failed, unless it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

/// A file of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFile {
    /// Where it is: a path or a URL.
    pub path: String,
    /// Its name below the input.
    pub name: String,
}

/// A line of `batch --log json`: what became of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogLine<'a> {
    /// The trace's name.
    pub trace: &'a str,
    /// `done`, `skipped` (it was done before) or `failed`.
    pub status: &'static str,
    /// Why it is missing or cut; empty if it is whole.
    pub failures: &'a [Failure],
    /// Bytes of its files.
    pub bytes: u64,
    /// Frames read.
    pub frames: Option<u64>,
    /// Connections found.
    pub connections: Option<u64>,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Traces that are finished, this one included.
    pub finished: u64,
    /// Traces in all.
    pub traces: u64,
}
