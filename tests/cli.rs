//! The program as a user runs it: exit codes, what goes to which stream, and what never does.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, without the colour and terminal settings of whoever runs the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcptrace-rs"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    program().args(args).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A little-endian microsecond pcap of Ethernet frames 1 ms apart from 2023-11-14 22:13:20 UTC on.
pub(crate) fn pcap(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    for (number, frame) in (0_u32..).zip(frames) {
        let len = u32::try_from(frame.len()).unwrap();
        for word in [1_700_000_000, number * 1_000, len, len] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}

/// Ethernet, IPv4 and TCP without options; `from_client` tells who sends.
pub(crate) fn frame(
    client_port: u16,
    from_client: bool,
    seq: u32,
    ack: u32,
    flags: u8,
    payload: &[u8],
) -> Vec<u8> {
    let (client, server) = (([10, 0, 0, 1], client_port), ([10, 0, 0, 2], 80_u16));
    let (src, dst) = if from_client { (client, server) } else { (server, client) };
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0];
    frame.extend(u16::try_from(40 + payload.len()).unwrap().to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    frame.extend(src.0);
    frame.extend(dst.0);
    frame.extend(src.1.to_be_bytes());
    frame.extend(dst.1.to_be_bytes());
    frame.extend(seq.to_be_bytes());
    frame.extend(ack.to_be_bytes());
    frame.extend([0x50, flags, 0x20, 0, 0, 0, 0, 0]);
    frame.extend(payload);
    frame
}

pub(crate) const FIN: u8 = 1;
pub(crate) const SYN: u8 = 2;
pub(crate) const ACK: u8 = 16;

/// Handshake, `payload` from the client, its acknowledgment, and both FINs.
pub(crate) fn connection(port: u16, payload: &[u8]) -> Vec<Vec<u8>> {
    let end = 1_001 + u32::try_from(payload.len()).unwrap();
    vec![
        frame(port, true, 1_000, 0, SYN, b""),
        frame(port, false, 5_000, 1_001, SYN | ACK, b""),
        frame(port, true, 1_001, 5_001, ACK, b""),
        frame(port, true, 1_001, 5_001, ACK, payload),
        frame(port, false, 5_001, end, ACK, b""),
        frame(port, true, end, 5_001, FIN | ACK, b""),
        frame(port, false, 5_001, end + 1, FIN | ACK, b""),
        frame(port, true, end + 1, 5_002, ACK, b""),
    ]
}

/// Two connections, of 5 and 100 bytes.
pub(crate) fn two_connections() -> Vec<u8> {
    let mut frames = connection(40_000, b"hello");
    frames.extend(connection(40_001, &[b'x'; 100]));
    pcap(&frames)
}

/// A directory with the capture above as `two.pcap`.
pub(crate) struct Fixture(tempfile::TempDir);

impl Fixture {
    pub(crate) fn new() -> Self {
        let fixture = Self(tempfile::tempdir().unwrap());
        fixture.write("two.pcap", &two_connections());
        fixture
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.path(name), bytes).unwrap();
        self.arg(name)
    }

    pub(crate) fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

fn json(bytes: &[u8]) -> serde_json::Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn a_report_says_what_the_packets_were() {
    let fixture = Fixture::new();
    let output = run(&["analyze", &fixture.arg("two.pcap")]);
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    assert!(report.contains("2 connections, most payload bytes first"), "{report}");
    let order =
        [report.find("#1  10.0.0.1:40001 -> 10.0.0.2:80"), report.find("#0  10.0.0.1:40000 -> 10.0.0.2:80")];
    assert!(order[0].is_some() && order[0] < order[1], "{report}");
    assert!(report.contains("data                    100 B in 1 packet"), "{report}");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn json_is_one_document_with_the_right_numbers() {
    let fixture = Fixture::new();
    let output = run(&["analyze", "--format", "json", &fixture.arg("two.pcap")]);
    let report = json(&output.stdout);
    assert_eq!(report["schema"], "tcptrace-rs/1");
    assert_eq!(report["capture"]["tcp_segments"], 16);
    assert_eq!(report["connections"][0]["c2s"]["unique_bytes"], 5);
    assert_eq!(report["connections"][1]["c2s"]["unique_bytes"], 100);
    assert_eq!(report["connections"][1]["role_basis"], "syn");
    assert_eq!(report["connections"][1]["closed_by"], "client_fin");
}

#[test]
fn jsonl_ends_with_the_capture() {
    let fixture = Fixture::new();
    let output = run(&["analyze", "--format", "jsonl", &fixture.arg("two.pcap")]);
    let kinds: Vec<String> =
        text(&output.stdout).lines().map(|line| json(line.as_bytes())["type"].to_string()).collect();
    assert_eq!(kinds, ["\"connection\"", "\"connection\"", "\"capture\""]);
}

#[test]
fn selections_select() {
    let fixture = Fixture::new();
    let capture = fixture.arg("two.pcap");
    let connections = |args: &[&str]| {
        let mut all = vec!["analyze", "--format", "json", &capture];
        all.extend(args);
        let output = run(&all);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = json(&output.stdout);
        let numbers = report["connections"].as_array().unwrap().iter();
        numbers
            .map(|one| (one["connection"].as_u64().unwrap(), one["packets"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(connections(&[]), [(0, 8), (1, 8)]);
    assert_eq!(connections(&["--filter", "port 40001"]), [(0, 8)]);
    assert_eq!(connections(&["--filter", "src host 10.0.0.2 and port 40000"]), [(0, 3)]);
    assert_eq!(connections(&["--connection", "1"]), [(1, 8)]);
    // Frames are 1 ms apart.
    assert_eq!(connections(&["--to", "+7ms"]), [(0, 8)]);
    assert_eq!(connections(&["--from", "+7ms", "--to", "2023-11-14T22:13:20.008Z"]), [(0, 1), (1, 1)]);
    assert_eq!(connections(&["--from", "1700000000.008"]), [(0, 8)]);
}

#[test]
fn the_least_connections_are_counted_in_a_line() {
    let fixture = Fixture::new();
    let output = run(&["analyze", "--top", "1", &fixture.arg("two.pcap")]);
    let report = text(&output.stdout);
    assert!(report.contains("1 further connection with 5 B of payload not shown: --top all"), "{report}");
}

#[test]
fn several_files_are_one_trace() {
    let fixture = Fixture::new();
    let mut frames = connection(40_000, b"hello");
    let late = pcap(&frames).split_off(24 + 4 * (16 + 54) + 5);
    frames.truncate(4);
    let first = fixture.write("first.pcap", &pcap(&frames));
    let mut second = pcap(&[]);
    second.extend(late);
    let second = fixture.write("second.pcap", &second);
    let output = run(&["analyze", "--format", "json", &second, &first]);
    let report = json(&output.stdout);
    assert_eq!(report["connections"].as_array().unwrap().len(), 1);
    assert_eq!(report["connections"][0]["packets"], 8);
    assert_eq!(report["capture"]["files"].as_array().unwrap().len(), 2);
}

#[test]
fn standard_input_is_a_capture_too() {
    let mut child = program()
        .args(["analyze", "--format", "json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&two_connections()).unwrap();
    let output = child.wait_with_output().unwrap();
    let report = json(&output.stdout);
    assert_eq!(report["capture"]["path"], "-");
    assert_eq!(report["capture"]["connections"], 2);
}

#[test]
fn predict_refuses_what_is_no_path_and_what_would_take_hours() {
    for (args, says) in [
        ("--rtt 200h --rate 1gbit", "--rtt"),
        ("--rtt 5ms --rate 100000tbit", "--rate"),
        ("--rtt 5ms --rate 0.001bit", "--rate"),
        ("--rtt 5ms --rate 1gbit --app-rate 0.001bit", "--app-rate"),
        ("--rtt 5ms --rate 1gbit --jitter 100h", "--jitter"),
        ("--rtt 5ms --rate 1gbit --coalesce 5s", "--coalesce"),
        ("--rtt 5ms --rate 1gbit --duration 100000d", "--duration"),
        ("--rtt 5ms --rate 1gbit --loss 1% --loss-burst inf", "--loss-burst"),
        ("--rtt 5ms --rate 1gbit --bytes 0", "--bytes"),
        ("--rtt 5ms --rate 1gbit --rwnd 0", "--rwnd"),
        ("--rtt 5ms --rate 1gbit --deterministic-loss --loss 1%..2%", "--loss"),
        ("--rtt 5ms --rate 1gbit --sweep rtt=1ms..200h", "--rtt"),
        ("--rtt 5ms --rate 1gbit --flows 100 --duration 10d", "hours"),
        ("--rtt 1ns --rate unlimited", "hours"),
        ("--rtt 5ms --rate unlimited --rwnd unlimited --flows 2", "endlessly many"),
    ] {
        let output = run(&std::iter::once("predict").chain(args.split(' ')).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(text(&output.stderr).contains(says), "{args}: {}", text(&output.stderr));
    }
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &["analyze"][..],
        &["analyse", "x"],
        &["analyze", "--filter", "port http", "x"],
        &["analyze", "--from", "yesterday", "x"],
        &["analyze", "--top", "some", "x"],
        &["analyze", "--idle-timeout", "7200", "x"],
        &["analyze", "--format", "xml", "x"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).starts_with("error: "), "{args:?}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
    }
    let output = run(&["analyze", "--filter", "port 80 or http", "x"]);
    assert!(
        text(&output.stderr).contains("\n  port 80 or http\n             ^\n"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn help_is_no_error() {
    for args in [&["--help"][..], &["analyze", "-h"], &["--version"], &["generate", "man"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_missing_file_is_named_once() {
    let fixture = Fixture::new();
    let missing = fixture.arg("missing.pcap");
    let output = run(&["analyze", &missing]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with(&format!("error: {missing}: ")), "{stderr}");
    assert_eq!(stderr.matches("os error").count(), 1, "{stderr}");
    assert_eq!(text(&output.stdout), "");
    // A program gets its document even then.
    let output = run(&["analyze", "--format", "json", &missing]);
    assert_eq!(output.status.code(), Some(2));
    assert!(json(&output.stdout)["capture"]["read_error"].as_str().unwrap().contains("missing.pcap"));
}

#[test]
fn a_cut_capture_is_reported_up_to_the_cut() {
    let fixture = Fixture::new();
    let mut bytes = two_connections();
    bytes.truncate(bytes.len() - 10);
    let cut = fixture.write("cut.pcap", &bytes);
    let output = run(&["analyze", "--format", "json", &cut]);
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output.stdout);
    assert_eq!(report["capture"]["frames"], 15);
    assert_eq!(report["capture"]["truncated"], true);
    let offset = 24 + 15 * (16 + 54) + 105;
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("error: ") && stderr.contains(&format!("at byte {offset}")), "{stderr}");
    assert!(stderr.contains("hint: "), "{stderr}");

    let output = run(&["analyze", "--format", "json", "--allow-truncated", &cut]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(json(&output.stdout), report);
    assert!(text(&output.stderr).starts_with("warning: "));
    let output = run(&["analyze", "-qq", "--allow-truncated", &cut]);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn colour_is_used_when_asked_for_only() {
    let fixture = Fixture::new();
    let capture = fixture.arg("two.pcap");
    let escapes = |set: &[(&str, &str)], args: &[&str]| {
        let mut command = program();
        command.arg("analyze").args(args).arg(&capture);
        command.envs(set.iter().copied());
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!escapes(&[], &[]), "a pipe is no terminal");
    assert!(escapes(&[], &["--color", "always"]));
    assert!(escapes(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!escapes(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &["--color", "never"]));
    assert!(!escapes(&[("NO_COLOR", "1")], &[]));
    assert!(!escapes(&[("CLICOLOR_FORCE", "1")], &["--format", "json"]));
}

#[test]
fn a_file_name_cannot_reach_the_terminal_as_a_sequence() {
    let fixture = Fixture::new();
    let odd = fixture.write("\u{1b}[2J\u{9b}2J.pcap", &two_connections());
    let missing = fixture.arg("\u{1b}[31m");
    // Nor begin a line, which CI services may take for a command.
    let output = run(&["analyze", &fixture.arg("x\n::error::no\r\n::error::no")]);
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1));
    assert!(
        text(&output.stderr).contains("x\\x0a::error::no\\x0d\\x0a::error::no"),
        "{}",
        text(&output.stderr)
    );
    for args in [
        &["analyze", &odd][..],
        &["analyze", "--format", "json", &odd],
        &["analyze", "--format", "jsonl", &odd],
        &["analyze", &missing],
        &["analyze", "--out", &fixture.arg("two.pcap/\u{1b}[31m"), &odd],
    ] {
        let output = run(args);
        for stream in [&output.stdout, &output.stderr] {
            let bad = text(stream).chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(bad, None, "{args:?}");
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let fixture = Fixture::new();
    // More output than a pipe holds.
    let frames: Vec<_> = (0..400).flat_map(|port| connection(20_000 + port, b"hello")).collect();
    let many = fixture.write("many.pcap", &pcap(&frames));
    for format in ["text", "json", "jsonl"] {
        let mut child = program()
            .args(["analyze", "--top", "all", "--format", format, &many])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(text(&output.stderr), "", "{format}");
    }
}

#[test]
fn out_writes_the_document_and_prints_nothing() {
    let fixture = Fixture::new();
    let (capture, out) = (fixture.arg("two.pcap"), fixture.path("new/dir"));
    let output = run(&["analyze", &capture, "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(
        names(&out),
        [
            ("plots", cfg!(feature = "plots")),
            ("report.html", true),
            ("report.json", true),
            ("tables", cfg!(feature = "tables")),
        ]
        .into_iter()
        .filter_map(|(name, written)| written.then_some(name))
        .collect::<Vec<_>>()
    );
    let written = json(&std::fs::read(out.join("report.json")).unwrap());
    let output = run(&["analyze", &capture, "--format", "json", "--out", out.to_str().unwrap()]);
    assert_eq!(json(&output.stdout), written);
}

#[test]
fn the_page_can_be_left_out_and_needs_no_pictures() {
    let fixture = Fixture::new();
    let capture = fixture.arg("two.pcap");
    let write = |name: &str, more: &[&str]| {
        let out = fixture.path(name);
        let mut all = vec!["analyze", &capture, "--plots", "none", "--out", out.to_str().unwrap()];
        all.extend(more);
        assert_eq!(run(&all).status.code(), Some(0));
        std::fs::read_to_string(out.join("report.html"))
    };
    assert!(write("without", &["--no-html"]).is_err());
    let page = write("with", &[]).unwrap();
    assert!(page.contains("2 connections with") && page.contains("id=\"figures-0\""));
}

#[test]
fn an_uncreatable_directory_fails_before_anything_is_read() {
    let fixture = Fixture::new();
    // Below a file no directory can be; the capture is missing as well, and would be told if it were opened first.
    let below = fixture.arg("two.pcap/out");
    let output = run(&["analyze", "missing.pcap", "--out", &below]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("two.pcap/out") && !stderr.contains("missing.pcap"), "{stderr}");
}

#[test]
fn an_earlier_report_survives_a_failed_run() {
    let fixture = Fixture::new();
    let out = fixture.arg("out");
    run(&["analyze", &fixture.arg("two.pcap"), "--out", &out]);
    let before = std::fs::read(Path::new(&out).join("report.json")).unwrap();
    let output = run(&["analyze", "missing.pcap", "--out", &out]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read(Path::new(&out).join("report.json")).unwrap(), before);
    assert!(names(Path::new(&out)).iter().all(|name| !name.starts_with('.')));
}

/// What is in a directory, sorted.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(feature = "tables")]
#[test]
fn out_holds_the_tables_as_parquet_or_csv() {
    let fixture = Fixture::new();
    let (capture, out) = (fixture.arg("two.pcap"), fixture.path("out"));
    let to = out.to_str().unwrap();
    for (args, ending) in
        [(&[][..], "parquet"), (&["--tables", "parquet"], "parquet"), (&["--tables", "csv"], "csv")]
    {
        let mut all = vec!["analyze", &capture, "--out", to];
        all.extend(args);
        assert_eq!(run(&all).status.code(), Some(0), "{args:?}");
        let tables = tcptrace_rs::output::tables::TABLES.iter();
        let mut expected: Vec<_> = tables.map(|table| format!("{}.{ending}", table.name())).collect();
        expected.sort();
        assert_eq!(names(&out.join("tables")), expected);
        if ending == "parquet" {
            std::fs::remove_dir_all(out.join("tables")).unwrap();
        }
    }
    let connections = std::fs::read_to_string(out.join("tables/connections.csv")).unwrap();
    let numbers: Vec<_> = connections.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(numbers, ["connection", "0", "1"]);
    let report = json(&std::fs::read(out.join("report.json")).unwrap());
    let directions = std::fs::read_to_string(out.join("tables/directions.csv")).unwrap();
    let mut lines = directions.lines();
    let at = lines.next().unwrap().split(',').position(|name| name == "unique_bytes").unwrap();
    let bytes: Vec<_> = lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect();
    let expected: Vec<_> = report["connections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|connection| ["c2s", "s2c"].map(|dir| connection[dir]["unique_bytes"].to_string()))
        .collect();
    assert_eq!(bytes, expected);
}

#[cfg(not(feature = "tables"))]
#[test]
fn a_build_without_tables_says_so() {
    let fixture = Fixture::new();
    let output = run(&["analyze", &fixture.arg("two.pcap"), "--out", &fixture.arg("out"), "--tables", "csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("feature `tables`"), "{}", text(&output.stderr));
}

#[test]
fn tables_without_a_directory_are_a_usage_error() {
    let output = run(&["analyze", "--tables", "csv", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--out <DIR>"), "{}", text(&output.stderr));
}

#[cfg(all(unix, feature = "tables"))]
#[test]
fn a_link_in_place_of_the_tables_is_not_followed() {
    let fixture = Fixture::new();
    let (out, outside) = (fixture.path("out"), fixture.path("outside"));
    std::fs::create_dir_all(&out).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, out.join("tables")).unwrap();
    let output = run(&["analyze", &fixture.arg("two.pcap"), "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not followed"), "{}", text(&output.stderr));
    assert_eq!(names(&outside), [""; 0]);
    assert_eq!(names(&out), ["tables"], "nothing half done");
}

#[test]
fn completions_and_manual_pages_are_written() {
    let fixture = Fixture::new();
    let out = fixture.arg("generated");
    assert_eq!(run(&["generate", "man", "--out", &out]).status.code(), Some(0));
    assert_eq!(run(&["generate", "completions", "bash", "--out", &out]).status.code(), Some(0));
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(
        names.contains(&"tcptrace-rs-analyze.1".to_owned()) && names.contains(&"tcptrace-rs.1".to_owned())
    );
    assert!(names.contains(&"tcptrace-rs.bash".to_owned()), "{names:?}");
    assert!(text(&run(&["generate", "completions", "fish"]).stdout).contains("allow-truncated"));
}

#[test]
#[cfg(feature = "plots")]
fn out_draws_the_largest_connections_and_the_capture() {
    let fixture = Fixture::new();
    let (capture, out) = (fixture.arg("two.pcap"), fixture.path("out"));
    let output =
        run(&["analyze", &capture, "--out", out.to_str().unwrap(), "--plots", "svg,xplot", "--top", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let plots = names(&out.join("plots"));
    assert!(plots.contains(&"capture-traffic.svg".to_owned()), "{plots:?}");
    assert!(plots.iter().any(|name| name.ends_with("-timesequence.xpl")), "{plots:?}");
    let connections: std::collections::BTreeSet<&str> = plots
        .iter()
        .filter(|name| name.starts_with('c') && !name.starts_with("capture"))
        .map(|name| &name[..2])
        .collect();
    assert!(connections.len() == 1, "{plots:?}");
    let output = run(&["analyze", &capture, "--out", out.to_str().unwrap(), "--plots", "pdf"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
#[cfg(feature = "plots")]
fn plot_draws_what_was_asked_for_or_says_why_not() {
    let fixture = Fixture::new();
    let (capture, file) = (fixture.arg("two.pcap"), fixture.arg("rtt.svg"));
    let output = run(&["plot", &capture, "--connection", "0", "-o", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(std::fs::read_to_string(&file).unwrap().contains("connection 0"));
    let refused = |args: &[&str]| {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr).to_owned()
    };
    assert!(refused(&["plot", &capture, "--connection", "99", "-o", &file]).contains("no connection 99"));
    assert!(refused(&["plot", &capture, "-o", "x.pdf"]).contains(".svg"));
    assert!(refused(&["plot", &capture, "--kind", "sweep", "-o", &file]).contains("sweep"));
    // The earlier picture is still there.
    assert!(std::fs::read_to_string(&file).unwrap().contains("</svg>"));
}

#[test]
#[cfg(feature = "plots")]
fn a_prediction_is_drawn_alike_alone_and_beside_the_report() {
    let fixture = Fixture::new();
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/real/tail-bursts-loss4-cubic.snd.pcapng");
    let (file, out) = (fixture.arg("cc.svg"), fixture.path("out"));
    let output = run(&["plot", capture, "--connection", "0", "--kind", "prediction", "-o", &file]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = run(&["analyze", capture, "--no-html", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let alone = std::fs::read_to_string(&file).unwrap();
    assert_eq!(alone, std::fs::read_to_string(out.join("plots/c0-c2s-prediction.svg")).unwrap());
    // The receiving program's own figure: 1,280,000 bytes; from the first data at 1.06 s to the last ACK at 20.10 s.
    assert!(alone.contains("538\u{a0}kbit/s") && alone.contains("\ncubic\n"), "{alone}");
    let output = run(&["plot", &fixture.arg("two.pcap"), "--kind", "prediction", "-o", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("only bulk transfers"), "{}", text(&output.stderr));
}

#[test]
fn half_open_connections_that_are_too_many_are_told_apart_from_open_ones() {
    let fixture = Fixture::new();
    let mut frames: Vec<_> =
        [40_000, 40_001].iter().flat_map(|&port| connection(port, b"hello")[..4].to_vec()).collect();
    frames.extend([40_002, 40_003].map(|port| frame(port, true, 1_000, 0, SYN, b"")));
    let capture = fixture.write("flood.pcap", &pcap(&frames));
    // The first SYN takes the place of an open connection, the second that of the first.
    let bounded = |format: &str| {
        run(&["analyze", &capture, "--max-connections", "2", "--format", format, "--no-predict"])
    };
    let report = json(&bounded("json").stdout);
    let evicted = (&report["capture"]["evicted_connections"], &report["capture"]["evicted_half_open"]);
    assert_eq!(evicted, (&2.into(), &1.into()));
    let warnings = report["capture"]["warnings"].as_array().unwrap();
    for id in ["evicted", "evicted_half_open"] {
        let due = warnings.iter().find(|warning| warning["id"] == id).unwrap();
        assert!(due["seen"].as_str().unwrap().ends_with(": 1 connection"), "{due}");
    }
    let report = bounded("text").stdout;
    for said in [
        "1 connection beyond --max-connections; 1 half open, more than are",
        "finished early          more connections were open than --max-connections allows",
        "finished early          more connections were half open than are followed",
    ] {
        assert_eq!(text(&report).matches(said).count(), 1, "{said}: {}", text(&report));
    }
}
