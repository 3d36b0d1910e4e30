//! `generate schema` says what a report holds: every key of every bundled capture's report is in it, with the type it says.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tcptrace_rs::driver::{Options, analyze};
use tcptrace_rs::report::{Line, schema};

/// What a value breaks, with the way to it. Unlike a validator's, keys that the schema does not name are a fault, since it is to
/// name all of them; so is a keyword that is not known here.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str, into: &mut Vec<String>) {
    let rules: &Map<String, Value> = schema.as_object().unwrap();
    for (keyword, rule) in rules {
        let holds = match keyword.as_str() {
            "$defs" | "$schema" | "title" | "description" | "format" | "items" => true,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                faults(root, &root["$defs"][name], value, at, into);
                true
            }
            "type" => match rule {
                Value::String(name) => is_type(name, value),
                names => names.as_array().unwrap().iter().any(|name| is_type(name.as_str().unwrap(), value)),
            },
            "const" => rule == value,
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
            "oneOf" => fitting(root, rule, value) == 1,
            "anyOf" => fitting(root, rule, value) > 0,
            "required" => {
                let names = rule.as_array().unwrap();
                value
                    .as_object()
                    .is_none_or(|own| names.iter().all(|name| own.contains_key(name.as_str().unwrap())))
            }
            "properties" | "additionalProperties" => {
                keys(root, rules, value, at, into);
                true
            }
            other => panic!("{other} is not known here"),
        };
        if !holds {
            into.push(format!("{at}: {keyword} {rule} does not hold for {value}"));
        }
    }
    if let (Some(items), Some(values)) = (rules.get("items"), value.as_array()) {
        for (place, value) in values.iter().enumerate() {
            faults(root, items, value, &format!("{at}/{place}"), into);
        }
    }
}

fn keys(root: &Value, rules: &Map<String, Value>, value: &Value, at: &str, into: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let own = rules
            .get("properties")
            .and_then(|own| own.get(key))
            .or_else(|| rules.get("additionalProperties"));
        match own {
            Some(schema) => faults(root, schema, value, &format!("{at}/{key}"), into),
            None => into.push(format!("{at}: the schema does not name {key}")),
        }
    }
}

fn fitting(root: &Value, choices: &Value, value: &Value) -> usize {
    let fits = |choice: &&Value| {
        let mut found = Vec::new();
        faults(root, choice, value, "", &mut found);
        found.is_empty()
    };
    choices.as_array().unwrap().iter().filter(fits).count()
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    faults(schema, schema, value, "", &mut found);
    found
}

fn captures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut paths: Vec<PathBuf> = ["small", "link", "capture", "real"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".toml"))
        .collect();
    paths.sort();
    paths
}

/// `None` of an empty file, or one in a compression that this build lacks. Cut captures have a report too.
fn report(path: &Path) -> Option<tcptrace_rs::report::Report> {
    let mut source = tcptrace_rs::capture::open(path).ok()?;
    Some(analyze(&mut source, &Options::default()).0)
}

#[test]
fn every_report_is_as_the_schema_says() {
    let (document, line) = (schema::report(), schema::line());
    let mut connections = 0;
    for path in captures() {
        let Some(report) = report(&path) else { continue };
        let found = check(&document, &serde_json::to_value(&report).unwrap());
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
        for connection in &report.connections {
            let value = serde_json::to_value(Line::connection(connection)).unwrap();
            assert_eq!(fitting(&line, &line["oneOf"], &value), 1, "{}", path.display());
            connections += 1;
        }
        let value = serde_json::to_value(Line::capture(&report.capture)).unwrap();
        assert_eq!(fitting(&line, &line["oneOf"], &value), 1, "{}", path.display());
    }
    assert!(connections > 50, "{connections}");
}

#[test]
fn what_is_no_report_is_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/small/drop.pcap");
    let good = serde_json::to_value(report(&path).unwrap()).unwrap();
    let schema = schema::report();
    assert!(check(&schema, &good).is_empty());
    let spoil = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        check(&schema, &bad).len()
    };
    assert_eq!(spoil("/schema", "tcptrace-rs/0".into()), 1);
    assert_eq!(spoil("/connections/0/state", "asleep".into()), 1);
    assert_eq!(spoil("/connections/0/c2s/packets", "many".into()), 1);
    assert_eq!(spoil("/connections/0/client_port", 70_000.into()), 1);
    assert_eq!(spoil("/connections/0/c2s/rtt_min_us", Value::Null), 0, "unknown is null");
    assert_eq!(spoil("/connections/0/c2s/packets", Value::Null), 1, "a count is never unknown");
    let mut short = good.clone();
    short["capture"].as_object_mut().unwrap().remove("frames");
    short["connections"][0].as_object_mut().unwrap().insert("extra".to_owned(), 1.into());
    assert_eq!(check(&schema, &short).len(), 2);
}

// The keywords that the contract rests on, read from its words.
#[test]
fn the_schema_says_what_the_contract_says() {
    let schema = schema::report();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["schema"]["const"], "tcptrace-rs/1");
    let vantages: Vec<&str> = schema["$defs"]["Vantage"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["const"].as_str().unwrap())
        .collect();
    assert_eq!(vantages, ["sender", "receiver", "middle", "unknown"]);
    let capture = &schema["$defs"]["CaptureReport"]["required"];
    for name in
        ["path", "format", "compression", "frames", "truncated", "skipped", "capture_drops", "warnings"]
    {
        assert!(capture.as_array().unwrap().contains(&name.into()), "{name}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn the_program_prints_both() {
    for (asked, schema) in [(&["schema"][..], schema::report()), (&["schema", "jsonl"], schema::line())] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tcptrace-rs"))
            .arg("generate")
            .args(asked)
            .output()
            .unwrap();
        assert!(output.status.success());
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), schema);
    }
}
