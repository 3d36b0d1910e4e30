//! `JUnit` XML, which CI servers read: a suite for each capture, a case for each part of it of which something was checked.
//!
//! Elements and attributes are those of the Ant `JUnit` schema that Jenkins and `GitLab` document.

use std::fmt::Write as _;

use super::{CheckReport, look, sentence};
use crate::check::result::{CaptureCheck, CheckRun, CheckedPart, Status};
use crate::output::escape;

/// The row of [`super::REPORTS`].
pub(super) struct Junit;

/// What is counted of a suite.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(capture: &CaptureCheck) -> Self {
        let failures = capture.parts.iter().filter(|part| !part.breaches.is_empty()).count();
        let errors = capture.problems.len();
        let skipped = usize::from(capture.status() == Status::Unchecked);
        Self { tests: capture.parts.len() + errors + skipped, failures, errors, skipped }
    }

    fn attributes(self) -> String {
        let Self { tests, failures, errors, skipped } = self;
        format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}

impl CheckReport for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "JUnit XML, for CI servers: a suite for each capture"
    }

    fn write(&self, run: &CheckRun) -> String {
        let mut sum = Counts::default();
        for counts in run.captures.iter().map(Counts::of) {
            sum.tests += counts.tests;
            sum.failures += counts.failures;
            sum.errors += counts.errors;
            sum.skipped += counts.skipped;
        }
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, r#"<testsuites name="tcptrace-rs check" {}>"#, sum.attributes());
        for capture in &run.captures {
            suite(&mut out, capture);
        }
        out.push_str("</testsuites>\n");
        out
    }
}

fn suite(out: &mut String, capture: &CaptureCheck) {
    let path = xml(&capture.path);
    let _ = writeln!(out, r#"  <testsuite name="{path}" {}>"#, Counts::of(capture).attributes());
    for (number, problem) in (1..).zip(&capture.problems) {
        let place = match (&capture.baseline, problem.line) {
            (Some(baseline), Some(line)) => format!("{baseline}:{line}: "),
            _ => String::new(),
        };
        let _ = writeln!(out, r#"    <testcase classname="{path}" name="problem {number}">"#);
        let _ = writeln!(
            out,
            r#"      <error message="{}" type="error"/>"#,
            xml(&format!("{place}{}", problem.text))
        );
        let _ = writeln!(out, "    </testcase>");
    }
    if capture.status() == Status::Unchecked {
        let _ = writeln!(out, r#"    <testcase classname="{path}" name="capture">"#);
        let _ = writeln!(out, r#"      <skipped message="no baseline"/>"#);
        let _ = writeln!(out, "    </testcase>");
    }
    for part in &capture.parts {
        case(out, capture, part);
    }
    let _ = writeln!(out, "  </testsuite>");
}

fn case(out: &mut String, capture: &CaptureCheck, part: &CheckedPart) {
    let (path, name) = (xml(&capture.path), part.name());
    let attributes = format!(r#"classname="{path}" name="{name}" assertions="{}""#, part.checked);
    if part.breaches.is_empty() {
        let _ = writeln!(out, "    <testcase {attributes}/>");
        return;
    }
    let message = match part.breaches.as_slice() {
        [only] => sentence(only),
        several => format!("{} of {} checks failed", several.len(), part.checked),
    };
    let _ = writeln!(out, "    <testcase {attributes}>");
    let _ = write!(out, r#"      <failure message="{}" type="breach">"#, xml(&message));
    for breach in &part.breaches {
        let _ =
            write!(out, "{}\n  look: {}\n", xml(&sentence(breach)), xml(&look(&capture.path, breach.look)));
    }
    let _ = writeln!(out, "</failure>");
    let _ = writeln!(out, "    </testcase>");
}

/// Text as character data or inside an attribute. XML 1.0 allows no control characters, not even as references.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in escape(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
