//! Captures that do not end: reports on the way, and requests to stop.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::cli::{frame, pcap, program, text};

/// 45 segments of 100 bytes 1 ms apart, the 6th and 7th sent again right after the 20th. More than the reader looks ahead.
fn upload() -> Vec<u8> {
    let data = |number: u32| frame(40_000, true, 1_000 + number * 100, 1, 0x10, &[7; 100]);
    let mut frames: Vec<_> = (0..20).map(data).collect();
    frames.extend([data(5), data(6)]);
    frames.extend((20..43).map(data));
    pcap(&frames)
}

#[test]
fn each_period_of_the_captures_time_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("upload.pcap");
    std::fs::write(&path, upload()).unwrap();
    let run = |format: &str| {
        let mut command = program();
        command.args(["analyze", "--no-predict", "--report-every", "10ms", "--format", format]).arg(&path);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout).to_owned()
    };
    let lines: Vec<serde_json::Value> =
        run("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    // The last five milliseconds are not over: they are in the report itself.
    assert_eq!(kinds, ["period", "period", "period", "period", "connection", "capture"]);
    for (line, started) in lines[..4].iter().zip([1, 0, 0, 0]) {
        assert_eq!(line["frames"], 10);
        // 14 of Ethernet, 20 of IP, 20 of TCP and 100 of payload, ten times in 10 ms.
        assert_eq!((&line["bytes"], &line["throughput_bps"]), (&1_540.into(), &1_232_000.0.into()));
        assert_eq!((&line["connections_started"], &line["connections_live"]), (&started.into(), &1.into()));
    }
    assert_eq!(lines[1]["start_ns"], 1_700_000_000_010_000_000_i64);
    let shown = run("text");
    let first = shown.lines().next().unwrap();
    assert!(first.contains("10 frames, 1.23 Mbit/s; connections 1 new, 0 ended, 1 open"), "{first}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_gives_the_report_of_what_was_read() {
    asked_to_stop_by("-INT");
}

#[cfg(target_os = "linux")]
#[test]
fn so_does_a_request_to_terminate() {
    asked_to_stop_by("-TERM");
}

/// Below `nohup` neither is caught.
#[cfg(unix)]
pub(crate) fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .any(|line| line.starts_with("SigIgn:") && line.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}

#[cfg(unix)]
fn asked_to_stop_by(signal: &str) {
    if ignores_interrupts() {
        return;
    }
    let mut command = program();
    command.args(["analyze", "--no-predict", "--report-every", "10ms", "--format", "jsonl", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It ends inside a record, as a pipe that is cut does, and it is not closed: only Ctrl-C ends it.
    let bytes = upload();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&bytes[..bytes.len() - 30]).unwrap();
    stdin.flush().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Once it has told of a period, it is reading.
    assert!(lines.next().unwrap().unwrap().contains("\"period\""));
    let killed = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let rest: Vec<serde_json::Value> =
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    let capture = rest.last().unwrap();
    assert_eq!((&capture["type"], &capture["frames"]), (&"capture".into(), &44.into()));
    assert_eq!((&capture["truncated"], &capture["read_error"]), (&false.into(), &serde_json::Value::Null));
    assert!(rest.iter().any(|line| line["type"] == "connection" && line["packets"] == 44));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}
