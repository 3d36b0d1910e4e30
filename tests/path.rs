//! Paths that a capture shows, against those that a laboratory set up: `truth/` where the environment variable `TCPTRACE_SHARED`
//! names a folder that has it.

use std::path::{Path, PathBuf};

use tcptrace_rs::capture::open_many;
use tcptrace_rs::driver::{Options, PredictOptions, analyze};
use tcptrace_rs::report::PathRow;

/// Runs of one flow over a plain path, of up to 50,000 packets: seconds in a debug build.
const RUNS: &[&str] = &[
    "matched-bneck20-rtt40-q0.25-reno-r1",
    "matched-bneck20-rtt40-q1-cubic-r1",
    "matched-bneck20-rtt40-q1-loss0.1-cubic-r1",
    "matched-loss0.1-rtt100-50m-cubic-r1",
    "matched-loss0.1-rtt100-50m-reno-r1",
    "matched-loss0.5-rtt10-cubic-r1",
    "matched-loss0.5-rtt10-reno-r1",
    "matched-loss1-rtt54-reno-r1",
    "matched-loss3-rtt54-cubic-r1",
    "matched-loss3-rtt54-reno-r1",
];

/// The part of a full Ethernet frame of 1,514 bytes that is its IP packet: rates and buffers of the truth count frames.
const IP_PART: f64 = 1_500.0 / 1_514.0;

fn capture(root: &Path, name: &str, side: &str) -> Option<PathBuf> {
    let forms = ["pcap.zst", "pcapng.zst"];
    let named = |form: &&str| root.join("truth/captures").join(format!("{name}.{side}.{form}"));
    forms.iter().map(named).find(|path| path.exists())
}

/// The path of the largest transfer; nothing is predicted.
fn path(capture: &Path) -> Option<PathRow> {
    let mut source = open_many(&[capture], &tcptrace_rs::capture::OpenOptions::default()).unwrap();
    let predict = PredictOptions {
        algorithms: Vec::new(),
        used: None,
        profile: None,
        least_bytes: None,
        draws: 1,
        pool: false,
        seed: 1,
        threads: 1,
    };
    let options = Options { predict: Some(predict), ..Options::default() };
    let (report, _) = analyze(&mut source, &options);
    report.connections.into_iter().flat_map(|connection| connection.paths).next()
}

fn near(value: f64, truth: f64, factor: f64) -> bool {
    value <= truth * factor && value >= truth / factor
}

// Of all figures of both ends' captures 80 % must be near: RTT to 3 %, rate to 10 % where something waited, random loss to a
// factor of 1.5, buffer to 25 % where it overflowed.
#[test]
fn paths_are_those_that_were_set_up() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED").map(PathBuf::from) else { return };
    let mut judged: Vec<(String, bool)> = Vec::new();
    for name in RUNS {
        let Ok(text) = std::fs::read_to_string(root.join(format!("truth/{name}.json"))) else { continue };
        let truth: serde_json::Value = serde_json::from_str(&text).unwrap();
        let given = |key: &str| truth["params"][key].as_f64().unwrap();
        for side in ["snd", "rcv"] {
            let Some(found) = capture(&root, name, side).and_then(|capture| path(&capture)) else { continue };
            let mut judge = |what: &str, value: f64, truth: f64, factor: f64| {
                judged.push((format!("{name} {side} {what} {value} {truth}"), near(value, truth, factor)));
            };
            judge("rtt", found.base_rtt_us, given("rtt_ms") * 1e3, 1.03);
            if !found.rate_is_bound {
                judge("rate", found.rate_bps, given("rate_mbit") * 1e6 * IP_PART, 1.1);
            }
            if !found.buffer_is_bound {
                judge("buffer", found.buffer_bytes, given("buffer_bytes") * IP_PART, 1.25);
            }
            let loss = given("loss_pct") / 100.0;
            if loss > 0.0 {
                judge("loss", found.random_loss, loss, 1.5);
            } else {
                judge("no loss", 1.0 + found.random_loss, 1.0, 1.000_1);
            }
        }
    }
    let wrong: Vec<_> = judged.iter().filter(|(_, near)| !near).map(|(what, _)| what).collect();
    assert!(wrong.len() * 5 <= judged.len(), "{} of {}: {wrong:#?}", wrong.len(), judged.len());
}

// A token bucket let through 20 Mbit/s of Ethernet frames for eight of eleven seconds, then 5: of which the first are taken.
#[test]
fn a_rate_that_changed_is_seen_and_the_longer_stretch_is_modelled() {
    let capture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/path/ratestep-20to5mbit-cubic.snd.pcap.zst");
    let found = path(&capture).unwrap();
    assert!((0.6..0.95).contains(&found.regime), "{}", found.regime);
    assert!(near(found.rate_bps, 20e6 * IP_PART, 1.03), "{}", found.rate_bps);
    assert!(!found.rate_is_bound);
}
