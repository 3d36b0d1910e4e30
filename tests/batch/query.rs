//! SQL over a dataset.

use std::path::Path;

use super::support::{batch, captures, output};
use crate::cli::{program, text};

fn ask(set: &Path, more: &[&str]) -> std::process::Output {
    output(program().arg("query").arg(set).args(more))
}

#[test]
fn queries_go_over_all_traces_and_join_by_source() {
    let dir = tempfile::tempdir().unwrap();
    // A folder that a pattern would take for another, and a partition.
    let (input, set) = (dir.path().join("in"), dir.path().join("set[1]=x*"));
    captures(&input, 6);
    output(&mut batch(&input, &set));
    // Captures 0 to 5 have 1, 2, 3, 4, 1 and 2 connections, each with 700 bytes from its client.
    let ran = ask(
        &set,
        &[
            "SELECT count(*) AS n, sum(unique_bytes) AS bytes FROM directions WHERE dir = 'c2s'",
            "--format",
            "csv",
        ],
    );
    assert_eq!(text(&ran.stdout), "n,bytes\n13,9100\n", "{}", text(&ran.stderr));
    let ran = ask(
        &set,
        &[
            "SELECT c.source, count(*) AS n FROM connections c JOIN directions d ON c.source = d.source AND c.connection = d.connection \
           WHERE d.dir = 'c2s' GROUP BY c.source ORDER BY n DESC, c.source LIMIT 2",
        ],
    );
    assert_eq!(
        text(&ran.stdout),
        "source        n\nweb1/c3.pcap  4\nweb0/c2.pcap  3\n",
        "{}",
        text(&ran.stderr)
    );
    // No trace has a row in these.
    let ran = ask(&set, &["SELECT source, kind FROM failures", "--format", "json"]);
    assert_eq!(text(&ran.stdout), "[]\n", "{}", text(&ran.stderr));
    let ran = ask(&set, &["SELECT count(*) AS n FROM predictions", "--format", "json"]);
    assert_eq!(text(&ran.stdout), "[\n{\"n\":0}]\n", "{}", text(&ran.stderr));
}

#[test]
fn what_is_wrong_with_a_query_is_told_and_is_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ask(dir.path(), &["SELECT 1"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("not a dataset"), "{}", text(&ran.stderr));
    let (input, set) = (dir.path().join("in"), dir.path().join("set"));
    captures(&input, 1);
    output(&mut batch(&input, &set));
    for sql in ["SELEKT 1", "SELECT gone FROM connections", "SELECT * FROM gone"] {
        let ran = ask(&set, &[sql]);
        assert_eq!(ran.status.code(), Some(2), "{sql}");
        assert!(text(&ran.stdout).is_empty() && !text(&ran.stderr).is_empty(), "{sql}");
    }
    let ran = ask(Path::new("s3://bucket/set"), &["SELECT 1"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("in directories"), "{}", text(&ran.stderr));
}
