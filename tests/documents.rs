//! The documents say what the code does: every field, link type, tunnel, format and reason has its line.

use std::path::{Path, PathBuf};

use tcptrace_rs::analysis::evidence;
use tcptrace_rs::capture::{compression_names, format_names, open};
use tcptrace_rs::decode::SKIP_REASONS;
use tcptrace_rs::decode::link::LINK_LAYERS;
use tcptrace_rs::decode::tunnel::{Over, TUNNELS};
use tcptrace_rs::driver::{Options, ReportSink, analyze, analyze_into};
use tcptrace_rs::report::{ConnectionReport, RetransmissionRow};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// Names that a page's tables define: those in backticks in the first cell of a row.
fn defined(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.flat_map(|row| row.split(" | ").next().unwrap().split(", "))
        .map(|name| name.trim_matches('`'))
        .collect()
}

/// Fields of the structs in a file of src/report/, under the names they have in the output.
fn fields(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut renamed = None;
    for line in source.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("#[serde(rename = \"") {
            renamed = name.split('"').next();
        } else if line.starts_with("#[serde(flatten)]") || line.starts_with("#[serde(skip)]") {
            renamed = Some("");
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|field| field.split_once(": "))
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        {
            names.push(renamed.take().unwrap_or(name).to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// What has a section in docs/metrics.md, not a row.
fn is_section(field: &str) -> bool {
    matches!(field, "capture" | "connections")
}

#[test]
fn every_field_of_the_report_is_defined() {
    let text = page("docs/metrics.md");
    let defined = defined(&text);
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("src/report")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        if !source.contains("Serialize") {
            // The rounds go from the analysis to the path and the plots, not into the report.
            continue;
        }
        for field in fields(&source) {
            assert!(
                is_section(&field) || defined.contains(&&*field),
                "docs/metrics.md does not define {field} of {}",
                path.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 120, "{seen}");
}

#[test]
fn every_evidence_is_defined_and_no_capture_shows_another() {
    let text = page("docs/metrics.md");
    let mut known = Vec::new();
    for (id, about) in evidence() {
        assert!(text.contains(&format!("| `{id}` | {about} |\n")), "docs/metrics.md lacks {id}: {about}");
        assert!(!known.contains(&id), "{id} is there twice");
        known.push(id);
    }
    let mut seen = Vec::new();
    for path in tcptrace_rs::tree::files(&root().join("fixtures"), |_| true).unwrap() {
        let Ok(mut source) = open(&path) else { continue };
        let mut rows = Evidence::default();
        analyze_into(&mut source, &Options::default(), &mut rows, &mut |_| true);
        for id in rows.0 {
            assert!(known.contains(&id), "{}: {id}", path.display());
            seen.push(id);
        }
    }
    assert!(seen.contains(&"dsack") && seen.contains(&"tsval-order"), "{seen:?}");
}

/// What the rows of a capture have as evidence.
#[derive(Default)]
struct Evidence(Vec<&'static str>);

impl ReportSink for Evidence {
    fn connection(&mut self, _: ConnectionReport) {}
    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.0.push(row.evidence);
    }
}

/// Every key of a JSON document.
fn keys(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                into.push(key.clone());
                // Their keys are the reasons.
                if key != "skipped" && key != "skipped_records" {
                    keys(value, into);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_document_is_defined() {
    let mut source = open(root().join("fixtures/small/drop.pcap")).unwrap();
    let (report, error) = analyze(&mut source, &Options::default());
    assert!(error.is_none());
    assert!(!report.capture.warnings.is_empty(), "so that their keys are seen too");
    let mut found = Vec::new();
    keys(&serde_json::to_value(&report).unwrap(), &mut found);
    let text = page("docs/metrics.md");
    let defined = defined(&text);
    for key in &found {
        assert!(is_section(key) || defined.contains(&&**key), "docs/metrics.md does not define {key}");
    }
    assert!(found.len() > 150, "{}", found.len());
}

fn numbers(codes: &[u16]) -> String {
    codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn announcement(over: Over) -> String {
    match over {
        Over::EtherType(value) => format!("EtherType 0x{value:04x}"),
        Over::IpProtocol(value) => format!("IP protocol {value}"),
        Over::UdpPort(value) => format!("UDP port {value}"),
    }
}

#[test]
fn everything_that_is_read_is_listed() {
    let text = page("docs/limits.md");
    let mut rows = Vec::new();
    rows.extend(LINK_LAYERS.iter().map(|row| format!("| {} | {} |", row.name, numbers(row.codes))));
    for row in TUNNELS {
        let over: Vec<String> = row.over.iter().map(|&over| announcement(over)).collect();
        rows.push(format!("| {} | {} |", row.name, over.join(", ")));
    }
    rows.extend(format_names().map(|name| format!("| {name} |")));
    rows.extend(compression_names().map(|(name, _)| format!("| {name} |")));
    rows.extend(SKIP_REASONS.iter().map(|(_, name, meaning)| format!("| `{name}` | {meaning} |")));
    for row in &rows {
        assert!(
            text.contains(&**row),
            "docs/limits.md lacks this row:\n{row}\nall of them:\n{}",
            rows.join("\n")
        );
    }
}

#[test]
fn every_command_of_the_readme_names_files_that_are_there() {
    let text = page("README.md");
    let mut seen = 0;
    for word in text.split_whitespace().filter(|word| word.starts_with("fixtures/")) {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        assert!(root().join(word).exists(), "{word}");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn every_link_between_the_documents_leads_somewhere() {
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        for part in page(name).split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                assert!(Path::new(&root()).join(target).exists(), "{name}: {target}");
            }
        }
    }
}

/// `UPDATE_DOCS=1 cargo test readme` writes the report anew.
#[test]
#[cfg(feature = "cli")]
fn the_readme_shows_what_the_program_prints() {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_tcptrace-rs"));
    let shown = "fixtures/real/tail-bursts-loss4-cubic.snd.pcapng";
    let output = program.current_dir(root()).args(["analyze", "--color", "never", shown]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let indent = |line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    let block: Vec<String> = printed.lines().map(indent).collect();
    let text = page("README.md");
    let begin = format!("    $ tcptrace-rs analyze {shown}\n\n");
    let start = text.find(&begin).unwrap() + begin.len();
    let end = start + text[start..].find("\nWhat it tells:").unwrap();
    let fresh = format!("{}\n", block.join("\n").trim_end());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("README.md"), format!("{}{fresh}{}", &text[..start], &text[end..]))
            .unwrap();
        return;
    }
    assert_eq!(&text[start..end], fresh, "UPDATE_DOCS=1 cargo test readme");
}

#[test]
fn every_share_that_rules_can_name_is_defined() {
    let text = page("docs/commands/check.md");
    for row in tcptrace_rs::check::derived::DERIVED {
        let line = format!("| `{}` | {} |", row.name, row.about);
        assert!(text.contains(&line), "docs/commands/check.md lacks this row:\n{line}");
    }
}
