//! What a check found, before it is written in any format.

use super::value::Value;
use crate::report::Dir;

/// Everything that one run checked.
#[derive(Clone, Debug, Default)]
pub struct CheckRun {
    /// In order of their paths.
    pub captures: Vec<CaptureCheck>,
}

/// One capture.
#[derive(Clone, Debug, Default)]
pub struct CaptureCheck {
    /// The capture as it was named.
    pub path: String,
    /// Its baseline; `None` where rules alone were checked, or nothing.
    pub baseline: Option<String>,
    /// What was checked, part by part; only parts of which something was.
    pub parts: Vec<CheckedPart>,
    /// What is wrong with the baseline or the capture itself.
    pub problems: Vec<Problem>,
    /// Values that were written into the baseline; `None` without `--bless`.
    pub blessed: Option<usize>,
}

/// The capture, a connection, or a direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckedPart {
    /// `None` for the capture as a whole.
    pub connection: Option<u64>,
    /// Who talks to whom; empty for the capture.
    pub ends: String,
    /// `None` for what both directions have in common.
    pub dir: Option<Dir>,
    /// Values and rules checked.
    pub checked: usize,
    /// Those that failed.
    pub breaches: Vec<Breach>,
}

/// A value that is not what it must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// The field.
    pub field: String,
    /// What it must be, in words: `16 exactly`, `20.1 ms +/- 2 %`, `at most 0.1 %`.
    pub expected_words: String,
    /// What it is, in words.
    pub got_words: String,
    /// The baseline's value; the limit of a rule.
    pub expected: Option<Value>,
    /// The capture's value; `None` for unknown.
    pub got: Option<Value>,
    /// How far it may lie off, in words; the rule as written, of a rule.
    pub tolerance: String,
    /// The rule, where one was broken.
    pub rule: Option<String>,
    /// Line of the baseline.
    pub line: Option<usize>,
    /// Where to look.
    pub look: Look,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// At a frame.
    Frame(u64),
    /// At a connection.
    Connection(u64),
    /// At the capture as a whole.
    Capture,
}

/// What is wrong with a baseline, or with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line of the baseline.
    pub line: Option<usize>,
    /// What, and what to do.
    pub text: String,
}

/// How a capture came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All is as it must be.
    Passed,
    /// A value is not.
    Failed,
    /// It could not be checked, or not wholly.
    Error,
    /// There was nothing to check it against.
    Unchecked,
}

impl Status {
    /// The word for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Unchecked => "unchecked",
        }
    }
}

impl Problem {
    /// Of a line.
    pub fn at(line: usize, text: impl Into<String>) -> Self {
        Self { line: Some(line), text: text.into() }
    }

    /// Of no line.
    pub fn new(text: impl Into<String>) -> Self {
        Self { line: None, text: text.into() }
    }
}

impl CheckedPart {
    /// In words: `capture`, `connection 0`, `connection 0 c2s`.
    pub fn name(&self) -> String {
        match (self.connection, self.dir) {
            (None, _) => "capture".to_owned(),
            (Some(number), None) => format!("connection {number}"),
            (Some(number), Some(dir)) => format!("connection {number} {}", dir.name()),
        }
    }
}

impl CaptureCheck {
    /// How it came out.
    pub fn status(&self) -> Status {
        if !self.problems.is_empty() {
            Status::Error
        } else if self.failed() > 0 {
            Status::Failed
        } else if self.baseline.is_none() && self.checked() == 0 {
            Status::Unchecked
        } else {
            Status::Passed
        }
    }

    /// Values and rules checked.
    pub fn checked(&self) -> usize {
        self.parts.iter().map(|part| part.checked).sum()
    }

    /// Those that failed.
    pub fn failed(&self) -> usize {
        self.parts.iter().map(|part| part.breaches.len()).sum()
    }
}

impl CheckRun {
    /// How many captures came out so.
    pub fn count(&self, status: Status) -> usize {
        self.captures.iter().filter(|capture| capture.status() == status).count()
    }

    /// Values and rules checked.
    pub fn checked(&self) -> usize {
        self.captures.iter().map(CaptureCheck::checked).sum()
    }

    /// Those that failed.
    pub fn failed(&self) -> usize {
        self.captures.iter().map(CaptureCheck::failed).sum()
    }
}
