//! Paths that a capture shows, against those that a laboratory set up: `truth/` where the environment variable `TCPTRACE_SHARED`
//! names a folder that has it.

use std::path::{Path, PathBuf};

use tcptrace_rs::capture::open_many;
use tcptrace_rs::driver::{Options, PredictOptions, analyze};
use tcptrace_rs::report::PathRow;
use tcptrace_rs::sim::profile;

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

/// No predictions.
fn plain(pool: bool) -> PredictOptions {
    PredictOptions {
        algorithms: Vec::new(),
        used: None,
        profile: None,
        least_bytes: None,
        draws: 1,
        pool,
        seed: 1,
        threads: 1,
    }
}

/// The path of the first bulk transfer; nothing is predicted.
fn path(capture: &Path) -> Option<PathRow> {
    paths(capture, false).into_iter().next()
}

/// The paths of all bulk transfers, in the order in which they ended.
fn paths(capture: &Path, pool: bool) -> Vec<PathRow> {
    let mut source = open_many(&[capture], &tcptrace_rs::capture::OpenOptions::default()).unwrap();
    let options = Options { predict: Some(plain(pool)), ..Options::default() };
    let (report, _) = analyze(&mut source, &options);
    report.connections.into_iter().flat_map(|connection| connection.paths).collect()
}

fn near(value: f64, truth: f64, factor: f64) -> bool {
    value <= truth * factor && value >= truth / factor
}

/// The clock that the first bulk transfer of a bundled capture shows, its sender taken for what its SYN says or for this.
fn clock(name: &str, sender: Option<&str>) -> Option<u32> {
    let mut source = open_many(&[bundled(name)], &tcptrace_rs::capture::OpenOptions::default()).unwrap();
    let predict = PredictOptions { profile: sender.map(|name| profile(name).unwrap()), ..plain(false) };
    let options = Options { predict: Some(predict), ..Options::default() };
    let (report, _) = analyze(&mut source, &options);
    report.connections.into_iter().flat_map(|connection| connection.paths).next().unwrap().sender_hz
}

// fixtures/README.md: ticks of 10 ms. Nobody asks Linux, whoever takes it for FreeBSD.
#[test]
fn the_steps_of_a_freebsd_window_tell_its_clock() {
    let ticking = "ticks100-loss0.4-freebsd-like.snd.pcap.zst";
    assert_eq!(clock(ticking, None), Some(100));
    assert_eq!(clock(ticking, Some("freebsd-14")), Some(100));
    assert_eq!(clock(ticking, Some("linux-6")), None);
    assert_eq!(clock("pool-8x1.2MB-loss0.5-reno.snd.pcap.zst", Some("freebsd-14")), None);
    assert_eq!(clock("bursts-spell4-loss0.7-bbr.snd.pcap.zst", Some("freebsd-14")), None);
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

/// A capture of `fixtures/path`.
fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/path").join(name)
}

// Eight transfers over 20 Mbit/s, 40 ms, 100,000 bytes of buffer and 0.5 % loss: alone, each saw a few losses, and some never filled
// the path.
#[test]
fn transfers_between_the_same_hosts_add_up() {
    let capture = bundled("pool-8x1.2MB-loss0.5-reno.snd.pcap.zst");
    let (alone, together) = (paths(&capture, false), paths(&capture, true));
    assert_eq!((alone.len(), together.len()), (8, 8));
    assert_eq!(alone[0], together[0], "the first knows of no other");
    let last = &together[7];
    let holds = |low: f64, high: f64, truth: f64| low <= truth && truth <= high;
    assert!(holds(last.base_rtt_us_low, last.base_rtt_us_high, 40e3), "{last:?}");
    assert!(!last.rate_is_bound && holds(last.rate_bps_low, last.rate_bps_high.unwrap(), 20e6), "{last:?}");
    assert!(!last.buffer_is_bound && holds(last.buffer_bytes_low, last.buffer_bytes_high, 100e3), "{last:?}");
    assert!(holds(last.random_loss_low, last.random_loss_high, 0.005), "{last:?}");
    let widths = |row: &PathRow| {
        [
            row.base_rtt_us_high / row.base_rtt_us_low,
            row.rate_bps_high.unwrap() / row.rate_bps_low,
            row.random_loss_high / row.random_loss_low,
        ]
    };
    for (one, pooled) in alone.iter().zip(&together).skip(1) {
        for (at, (one, pooled)) in widths(one).into_iter().zip(widths(pooled)).enumerate() {
            assert!(pooled <= one * 1.02, "figure {at}: {pooled} is wider than {one}");
        }
    }
    let off = |rows: &[PathRow]| -> f64 {
        rows.iter().map(|row| (row.rate_bps / 20e6).ln().abs()).sum::<f64>() / rows.len() as f64
    };
    assert!(off(&together[1..]) * 3.0 < off(&alone[1..]), "{} {}", off(&together), off(&alone));
}

// Bad spells of four packets, of which each is lost with 0.7: 1 / (1 - 0.75 * 0.7) in a row; one begins after 250.
#[test]
fn losses_in_bursts_are_told_from_single_ones() {
    let row = path(&bundled("bursts-spell4-loss0.7-bbr.snd.pcap.zst")).unwrap();
    assert!(near(row.loss_spell.unwrap(), 4.0, 1.3), "{row:?}");
    assert!(near(row.loss_in_spell.unwrap(), 0.7, 1.2), "{row:?}");
    assert!(near(row.loss_burst, 2.1, 1.2), "{row:?}");
    assert!(row.loss_spell_low.unwrap() <= 4.0 && row.loss_spell_high.unwrap() >= 4.0, "{row:?}");
    let independent = path(&bundled("ratestep-20to5mbit-cubic.snd.pcap.zst")).unwrap();
    assert_eq!(independent.loss_spell, None);
}

