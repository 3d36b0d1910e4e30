//! One JSON document.

use super::{CheckReport, breaches, look};
use crate::check::result::{CaptureCheck, CheckRun};
use crate::check::value::Value;
use crate::output::escape_json;
use crate::report::SCHEMA;
use crate::report::check::{BreachReport, CheckDocument, CheckedCapture, ProblemReport, Scalar};

/// The row of [`super::REPORTS`].
pub(super) struct Json;

impl CheckReport for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document"
    }

    fn write(&self, run: &CheckRun) -> String {
        let document = CheckDocument {
            schema: SCHEMA,
            checked: run.checked(),
            failed: run.failed(),
            captures: run.captures.iter().map(capture).collect(),
        };
        // Its maps have text as keys and its numbers are finite, so that it always serializes.
        escape_json(serde_json::to_string(&document).unwrap_or_default()) + "\n"
    }
}

fn capture(check: &CaptureCheck) -> CheckedCapture {
    let breach =
        |(part, breach): (&crate::check::result::CheckedPart, &crate::check::result::Breach)| BreachReport {
            connection: part.connection,
            dir: part.dir.map(crate::report::Dir::name),
            field: breach.field.clone(),
            expected: breach.expected.as_ref().map(scalar),
            got: breach.got.as_ref().map(scalar),
            tolerance: breach.tolerance.clone(),
            rule: breach.rule.clone(),
            line: breach.line,
            look: look(&check.path, breach.look),
        };
    CheckedCapture {
        path: check.path.clone(),
        baseline: check.baseline.clone(),
        status: check.status().name(),
        checked: check.checked(),
        blessed: check.blessed,
        breaches: breaches(check).map(breach).collect(),
        problems: check
            .problems
            .iter()
            .map(|problem| ProblemReport { line: problem.line, text: problem.text.clone() })
            .collect(),
    }
}

fn scalar(value: &Value) -> Scalar {
    match value {
        Value::Int(number) => Scalar::Int(*number),
        Value::Float(number) => Scalar::Float(*number),
        Value::Text(text) => Scalar::Text(text.clone()),
        Value::Bool(bool) => Scalar::Bool(*bool),
    }
}
