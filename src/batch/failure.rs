//! What stopped the reading of a capture, as a row of the `failures` table.

use crate::error::CaptureError;
use crate::report::batch::{Failure, FailureKind};

/// The row. `name` is what the file is called below the input, which the text then says instead of its path on this machine.
pub(super) fn of_error(error: &CaptureError, name: &str) -> Failure {
    let kind = match error {
        _ if error.is_truncation() => FailureKind::Truncated,
        CaptureError::Io { .. } => FailureKind::Unreadable,
        CaptureError::NotACapture { .. } | CaptureError::Empty { .. } | CaptureError::Unsupported { .. } => {
            FailureKind::NotACapture
        }
        CaptureError::Truncated { .. }
        | CaptureError::Corrupt { .. }
        | CaptureError::Compression { .. }
        | CaptureError::TooMuch { .. } => FailureKind::Corrupt,
    };
    Failure {
        kind,
        reason: error.to_string().replace(error.path(), name),
        file: name.to_owned(),
        partial: error.frames().is_some(),
        frames: error.frames(),
    }
}

/// The row of a trace that was given up.
pub(super) fn of_trace(kind: FailureKind, reason: String, name: &str) -> Failure {
    Failure { kind, reason, file: name.to_owned(), partial: false, frames: None }
}
