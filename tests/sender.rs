//! RTT, congestion window, limits and the name of the algorithm, against the record of the sender's kernel.
//!
//! The captures and `TCP_INFO` each 100 ms are in the folder that `TCPTRACE_SHARED` names; without it nothing is compared.
//! A sample of the scenarios that all scores cover: short enough for a test in a debug build.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tcptrace_rs::capture::open;
use tcptrace_rs::driver::{Options, analyze, analyze_into};
use tcptrace_rs::report::{ConnectionReport, Dir, Limit, ReportSink, RttRow, SeriesRow, WindowRow};

/// What one capture gave.
#[derive(Default)]
struct Found {
    connections: Vec<ConnectionReport>,
    rtt: Vec<RttRow>,
    window: Vec<WindowRow>,
}

impl ReportSink for Found {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }

    fn wants_series(&self) -> bool {
        true
    }

    fn series(&mut self, row: &SeriesRow) {
        match row {
            SeriesRow::Rtt(row) => self.rtt.push(row.clone()),
            SeriesRow::Window(row) => self.window.push(row.clone()),
            _ => {}
        }
    }
}

fn truth_folder() -> Option<PathBuf> {
    std::env::var_os("TCPTRACE_SHARED").map(|dir| Path::new(&dir).join("truth"))
}

fn load(folder: &Path, name: &str, side: &str) -> (Value, Found) {
    let truth = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    let capture = ["pcap.zst", "pcapng.zst"]
        .map(|end| folder.join(format!("captures/{name}.{side}.{end}")))
        .into_iter()
        .find(|path| path.exists())
        .unwrap();
    let mut found = Found::default();
    let mut source = open(&capture).unwrap();
    let (_, error) = analyze_into(&mut source, &Options::default(), &mut found, &mut |_| true);
    assert!(error.is_none(), "{name}: {error:?}");
    (serde_json::from_str(&truth).unwrap(), found)
}

/// The connection and direction of the flow whose sender uses this port.
fn place(found: &Found, port: u64) -> (&ConnectionReport, Dir) {
    let by = |connection: &&ConnectionReport| {
        u64::from(connection.client_port) == port || u64::from(connection.server_port) == port
    };
    let connection = found.connections.iter().find(by).unwrap();
    let dir = if u64::from(connection.client_port) == port { Dir::C2s } else { Dir::S2c };
    (connection, dir)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median relative errors of the smoothed RTT and of the congestion window over the samples of one flow.
fn errors(truth: &Value, found: &Found) -> (f64, f64) {
    let flow = &truth["flows"][0];
    let (connection, dir) = place(found, flow["port"].as_u64().unwrap());
    let start = truth["t0_ns"].as_i64().unwrap();
    let mss = truth["mss"].as_f64().unwrap();
    let mut window: Vec<_> = found
        .window
        .iter()
        .filter(|row| row.connection == connection.connection && row.dir == dir)
        .filter_map(|row| Some((row.ts_ns, row.cwnd_bytes?)))
        .collect();
    window.sort_unstable();
    let mut smoothed: Vec<(i64, f64)> = Vec::new();
    for row in found.rtt.iter().filter(|row| row.connection == connection.connection && row.dir == dir) {
        let last = smoothed.last().map_or(row.rtt_us, |(_, last)| *last);
        smoothed.push((row.ts_ns, last + (row.rtt_us - last) / 8.0));
    }
    let (mut rtt_errors, mut window_errors) = (Vec::new(), Vec::new());
    for sample in flow["series_100ms"].as_array().unwrap() {
        let value = |at: usize| sample[at].as_f64().unwrap();
        if value(0) < 1_000.0 {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, reason = "milliseconds of a run of seconds")]
        let at = start + value(0) as i64 * 1_000_000;
        let known = smoothed[smoothed.partition_point(|(ts, _)| *ts <= at) - 1].1;
        rtt_errors.push((known - value(3)).abs() / value(3));
        let shown = window[window.partition_point(|(ts, _)| *ts <= at) - 1].1;
        #[expect(clippy::cast_precision_loss, reason = "a window of megabytes")]
        window_errors.push((shown as f64 - value(1) * mss).abs() / (value(1) * mss));
    }
    (median(rtt_errors), median(window_errors))
}

