//! What the summary says of a dataset.

use super::support::{batch, captures, files, fixture, output};
use crate::cli::text;

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
