//! What the summary says of a dataset.

use super::support::{batch, captures, differing, files, fixture, output};
use crate::cli::{program, text};

#[test]
fn the_summary_adds_up_what_the_parts_hold() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 6);
    std::fs::copy(fixture("small/cut.pcap"), input.join("cut.pcap")).unwrap();
    let ran = output(&mut batch(&input, &set));
    let made = files(&set);
    let summary: serde_json::Value = serde_json::from_slice(&made["summary.json"]).unwrap();
    assert_eq!((&summary["traces"], &summary["failed_traces"]), (&7.into(), &1.into()));
    assert_eq!(summary["failures"][0]["kind"], "truncated");
    // 13 connections of 10.0.0.1 to 10.0.0.2, port 80, with 700 bytes each, in the hour of 2023-11-14 22:13 UTC.
    let groups = |by: &str| {
        let all = summary["groups"].as_array().unwrap();
        all.iter().find(|groups| groups["by"] == by).unwrap()["groups"].as_array().unwrap().clone()
    };
    for (by, key) in [("client_subnet", "10.0.0.0/24"), ("server_port", "80"), ("hour", "2023-11-14 22:00")] {
        let group =
            groups(by).into_iter().find(|group| group["key"] == key).unwrap_or_else(|| panic!("{by}"));
        assert!(group["counts"]["unique_bytes"].as_u64().unwrap() >= 13 * 700, "{by}: {group}");
    }
    assert!(summary["switching"].is_null());
    // It is printed below the line on the run.
    let printed = text(&ran.stdout).split_once("\n\n").unwrap().1;
    assert_eq!(printed.as_bytes(), made["summary.txt"]);
    let page = text(&made["summary.html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("10.0.0.0/24"));
}

#[test]
fn the_worst_and_their_loss_are_those_of_the_transfer() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("set");
    output(&mut batch(&fixture("real/tail-bursts-loss4-cubic.snd.pcapng"), &set));
    let summary: serde_json::Value = serde_json::from_slice(&files(&set)["summary.json"]).unwrap();
    // The README shows its report: 38 packets lost, none sent again in vain.
    assert_eq!(
        (&summary["totals"]["lost_packets"], &summary["totals"]["spurious_packets"]),
        (&38.into(), &0.into())
    );
    let worst = summary["worst"].as_array().unwrap();
    let loss = worst.iter().find(|symptom| symptom["symptom"] == "loss").unwrap();
    let packets = summary["totals"]["data_packets"].as_f64().unwrap();
    assert!((loss["worst"][0]["value"].as_f64().unwrap() - 38.0 / packets).abs() < 0.01);
    assert!(!worst.iter().any(|symptom| symptom["symptom"] == "spurious"));
}

#[test]
fn any_number_of_threads_writes_the_same_summary() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    // Some shares of traces, the last one not full.
    captures(&input, 100);
    output(&mut batch(&input, &set));
    let made = files(&set);
    for jobs in ["1", "2", "7"] {
        let ran = output(program().args(["batch", "--summarize", "--jobs", jobs, "--out"]).arg(&set));
        assert!(ran.status.success(), "{ran:?}");
        // No terminal, no bar.
        assert_eq!(text(&ran.stderr), "");
        assert_eq!(differing(&made, &files(&set)), [""; 0], "{jobs}");
    }
}

/// `script` of util-linux gives a program a terminal; where there is none, nothing is tested.
#[test]
fn a_terminal_is_shown_how_far_the_summary_is() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 3);
    output(&mut batch(&input, &set));
    let seen = |options: &str| {
        let program = env!("CARGO_BIN_EXE_tcptrace-rs");
        let command = format!("'{program}' batch --summarize {options} --out '{}' >/dev/null", set.display());
        let mut script = std::process::Command::new("script");
        let ran = script.args(["-qec", &command, "/dev/null"]).stdin(std::process::Stdio::null()).output();
        ran.ok().map(|ran| text(&ran.stdout).to_owned())
    };
    let Some(shown) = seen("") else { return };
    assert!(shown.contains("of 3 traces"), "{shown:?}");
    for options in ["-q", "--log json"] {
        assert_eq!(seen(options).unwrap(), "", "{options}");
    }
}