#[test]
fn rtt_and_window_follow_the_kernels_own_record() {
    let Some(folder) = truth_folder() else { return };
    // Name, side, bounds of both errors, and what the report names.
    let cases = [
        ("matched-loss1-rtt54-cubic-r1", "snd", 0.01, 0.01, Some("cubic")),
        ("matched-loss1-rtt54-reno-r1", "snd", 0.01, 0.01, Some("reno")),
        ("bneckcc-bneck20-rtt40-q1-bbr", "snd", 0.01, 0.05, Some("bbr")),
        ("losscc-loss1-rtt54-illinois", "snd", 0.01, 0.05, Some("illinois")),
        ("rwnd-64k-cubic", "snd", 0.01, 0.1, None),
        ("matched-loss1-rtt54-cubic-r1", "rcv", 0.05, 0.1, Some("cubic")),
        ("midtap-lossup1-cubic", "mid", 0.05, 0.1, None),
    ];
    for (name, side, most_rtt, most_window, algorithm) in cases {
        let (truth, found) = load(&folder, name, side);
        let (rtt, window) = errors(&truth, &found);
        assert!(rtt <= most_rtt, "{name} {side}: RTT off by {rtt}");
        assert!(window <= most_window, "{name} {side}: window off by {window}");
        let (connection, dir) = place(&found, truth["flows"][0]["port"].as_u64().unwrap());
        let direction = if dir == Dir::C2s { &connection.c2s } else { &connection.s2c };
        if algorithm.is_some() {
            assert_eq!(direction.cc_identified.as_deref(), algorithm, "{name} {side}");
        }
    }
}

/// The kernel charges time to the receive window and to the send buffer (`tcp_chrono_start`): our shares are within
/// ten points of its.
#[test]
fn limits_agree_with_the_kernels_accounting() {
    let Some(folder) = truth_folder() else { return };
    let cases = [
        ("rwnd-64k-cubic", Limit::ReceiveWindow, "rwnd_us"),
        ("zerowin-stall-cubic", Limit::ReceiveWindow, "rwnd_us"),
        ("sndbuf-48k-cubic", Limit::Application, "sndbuf_us"),
        ("matched-loss1-rtt54-reno-r1", Limit::ReceiveWindow, "rwnd_us"),
        ("matched-loss1-rtt54-reno-r1", Limit::Application, "sndbuf_us"),
    ];
    for (name, limit, field) in cases {
        let (truth, found) = load(&folder, name, "snd");
        let flow = &truth["flows"][0];
        let (connection, dir) = place(&found, flow["port"].as_u64().unwrap());
        let direction = if dir == Dir::C2s { &connection.c2s } else { &connection.s2c };
        let ours =
            direction.limits().iter().find(|(kind, _)| *kind == limit).map_or(0.0, |(_, share)| *share);
        let busy = flow["final"]["busy_us"].as_f64().unwrap();
        let theirs = flow["final"][field].as_f64().unwrap() / busy;
        assert!((ours - theirs).abs() <= 0.1, "{name}: {limit:?} {ours} against {theirs}");
    }
    // An application that writes 4 Mbit/s on a path of 20: the kernel has no word for it, the run's parameters have.
    let (truth, found) = load(&folder, "applimited-4mbit-cubic", "snd");
    let (connection, _) = place(&found, truth["flows"][0]["port"].as_u64().unwrap());
    assert!(connection.c2s.limit_application.unwrap() > 0.9, "{:?}", connection.c2s.limits());
}

// Both ends of the lab are Linux, whose timestamps have been milliseconds since 4.13 (`tcp_time_stamp_ms`).
#[test]
fn the_labs_hosts_are_seen_to_be_linux() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/real");
    let (mut hosts, mut clocks) = (0, 0);
    for entry in std::fs::read_dir(real).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "toml") {
            continue;
        }
        let mut source = open(&path).unwrap();
        let (report, _) = analyze(&mut source, &Options::default());
        for connection in report.connections.iter().filter(|one| one.handshake.rtt_us.is_some()) {
            for direction in [&connection.c2s, &connection.s2c] {
                assert_eq!(direction.sender_os, Some("linux"), "{}", path.display());
                hosts += 1;
                if let Some(hz) = direction.timestamp_hz {
                    assert!((hz - 1_000.0).abs() < 10.0, "{}: {hz}", path.display());
                    clocks += 1;
                }
            }
        }
    }
    assert!(hosts >= 10 && clocks >= 4, "{hosts} {clocks}");
}
