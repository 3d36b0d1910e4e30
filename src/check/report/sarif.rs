//! SARIF 2.1.0 (OASIS standard, 27 March 2020), which code scanning reads: a result for each breach.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{CheckReport, breaches, look, sentence};
use crate::check::result::{CaptureCheck, CheckRun};
use crate::output::escape_json;

/// The row of [`super::REPORTS`].
pub(super) struct Sarif;

impl CheckReport for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn about(&self) -> &'static str {
        "SARIF 2.1.0, for code scanning"
    }

    fn write(&self, run: &CheckRun) -> String {
        let mut results = Vec::new();
        for capture in &run.captures {
            for problem in &capture.problems {
                results.push(result(capture, "problem", problem.line, &problem.text));
            }
            for (part, breach) in breaches(capture) {
                let text = format!(
                    "{}: {}: {}. Look: {}",
                    capture.path,
                    part.name(),
                    sentence(breach),
                    look(&capture.path, breach.look)
                );
                results.push(result(capture, &breach.field, breach.line, &text));
            }
        }
        let ids: BTreeSet<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
        let rules: Vec<Value> = ids.into_iter().map(|id| json!({ "id": id })).collect();
        let document = json!({
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "tcptrace-rs",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                } },
                "results": results,
            }],
        });
        escape_json(document.to_string()) + "\n"
    }
}

fn result(capture: &CaptureCheck, rule: &str, line: Option<usize>, text: &str) -> Value {
    let location = match (&capture.baseline, line) {
        (Some(baseline), Some(line)) => json!({
            "artifactLocation": { "uri": uri(baseline) },
            "region": { "startLine": line },
        }),
        _ => json!({ "artifactLocation": { "uri": uri(&capture.path) } }),
    };
    json!({
        "ruleId": rule,
        "level": "error",
        "message": { "text": text },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A path as a relative reference (RFC 3986): what is not unreserved is written in hexadecimal.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                uri.push(byte.into());
            }
            // Writing to a String cannot fail.
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}
