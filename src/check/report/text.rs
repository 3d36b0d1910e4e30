//! For people: a line for each capture that is not as it must be, what differs below it, and the sum at the end.

use std::fmt::Write as _;

use super::{CheckReport, look, sentence};
use crate::check::result::{CaptureCheck, CheckRun, Status};
use crate::human;
use crate::output::escape;

/// The row of [`super::REPORTS`].
pub(super) struct Text;

impl CheckReport for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn about(&self) -> &'static str {
        "For people: what differs, and where to look"
    }

    fn write(&self, run: &CheckRun) -> String {
        let mut out = String::new();
        for capture in &run.captures {
            capture_block(&mut out, capture);
        }
        let count = |number: usize, noun: &str| human::counted(number as u64, noun);
        let _ = write!(
            out,
            "{}, {} checked, {} failed",
            count(run.captures.len(), "capture"),
            count(run.checked(), "value"),
            human::count(run.failed() as u64)
        );
        for (status, words) in [(Status::Error, "with errors"), (Status::Unchecked, "without a baseline")] {
            let captures = run.count(status);
            if captures > 0 {
                let _ = write!(out, ", {} {words}", count(captures, "capture"));
            }
        }
        out.push('\n');
        out
    }
}

/// Writing to a String cannot fail, so its results are dropped here.
fn capture_block(out: &mut String, capture: &CaptureCheck) {
    let path = escape(&capture.path);
    if let Some(values) = capture.blessed {
        let written = human::counted(values as u64, "value");
        let baseline = escape(capture.baseline.as_deref().unwrap_or_default());
        let _ = match values {
            0 => writeln!(out, "{path}  blessed: nothing to change"),
            _ => writeln!(out, "{path}  blessed: {written} written to {baseline}"),
        };
    }
    match capture.status() {
        Status::Passed => return,
        Status::Unchecked if capture.blessed.is_some() => return,
        Status::Unchecked => {
            let _ = writeln!(out, "{path}  not checked: no baseline (--bless writes one)");
            return;
        }
        Status::Failed => _ = writeln!(out, "{path}  FAIL"),
        Status::Error => _ = writeln!(out, "{path}  ERROR"),
    }
    for problem in &capture.problems {
        let _ = match (problem.line, &capture.baseline) {
            (Some(line), Some(baseline)) => {
                writeln!(out, "  {}:{line}: {}", escape(baseline), escape(&problem.text))
            }
            _ => writeln!(out, "  {}", escape(&problem.text)),
        };
    }
    for part in capture.parts.iter().filter(|part| !part.breaches.is_empty()) {
        let _ = match part.ends.as_str() {
            "" => writeln!(out, "  {}", part.name()),
            ends => writeln!(out, "  {}  {}", part.name(), escape(ends)),
        };
        for breach in &part.breaches {
            let _ = writeln!(out, "    {}", escape(&sentence(breach)));
            if let Some(rule) = &breach.rule {
                let _ = writeln!(out, "      rule: {}", escape(rule));
            }
            let _ = writeln!(out, "      look: {}", escape(&look(&capture.path, breach.look)));
        }
    }
}
