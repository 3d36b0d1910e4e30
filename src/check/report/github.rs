//! Workflow commands, which GitHub shows as annotations of a pull request: one for each breach, at the line of the baseline.
//!
//! Escapes are those of the runner: `%`, carriage return and line feed in all data, colon and comma in properties too.

use std::fmt::Write as _;

use super::{CheckReport, breaches, look, sentence};
use crate::check::result::{CaptureCheck, CheckRun, Status};
use crate::output::escape;

/// The row of [`super::REPORTS`].
pub(super) struct GitHub;

impl CheckReport for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn about(&self) -> &'static str {
        "Workflow commands of GitHub: an annotation for each breach"
    }

    fn write(&self, run: &CheckRun) -> String {
        let mut out = String::new();
        for capture in &run.captures {
            for problem in &capture.problems {
                annotation(&mut out, capture, problem.line, "check cannot tell", &[&problem.text]);
            }
            for (part, breach) in breaches(capture) {
                let title = format!("{} {}", part.name(), breach.field);
                let rule = breach.rule.as_ref().map(|rule| format!("rule: {rule}"));
                let look = format!("look: {}", look(&capture.path, breach.look));
                let sentence = format!("{}: {}: {}", capture.path, part.name(), sentence(breach));
                let mut lines = vec![sentence.as_str()];
                lines.extend(rule.as_deref());
                lines.push(&look);
                annotation(&mut out, capture, breach.line, &title, &lines);
            }
            if capture.status() == Status::Unchecked {
                let path = property(&capture.path);
                // Writing to a String cannot fail.
                let _ = writeln!(out, "::warning file={path},title=not checked::no baseline");
            }
        }
        out
    }
}

/// At the baseline's line, or at the capture where no line is to blame.
fn annotation(out: &mut String, capture: &CaptureCheck, line: Option<usize>, title: &str, lines: &[&str]) {
    let place = match (&capture.baseline, line) {
        (Some(baseline), Some(line)) => format!("file={},line={line}", property(baseline)),
        _ => format!("file={}", property(&capture.path)),
    };
    let message: Vec<String> = lines.iter().map(|line| data(line)).collect();
    let _ = writeln!(out, "::error {place},title={}::{}", property(title), message.join("%0A"));
}

/// One line of a message.
fn data(text: &str) -> String {
    escape(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
