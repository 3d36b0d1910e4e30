//! What `join` says of captures that were taken at both ends of a path (and on the way), against what their makers worked out
//! from the same captures: fixtures/real here, all of `truth/` where `TCPTRACE_SHARED` names a folder that has it.

#![cfg(feature = "compression")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use tcptrace_rs::capture::open;
use tcptrace_rs::join::{JoinOptions, join};
use tcptrace_rs::report::ConnectionReport;
use tcptrace_rs::report::join::{JoinReport, JoinedDirection};

fn joined(first: &Path, second: &Path) -> JoinReport {
    let (mut first, mut second) = (open(first).unwrap(), open(second).unwrap());
    let mut connections = Vec::<ConnectionReport>::new();
    let options = JoinOptions::default();
    let found = join([&mut first, &mut second], &options, &mut connections, &mut |_| true);
    assert!(found.errors.iter().all(Option::is_none));
    assert_eq!(connections.len(), found.report.connections.len());
    found.report
}

fn real(tap: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/real");
    folder.join(format!("midtap-tail-lossboth-cubic.{tap}.pcap.zst"))
}

// 22 packets were lost before the tap in the middle and 24 behind it, all 46 were sent again and had to be.
#[test]
fn three_taps_agree() {
    for (first, second, lost) in [("snd", "mid", 22), ("mid", "rcv", 24), ("snd", "rcv", 46)] {
        let report = joined(&real(first), &real(second));
        let [connection] = &report.connections[..] else { panic!("{report:?}") };
        let data = &connection.c2s;
        assert_eq!(data.lost_data_packets, lost, "{first} {second}");
        assert_eq!((data.near, connection.s2c.near), (Some("sender"), Some("receiver")));
        assert_eq!((data.spurious_packets, data.partly_needed_packets, data.undecided_packets), (0, 0, 0));
        assert_eq!(data.lost_behind_packets, if second == "mid" { 24 } else { 0 });
        // Two of the 22 were the last of their burst and leave the middle tap no trace.
        assert_eq!(data.lost_before_packets, if first == "mid" { 20 } else { 0 });
        for score in &report.scores {
            assert_eq!((score.lost.undecided, score.lost.made_up), (0, 0), "{first} {second}: {score:?}");
            let missed = if score.side == "receiver" && first == "snd" { 2 } else { 0 };
            assert_eq!(score.lost.missed, missed, "{first} {second}: {score:?}");
        }
        // One clock stamped all of them: the offset found is half of what the path's two ways differ by.
        assert!(report.clock.offset_us.unwrap().abs() < 300.0, "{:?}", report.clock);
        assert_eq!(report.clock.drift_ppm, None);
    }
    let ends = joined(&real("snd"), &real("rcv"));
    let data = &ends.connections[0].c2s;
    assert_eq!((data.retransmitted_packets, data.needed_packets), (46, 46));
    // The other way round it is the same.
    let swapped = joined(&real("rcv"), &real("snd"));
    let other = &swapped.connections[0].c2s;
    assert_eq!(other.near, Some("receiver"));
    assert_eq!((other.lost_data_packets, other.needed_packets), (46, 46));
}

/// The capture `NAME.TAP.*` in a folder.
fn find(folder: &Path, name: &str, tap: &str) -> Option<PathBuf> {
    let begin = format!("{name}.{tap}.pcap");
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&begin))
}

/// Figures of all directions whose sender has one of these ports.
fn sum(report: &JoinReport, ports: &[u64], of: fn(&JoinedDirection) -> u64) -> u64 {
    let connections = &report.connections;
    let sent = connections
        .iter()
        .flat_map(|c| [(u64::from(c.client_port), &c.c2s), (u64::from(c.server_port), &c.s2c)]);
    sent.filter(|(port, _)| ports.contains(port)).map(|(_, direction)| of(direction)).sum()
}

/// What it is, where the report has it, and how much it must be.
type Fact = (&'static str, fn(&JoinedDirection) -> u64, u64);

/// Captures beyond this many bytes take a test build too long: `cargo test --release` with 10 MB here checks all 82.
const MOST: u64 = 100_000;

#[test]
fn fates_are_those_that_are_known() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED") else { return };
    let folder = Path::new(&root).join("truth");
    let captures = folder.join("captures");
    let mut checked = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".json") else { continue };
        let truth: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let Some(flows) = truth["flows"].as_array() else { continue };
        let ports: Vec<u64> = flows.iter().map(|flow| flow["port"].as_u64().unwrap()).collect();
        let tap = |tap| find(&captures, name, tap);
        let (Some(sender), Some(receiver)) = (tap("snd"), tap("rcv")) else { continue };
        if std::fs::metadata(&sender).unwrap().len() > MOST {
            continue;
        }
        let report = joined(&sender, &receiver);

        // Rows without payload are SYNs.
        let rows = |list: &str| truth[list].as_array().unwrap().iter().filter(|row| row[3] != 0);
        let called = |word: &str| rows("retransmissions").filter(|row| row[5] == word).count() as u64;
        let stat = |key: &str| truth["stats"][key].as_u64().unwrap_or(0);
        let facts: [Fact; 9] = [
            ("data packets", |d| d.data_packets, stat("data_packets")),
            ("lost", |d| d.lost_data_packets, rows("lost").count() as u64),
            ("needed", |d| d.needed_packets, called("needed")),
            ("spurious", |d| d.spurious_packets, called("spurious")),
            ("partly needed", |d| d.partly_needed_packets, called("partial")),
            ("undecided", |d| d.undecided_packets, 0),
            ("late", |d| d.reordered_packets, rows("reordered").count() as u64),
            ("copied", |d| d.copied_packets, stat("duplicated_by_network")),
            ("marked", |d| d.ce_marked_packets, stat("ce_marked_arrivals")),
        ];
        for (what, of, known) in facts {
            assert_eq!(sum(&report, &ports, of), known, "{name}: {what}");
        }
        // Of two taps between which more happened, the one in the middle tells where.
        if let (Some(middle), lost @ 1..) = (tap("mid"), stat("lost_upstream")) {
            let found = sum(&joined(&sender, &middle), &ports, |d| d.lost_data_packets + d.outside_packets);
            assert_eq!(found, lost, "{name}: upstream");
        }
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}
