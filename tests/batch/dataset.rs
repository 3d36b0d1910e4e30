//! What is in a dataset.

use polars::prelude::{ParquetReader, SerReader};

use super::support::{batch, captures, differing, files, fixture, output, record, table};
use crate::cli::text;

#[test]
fn each_trace_has_a_part_in_each_table_that_has_rows_and_a_record() {
    let dir = tempfile::tempdir().unwrap();
    captures(&dir.path().join("in"), 4);
    let ran = output(&mut batch(&dir.path().join("in"), &dir.path().join("set")));
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let set = files(&dir.path().join("set"));
    // c3 has four connections, each with one data packet from its client.
    let connections = table(&set, "connections", "web1%2Fc3.pcap");
    assert_eq!(connections.height(), 4);
    let ports: Vec<i64> =
        connections.column("client_port").unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(ports, [40_000, 40_001, 40_002, 40_003]);
    let directions = table(&set, "directions", "web1%2Fc3.pcap");
    let bytes: Vec<i64> =
        directions.column("unique_bytes").unwrap().i64().unwrap().iter().flatten().collect();
    assert_eq!(bytes, [700, 0, 700, 0, 700, 0, 700, 0]);
    let capture = table(&set, "captures", "web1%2Fc3.pcap");
    assert_eq!(capture.column("frames").unwrap().i64().unwrap().get(0), Some(32));
    assert_eq!(capture.column("path").unwrap().str().unwrap().get(0), Some("web1/c3.pcap"));
    // Nothing was sent again and nothing failed: those tables have no part.
    assert!(!set.keys().any(|name| name.starts_with("retransmissions/") || name.starts_with("failures/")));
    let record = record(&set, "web1%2Fc3.pcap");
    assert_eq!(record["trace"], "web1/c3.pcap");
    assert_eq!(record["connections"], 4);
    for part in record["parts"].as_array().unwrap() {
        let name = format!(
            "{}/source=web1%2Fc3.pcap/part-{}.parquet",
            part["table"].as_str().unwrap(),
            record["hash"].as_str().unwrap()
        );
        assert_eq!(set[&name].len() as u64, part["bytes"].as_u64().unwrap());
    }
    assert!(!set.keys().any(|name| name.starts_with("_tmp")));
}

#[test]
fn the_rows_of_a_part_are_those_of_analyze() {
    let dir = tempfile::tempdir().unwrap();
    let capture = fixture("small/reuse.pcap");
    output(&mut batch(&capture, &dir.path().join("set")));
    let out = dir.path().join("out");
    let args = [
        "analyze",
        capture.to_str().unwrap(),
        "--no-predict",
        "--plots",
        "none",
        "--out",
        out.to_str().unwrap(),
    ];
    assert!(crate::cli::run(&args).status.success());
    let (set, out) = (files(&dir.path().join("set")), files(&out));
    for name in ["connections", "directions", "window", "rtt"] {
        let alone = out[&format!("tables/{name}.parquet")].clone();
        let alone = ParquetReader::new(std::io::Cursor::new(alone)).finish();
        assert!(table(&set, name, "reuse.pcap").equals_missing(&alone.unwrap()), "{name}");
    }
}

#[test]
fn rotated_files_are_one_trace() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in");
    captures(&input, 1);
    let whole = std::fs::read(input.join("web0/c0.pcap")).unwrap();
    // The same capture cut in two between two records of 16 + 54 bytes.
    let cut = 24 + 2 * (16 + 54);
    std::fs::write(input.join("web0/ring_00001_20231114221320.pcap"), &whole[..cut]).unwrap();
    let second = [&whole[..24], &whole[cut..]].concat();
    std::fs::write(input.join("web0/ring_00002_20231114221330.pcap"), second).unwrap();
    output(&mut batch(&input, &dir.path().join("set")));
    let set = files(&dir.path().join("set"));
    let (one, ring) =
        (table(&set, "directions", "web0%2Fc0.pcap"), table(&set, "directions", "web0%2Fring.pcap"));
    assert!(one.equals_missing(&ring));
    assert_eq!(record(&set, "web0%2Fring.pcap")["files"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_broken_is_recorded_and_the_rest_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in");
    captures(&input, 3);
    std::fs::copy(fixture("small/cut.pcap"), input.join("cut.pcap")).unwrap();
    std::fs::write(input.join("empty.pcap"), b"").unwrap();
    std::fs::write(input.join("text.pcap"), b"not a capture").unwrap();
    let mut corrupt = std::fs::read(input.join("web0/c0.pcap")).unwrap();
    // The length of the third record.
    corrupt[24 + 2 * 70 + 8..][..4].fill(0xff);
    std::fs::write(input.join("corrupt.pcap"), corrupt).unwrap();
    let ran = output(&mut batch(&input, &dir.path().join("set")));
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stdout).starts_with("7 traces"), "{}", text(&ran.stdout));
    let set = files(&dir.path().join("set"));
    let kind = |name: &str| {
        let row = table(&set, "failures", name);
        let text = |column: &str| row.column(column).unwrap().str().unwrap().get(0).unwrap().to_owned();
        assert!(text("reason").contains(name), "{}", text("reason"));
        assert!(!text("reason").contains('/'), "no path of this machine: {}", text("reason"));
        (text("kind"), row.column("partial").unwrap().bool().unwrap().get(0).unwrap())
    };
    assert_eq!(kind("cut.pcap"), ("truncated".into(), true));
    assert_eq!(kind("empty.pcap"), ("not_a_capture".into(), false));
    assert_eq!(kind("text.pcap"), ("not_a_capture".into(), false));
    assert_eq!(kind("corrupt.pcap"), ("corrupt".into(), true));
    // Two frames of the handshake were read before the fault.
    assert_eq!(
        table(&set, "connections", "corrupt.pcap").column("packets").unwrap().i64().unwrap().get(0),
        Some(2)
    );
    assert_eq!(table(&set, "connections", "web0%2Fc2.pcap").height(), 3);
    // The same again: nothing is done, and what failed still has.
    let again = output(&mut batch(&input, &dir.path().join("set")));
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stdout).contains("7 done before"), "{}", text(&again.stdout));
}

#[test]
fn bytes_follow_neither_from_threads_nor_from_memory_nor_from_the_place_of_the_input() {
    let dir = tempfile::tempdir().unwrap();
    let (input, moved) = (dir.path().join("in"), dir.path().join("moved"));
    captures(&input, 12);
    std::fs::copy(fixture("small/cut.pcap"), input.join("cut.pcap")).unwrap();
    let set = |name: &str| dir.path().join(name);
    output(batch(&input, &set("a")).args(["--jobs", "1"]));
    output(batch(&input, &set("b")).args(["--jobs", "5", "--memory", "300MB"]));
    std::fs::rename(&input, &moved).unwrap();
    output(&mut batch(&moved, &set("c")));
    let a = files(&set("a"));
    assert!(a.len() > 12 * 5);
    assert_eq!(differing(&a, &files(&set("b"))), [""; 0]);
    assert_eq!(differing(&a, &files(&set("c"))), [""; 0]);
}
