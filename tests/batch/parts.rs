//! One dataset by several machines: shards, plans and tasks.

use std::io::Write;
use std::process::Stdio;

use super::support::{batch, captures, differing, files, output, table};
use crate::cli::{program, text};

/// Without the summary, which only a run over everything writes.
fn parts(dir: &std::path::Path) -> super::support::Files {
    files(dir).into_iter().filter(|(name, _)| !name.starts_with("summary.")).collect()
}

#[test]
fn shards_that_run_at_the_same_time_make_the_dataset_of_one_machine() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 20);
    output(&mut batch(&input, &dir.path().join("whole")));
    let runs: Vec<_> = (0..3)
        .map(|shard| {
            batch(&input, &set)
                .args(["--shard", &format!("{shard}/3")])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut done = 0;
    for run in runs {
        let ran = run.wait_with_output().unwrap();
        assert!(ran.status.success());
        let said = text(&ran.stdout).split(' ').next().unwrap().parse::<u32>().unwrap();
        assert!((1..20).contains(&said), "{said}");
        done += said;
    }
    assert_eq!(done, 20);
    assert_eq!(differing(&parts(&dir.path().join("whole")), &files(&set)), [""; 0]);
    let last = output(&mut batch(&input, &set));
    assert!(text(&last.stdout).starts_with("20 traces: 0 done, 20 done before"), "{}", text(&last.stdout));
    assert_eq!(differing(&files(&dir.path().join("whole")), &files(&set)), [""; 0]);
}

#[test]
fn tasks_of_a_plan_make_the_same_dataset_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 5);
    output(&mut batch(&input, &dir.path().join("whole")));
    let plan = output(program().arg("batch").arg(&input).arg("--plan"));
    let plan = text(&plan.stdout);
    assert_eq!(plan.lines().count(), 5);
    for line in plan.lines() {
        let task: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(task["memory_bytes"].as_u64().unwrap() > 1_000_000, "{line}");
        let mut run = program()
            .args(["batch", "--task", "-", "--no-predict", "--log", "json", "--out"])
            .arg(&set)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        run.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let ran = run.wait_with_output().unwrap();
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let log: serde_json::Value = serde_json::from_str(text(&ran.stderr).trim()).unwrap();
        assert_eq!((&log["trace"], &log["status"]), (&task["trace"], &"done".into()));
        assert_eq!(log["bytes"], task["bytes"]);
    }
    assert_eq!(differing(&parts(&dir.path().join("whole")), &files(&set)), [""; 0]);
}

#[test]
fn a_trace_that_its_engine_lost_is_a_failure_until_it_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 2);
    let plan = output(program().arg("batch").arg(&input).arg("--plan"));
    let mut tasks = Vec::new();
    for line in text(&plan.stdout).lines() {
        let mut task: serde_json::Value = serde_json::from_str(line).unwrap();
        task["lost"] = "the node died".into();
        tasks.push(task.to_string());
    }
    let list = dir.path().join("lost");
    std::fs::write(&list, tasks.join("\n")).unwrap();
    // What one of the tries has put there meanwhile stays.
    output(batch(&input.join("web1"), &set).arg("--root").arg(&input));
    let mut record_lost = program();
    record_lost.args(["batch", "--no-predict", "--task"]).arg(&list).arg("--out").arg(&set);
    let ran = output(&mut record_lost);
    assert_eq!(ran.status.code(), Some(2));
    assert_eq!(text(&ran.stdout).lines().next(), Some("2 traces: 1 done, 1 done before, 1 failed"));
    let failures = table(&files(&set), "failures", "web0%2Fc0.pcap");
    assert_eq!(failures.column("kind").unwrap().str().unwrap().get(0), Some("lost"));
    assert_eq!(failures.column("reason").unwrap().str().unwrap().get(0), Some("the node died"));
    let summary = output(program().args(["batch", "--summarize", "--out"]).arg(&set));
    assert!(text(&summary.stdout).contains("the node died"), "{}", text(&summary.stdout));
    // Another run tries it again.
    output(&mut batch(&input, &dir.path().join("whole")));
    let ran = output(&mut batch(&input, &set));
    assert_eq!(text(&ran.stdout).lines().next(), Some("2 traces: 1 done, 1 done before, 0 failed"));
    assert_eq!(differing(&files(&dir.path().join("whole")), &files(&set)), [""; 0]);
}
