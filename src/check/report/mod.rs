//! The result of a check in a format. One file is one row of [`REPORTS`].

mod github;
mod json;
mod junit;
mod sarif;
mod text;

use super::result::{Breach, CaptureCheck, CheckRun, CheckedPart, Look};

/// A format.
pub trait CheckReport: Sync {
    /// The value of `--format`.
    fn name(&self) -> &'static str;
    /// One line of help.
    fn about(&self) -> &'static str;
    /// The whole result.
    fn write(&self, run: &CheckRun) -> String;
}

/// All of them, the default first.
pub const REPORTS: &[&dyn CheckReport] =
    &[&text::Text, &json::Json, &junit::Junit, &github::GitHub, &sarif::Sarif];

/// The row of that name.
pub fn find(name: &str) -> Option<&'static dyn CheckReport> {
    REPORTS.iter().copied().find(|row| row.name() == name)
}

/// The command that shows more about a breach.
fn look(capture: &str, look: Look) -> String {
    let capture = shell(capture);
    match look {
        Look::Frame(frame) => format!("tcptrace-rs explain {capture} {frame}"),
        Look::Connection(number) => format!("tcptrace-rs analyze --verbose --connection {number} {capture}"),
        Look::Capture => format!("tcptrace-rs analyze --verbose {capture}"),
    }
}

/// A breach on one line: field, expected, got.
fn sentence(breach: &Breach) -> String {
    format!("{}  expected {}, got {}", breach.field, breach.expected_words, breach.got_words)
}

/// All breaches of a capture, with the parts they are of.
fn breaches(capture: &CaptureCheck) -> impl Iterator<Item = (&CheckedPart, &Breach)> {
    capture.parts.iter().flat_map(|part| part.breaches.iter().map(move |breach| (part, breach)))
}

/// A file name as a shell's word.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@,%=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