// Delays of 400 and 800 ms for parts of a second, then 20 ms again: 10 Mbit/s, 100,000 bytes of buffer, 127 packets lost of it and none otherwise.
#[test]
fn a_jump_of_the_delay_is_no_queue() {
    let capture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fleet/spike-800ms-reno-nodsack.snd.pcap.zst");
    let found = path(&capture).unwrap();
    assert!(!found.buffer_is_bound && near(found.buffer_bytes, 100_000.0 * IP_PART, 1.1), "{found:?}");
    assert!(found.congestive_losses > 120.0 && found.random_loss < 1e-4, "{found:?}");
}

// By joining both ends' captures: 2,262 of 11,440 ACKs lost; 1,261 of 4,788, and 363 of them before the tap in the middle.
#[test]
fn lost_acks_are_those_that_both_ends_tell() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED").map(PathBuf::from) else { return };
    let runs = [
        ("ackloss-20pct-cubic", "snd", Some(2_262.0 / 11_440.0)),
        ("ackloss-20pct-cubic", "rcv", None),
        ("midtap-ackloss-lossup-reno", "snd", Some(1_261.0 / 4_788.0)),
        ("midtap-ackloss-lossup-reno", "mid", Some(363.0 / 4_788.0)),
        ("matched-bneck20-rtt40-q1-cubic-r1", "snd", Some(0.0)),
    ];
    for (name, side, truth) in runs {
        let Some(found) = capture(&root, name, side).and_then(|capture| path(&capture)) else { continue };
        assert_eq!(found.ack_loss.is_some(), truth.is_some(), "{name} {side}");
        if let (Some(truth), Some(loss)) = (truth, found.ack_loss) {
            assert!((loss - truth).abs() < 0.003, "{name} {side}: {loss}");
            assert!(found.ack_loss_low.unwrap() <= truth && truth <= found.ack_loss_high.unwrap());
        }
    }
}

// RED that marks from 30,000 bytes of frames on, by an average of the queue.
#[test]
fn marks_tell_the_queue_from_which_on_they_come() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED").map(PathBuf::from) else { return };
    for side in ["snd", "rcv"] {
        let Some(found) = capture(&root, "ecn-red-dctcp", side).and_then(|capture| path(&capture)) else {
            continue;
        };
        assert!(near(found.marking_bytes.unwrap(), 30_000.0 * IP_PART, 1.15), "{side}: {found:?}");
    }
}

/// Figures of one capture: what it is, and whether the stated interval holds the truth.
fn held(found: &PathRow, truth: &serde_json::Value) -> Vec<(&'static str, bool)> {
    let given = |key: &str| truth["params"][key].as_f64();
    let holds = |low: f64, high: f64, truth: f64| low <= truth && truth <= high;
    let mut held = Vec::new();
    if let Some(rtt) = given("rtt_ms") {
        held.push(("rtt", holds(found.base_rtt_us_low, found.base_rtt_us_high, rtt * 1e3)));
    }
    if let (Some(rate), Some(high), false) = (given("rate_mbit"), found.rate_bps_high, found.rate_is_bound) {
        held.push(("rate", holds(found.rate_bps_low, high, rate * 1e6 * IP_PART)));
    }
    if let (Some(bytes), false) = (given("buffer_bytes"), found.buffer_is_bound) {
        held.push(("buffer", holds(found.buffer_bytes_low, found.buffer_bytes_high, bytes * IP_PART)));
    }
    if let Some(loss) = given("loss_pct").filter(|loss| *loss > 0.0) {
        held.push(("loss", holds(found.random_loss_low, found.random_loss_high, loss / 100.0)));
    }
    held
}

/// Captures of one flow over a first-in-first-out queue that nothing changed on the way, of at most so many packets, with their truth.
const MOST_PACKETS: u64 = 80_000;

fn plain_runs(root: &Path) -> Vec<(String, serde_json::Value)> {
    let files = std::fs::read_dir(root.join("truth")).unwrap().map(|entry| entry.unwrap().path());
    let mut runs: Vec<(String, serde_json::Value)> = files
        .filter_map(|file| {
            let name = file.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
            let truth: serde_json::Value =
                serde_json::from_str(&std::fs::read_to_string(&file).ok()?).ok()?;
            let plain = truth["flows"].as_array()?.len() == 1
                && truth["events"].as_array().is_none_or(Vec::is_empty)
                && truth["params"]["queue"] == "bfifo"
                && truth["stats"]["sender_capture_packets"].as_u64()? <= MOST_PACKETS;
            plain.then_some((name, truth))
        })
        .collect();
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    runs
}

// An interval from the 10th to the 90th percentile is to hold the truth in 80 % of all captures, for each figure and at each end.
#[test]
fn stated_intervals_hold_the_truth_in_eighty_of_a_hundred() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED").map(PathBuf::from) else { return };
    let runs = plain_runs(&root);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let counts = std::sync::Mutex::new(std::collections::BTreeMap::<(&str, &str), (usize, usize)>::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((name, truth)) =
                    runs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    for side in ["snd", "rcv"] {
                        let found = capture(&root, name, side).and_then(|capture| path(&capture));
                        for (what, inside) in found.map(|found| held(&found, truth)).unwrap_or_default() {
                            let mut counts = counts.lock().unwrap();
                            let count = counts.entry((what, side)).or_default();
                            *count = (count.0 + usize::from(inside), count.1 + 1);
                        }
                    }
                }
            });
        }
    });
    for ((what, side), (inside, all)) in counts.into_inner().unwrap() {
        assert!(inside * 5 >= all * 4, "{what} at {side}: {inside} of {all}");
    }
}
