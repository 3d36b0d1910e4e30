//! How a run ends.

use std::io;
use std::process::ExitCode;

use super::console::{self, Console};
use crate::error::CaptureError;

/// A bound was breached.
const BREACH: u8 = 1;
/// Usage error, unreadable input, or input that ended early.
pub(super) const ERROR: u8 = 2;

/// How a command ended that has told everything it had to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to complain of: exit code 0.
    Done,
    /// A bound was breached: exit code 1.
    Breach,
    /// The input ended early; what could be read is reported and the reason was told: exit code 2.
    Incomplete,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Breach => Self::from(BREACH),
            Outcome::Incomplete => Self::from(ERROR),
        }
    }
}

/// Says what was wrong with the input, and what that makes of the run. `done` is what became of the rest: "reported".
pub(super) fn tell_input(
    errors: &[CaptureError],
    allow_truncated: bool,
    done: &str,
    console: Console,
) -> Outcome {
    let mut outcome = Outcome::Done;
    for error in errors {
        if allow_truncated && error.is_truncation() {
            console.warning(&error.to_string());
            continue;
        }
        console::error(&error.to_string());
        if error.is_truncation() {
            console.hint(&format!("what could be read is {done}; --allow-truncated makes this exit 0"));
        }
        outcome = Outcome::Incomplete;
    }
    outcome
}

/// What is said where a connection was asked for that is none of the `found` ones.
pub(super) fn no_connection(number: u64, found: u64) -> String {
    match found {
        0 => format!("there is no connection {number}: none was found"),
        1 => format!("there is no connection {number}: 1 was found, with number 0"),
        _ => format!("there is no connection {number}: {found} were found, numbered 0 to {}", found - 1),
    }
}

/// Whether whoever read the output has gone away (`| head`), which is no error.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_reader_that_left_is_found_below_its_context() {
        let broken: io::Result<()> = Err(io::ErrorKind::BrokenPipe.into());
        assert!(is_broken_pipe(&broken.context("standard output").unwrap_err()));
        let full: io::Result<()> = Err(io::ErrorKind::StorageFull.into());
        assert!(!is_broken_pipe(&full.context("standard output").unwrap_err()));
    }
}
