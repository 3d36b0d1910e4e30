//! What `explain` says of single frames, against captures of which it is known what happened, and against tshark.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tcptrace_rs::capture::{FrameSource, open};
use tcptrace_rs::decode::{DecodeOptions, Decoder};
use tcptrace_rs::driver::Options;
use tcptrace_rs::explain::peer::tcptrace::Tcptrace;
use tcptrace_rs::explain::peer::wireshark::Wireshark;
use tcptrace_rs::explain::peer::{FileOrder, Peer};
use tcptrace_rs::explain::{explain, text};
use tcptrace_rs::output::Palette;
use tcptrace_rs::report::explanation::{Explanation, Outcome};
use tcptrace_rs::report::{Trigger, Verdict};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/small").join(format!("{name}.pcap"))
}

fn frame(name: &str, number: u64) -> Explanation {
    let mut source = open(fixture(name)).unwrap();
    explain(&mut source, &Options::default(), number, &mut |_| {}).explanation.unwrap()
}

/// Every word of a program about a frame.
fn calls(found: &Explanation, program: &str) -> Vec<&'static str> {
    let peer = found.peers.iter().find(|peer| peer.program == program).unwrap();
    peer.calls.iter().map(|call| call.name).collect()
}

/// A frame of a fixture: what happened (fixtures/README.md; the trigger where the tap can tell it), and what the programs
/// say, which were run for it.
struct Case {
    fixture: &'static str,
    frame: u64,
    what: &'static str,
    verdict: Option<Verdict>,
    trigger: Option<Trigger>,
    tshark: &'static [&'static str],
    tcptrace: &'static [&'static str],
}

const REXMT: &[&str] = &["rexmt data pkts"];
const OUT_OF_ORDER: &[&str] = &["outoforder pkts"];
const LOST: Option<Verdict> = Some(Verdict::Lost);
const SPURIOUS: Option<Verdict> = Some(Verdict::Spurious);
const REORDERED: Option<Verdict> = Some(Verdict::Reordered);

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { fixture: "s1_sender_fastrtx", frame: 20, what: "retransmission", verdict: LOST, trigger: Some(Trigger::Fast), tshark: &["fast_retransmission"], tcptrace: REXMT },
    Case { fixture: "s3_sender_fast_30ms", frame: 23, what: "retransmission", verdict: LOST, trigger: Some(Trigger::Fast), tshark: &["retransmission"], tcptrace: REXMT },
    Case { fixture: "s4_receiver_fastrtx", frame: 22, what: "retransmission", verdict: LOST, trigger: Some(Trigger::Fast), tshark: &["out_of_order"], tcptrace: OUT_OF_ORDER },
    Case { fixture: "s6_tlp_sender", frame: 23, what: "retransmission", verdict: LOST, trigger: Some(Trigger::Tlp), tshark: &["retransmission"], tcptrace: REXMT },
    Case { fixture: "s7_rto_sender", frame: 23, what: "retransmission", verdict: LOST, trigger: Some(Trigger::Rto), tshark: &["retransmission"], tcptrace: REXMT },
    Case { fixture: "s8b_reorder30ms_receiver", frame: 22, what: "reordering", verdict: REORDERED, trigger: None, tshark: &["out_of_order"], tcptrace: OUT_OF_ORDER },
    Case { fixture: "s8c_reorder_200us", frame: 12, what: "reordering", verdict: REORDERED, trigger: None, tshark: &["out_of_order"], tcptrace: OUT_OF_ORDER },
    Case { fixture: "s9_spurious_rto_sender", frame: 5, what: "retransmission", verdict: SPURIOUS, trigger: Some(Trigger::Rto), tshark: &["retransmission"], tcptrace: REXMT },
    Case { fixture: "s9r_spurious_rto_receiver", frame: 6, what: "retransmission", verdict: SPURIOUS, trigger: None, tshark: &["spurious_retransmission"], tcptrace: REXMT },
    Case { fixture: "s10r_acklost_receiver", frame: 6, what: "retransmission", verdict: SPURIOUS, trigger: Some(Trigger::Rto), tshark: &["spurious_retransmission"], tcptrace: REXMT },
    Case { fixture: "s11_keepalive1", frame: 6, what: "keep_alive", verdict: None, trigger: None, tshark: &["keep_alive"], tcptrace: REXMT },
];

// The same frame by what the user says of the tap: behind one beside the receiver nothing is lost.
#[test]
fn the_vantage_that_is_told_decides() {
    use tcptrace_rs::analysis::Vantages;
    use tcptrace_rs::report::Vantage;

    for (place, verdict, evidence) in [
        (None, Verdict::Lost, "answered"),
        (Some(Vantage::Sender), Verdict::Lost, "answered"),
        (Some(Vantage::Receiver), Verdict::Spurious, "near-receiver"),
    ] {
        let vantages = Vantages { c2s: place, s2c: None };
        let options = Options { vantages, ..Options::default() };
        let mut source = open(fixture("s1_sender_fastrtx")).unwrap();
        let found = explain(&mut source, &options, 20, &mut |_| {}).explanation.unwrap().verdict.unwrap();
        assert_eq!((found.verdict, found.evidence), (Some(verdict), evidence));
        let mut source = open(fixture("s1_sender_fastrtx")).unwrap();
        let (report, _) = tcptrace_rs::driver::analyze(&mut source, &options);
        let told = report.connections[0].c2s.vantage;
        assert!(place.is_none_or(|place| place == told), "{told:?}");
    }
}

#[test]
fn each_frame_is_what_it_was_and_the_programs_say_what_they_say() {
    for case in CASES {
        let found = frame(case.fixture, case.frame);
        let name = format!("{} frame {}", case.fixture, case.frame);
        assert_eq!(found.what, case.what, "{name}");
        assert_eq!(found.verdict.as_ref().and_then(|row| row.verdict), case.verdict, "{name}");
        if case.trigger.is_some() {
            assert_eq!(found.cause.as_ref().map(|cause| cause.trigger), case.trigger, "{name}");
        }
        assert_eq!(calls(&found, "Wireshark"), case.tshark, "{name}");
        assert_eq!(calls(&found, "tcptrace"), case.tcptrace, "{name}");
        let decided: Vec<_> = found.rules.iter().filter(|rule| rule.decides).map(|rule| rule.id).collect();
        if let Some(row) = found.verdict.filter(|_| case.verdict.is_some()) {
            assert_eq!(decided, [row.evidence], "{name}");
        }
    }
}

// A delay of 780 ms, after which the kernel that had sent it undid its reduction (`TCPLossUndo` in its counters at that moment); and a
// timeout after a loss.
#[test]
fn f_rto_tells_a_timeout_that_a_delay_caused() {
    for (capture, number, holds) in [
        ("fleet/spike-800ms-reno-nodsack.snd.pcap.zst", 8_850, true),
        ("real/midtap-tail-lossboth-cubic.snd.pcap.zst", 186, false),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(capture);
        let mut source = open(path).unwrap();
        let found = explain(&mut source, &Options::default(), number, &mut |_| {}).explanation.unwrap();
        assert_eq!(found.cause.as_ref().map(|cause| cause.trigger), Some(Trigger::Rto), "{capture}");
        let verdict = if holds { Verdict::Spurious } else { Verdict::Lost };
        assert_eq!(found.verdict.as_ref().and_then(|row| row.verdict), Some(verdict), "{capture}");
        let step = found.rules.iter().find(|step| step.id == "f-rto").unwrap();
        assert_eq!(step.outcome, if holds { Outcome::Yes } else { Outcome::No }, "{capture}");
    }
}

#[test]
fn a_reordering_of_more_than_a_round_trip_is_what_either_program_says() {
    let found = frame("s8d_reorder60ms_gtRTT", 22);
    assert_eq!(calls(&found, "Wireshark"), ["retransmission"], "as tshark 4.0.17 prints");
    assert_eq!(calls(&found, "tcptrace"), OUT_OF_ORDER);
}

/// What a program says of each frame of a capture that has a segment, by its number.
fn judged(capture: &Path, peer: &mut dyn Peer) -> Option<BTreeMap<u64, Vec<&'static str>>> {
    let mut source = open(capture).ok()?;
    let mut decoder = Decoder::new(DecodeOptions::default());
    let (mut order, mut said) = (FileOrder::default(), BTreeMap::new());
    loop {
        // A capture that ends within a record still has the frames before it.
        let next = source.next_frame().ok().flatten();
        let more = next.is_some();
        match next {
            Some(next) => {
                let number = next.number;
                order.push(number, decoder.decode(&next).ok().as_ref());
            }
            None => order.finish(),
        }
        while let Some(segment) = order.pop() {
            let calls = peer.observe(&segment, false);
            said.insert(segment.frame, calls.iter().map(|call| call.name).collect());
        }
        if !more {
            return Some(said);
        }
    }
}

/// How often each word of a program falls in a capture.
fn words(capture: &Path, peer: &mut dyn Peer) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for name in judged(capture, peer).unwrap().into_values().flatten() {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

/// tshark 4.0.17 calls 24 packets retransmissions and 22 duplicate ACKs in a capture that has each packet twice, and
/// tcptrace 6.6.7 counts 22 and 2 in its two directions as sent again, SYN and FIN among them.
#[test]
fn what_is_captured_twice_misleads_both_programs_and_not_this_one() {
    let twice = words(&fixture("dup"), &mut Wireshark::default());
    assert_eq!((twice["retransmission"], twice["duplicate_ack"]), (24, 22));
    assert_eq!(words(&fixture("dup"), &mut Tcptrace::default())["rexmt data pkts"], 24);
    let second = frame("dup", 8);
    assert_eq!((second.what, second.duplicate_of, second.verdict), ("duplicate", Some(7), None));
}

#[test]
fn an_acknowledgment_stamped_before_its_data_misleads_wireshark() {
    let odd = words(&fixture("ooo_ts"), &mut Wireshark::default());
    assert_eq!((odd["ack_lost_segment"], odd["spurious_retransmission"]), (1, 1));
}

#[test]
fn ordinary_frames_are_called_what_they_are() {
    let what = |number| frame("base", number).what;
    assert_eq!(
        [what(1), what(2), what(3), what(4), what(5)],
        ["syn", "syn", "acknowledgment", "new_data", "acknowledgment"]
    );
    assert_eq!([what(44), what(45), what(46)], ["fin", "fin", "acknowledgment"]);
    let data = frame("base", 4);
    let segment = data.segment.unwrap();
    assert_eq!((segment.offset, segment.len, segment.fresh_bytes), (Some(0), 1448, Some(1448)));
    assert!(data.verdict.is_none() && data.rules.is_empty());
    let behind = frame("s4_receiver_fastrtx", 10);
    assert_eq!((behind.what, calls(&behind, "Wireshark")), ("hole_before", vec!["lost_segment"]));
    assert_eq!(frame("s4_receiver_fastrtx", 11).what, "duplicate_ack");
}

#[test]
fn a_copy_names_the_one_before_and_the_rules_name_their_frames() {
    let found = frame("s1_sender_fastrtx", 20);
    let copy = found.copy.unwrap();
    assert_eq!((copy.number, copy.first_frame, copy.before_ns), (2, Some(7), Some(50_400_000)));
    let cause = found.cause.unwrap();
    assert_eq!((cause.duplicate_acks, cause.sacked_above), (3, 3 * 1448), "frames 17 to 19");
    let ids: Vec<_> = found.rules.iter().map(|rule| rule.id).collect();
    assert_eq!(ids, tcptrace_rs::analysis::loss_rules().map(|rule| rule.0).collect::<Vec<_>>());

    let spurious = frame("s9_spurious_rto_sender", 5);
    let dsack = &spurious.rules[0];
    assert_eq!((dsack.id, dsack.outcome, dsack.decides), ("dsack", Outcome::Yes, true));
    assert_eq!(dsack.saw, "frame 7 reports [0, 1,448) as a duplicate");

    let filler = frame("s4_receiver_fastrtx", 22).copy.unwrap();
    assert_eq!((filler.hole, filler.hole_shown_by), (Some([4_344, 5_792]), Some(10)));
}

#[test]
fn no_line_of_any_frame_is_too_wide() {
    let folder = fixture("base").parent().unwrap().to_owned();
    let mut seen = 0;
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for number in (1..=46).step_by(3) {
            let Ok(mut source) = open(&path) else { continue };
            let outcome = explain(&mut source, &Options::default(), number, &mut |_| {});
            let Some(found) = outcome.explanation else { continue };
            let mut written = Vec::new();
            text::write(&mut written, &found, &Palette::default()).unwrap();
            let written = String::from_utf8(written).unwrap();
            assert!(written.lines().all(|line| line.chars().count() <= 100), "{written}");
            assert!(written.starts_with(&format!("frame {number}, ")), "{written}");
            seen += 1;
        }
    }
    assert!(seen > 300, "{seen}");
}

/// The program.
#[cfg(feature = "cli")]
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tcptrace-rs")).arg("explain").args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[cfg(feature = "cli")]
#[test]
fn a_frame_beyond_the_end_is_an_error_that_tells_how_many_there_are() {
    let path = fixture("base").display().to_string();
    let (code, out, err) = run(&[&path, "47"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("error: there is no frame 47: ") && err.ends_with(" has 46 frames\n"), "{err}");
    assert_eq!(run(&[&path, "0"]).0, Some(2));
    assert_eq!(run(&[&path, "46"]).0, Some(0));
}

#[cfg(feature = "cli")]
#[test]
fn a_frame_without_a_segment_says_why() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/link/frag.pcap");
    let mut source = open(&path).unwrap();
    let mut decoder = Decoder::new(DecodeOptions::default());
    let mut skipped = None;
    while let Some(next) = source.next_frame().unwrap() {
        let number = next.number;
        if decoder.decode(&next).is_err() {
            skipped.get_or_insert(number);
        }
    }
    let number = skipped.unwrap().to_string();
    let path = path.display().to_string();
    let (code, out, _) = run(&[&path, &number]);
    assert_eq!(code, Some(0));
    assert!(out.contains("no TCP segment (fragment): "), "{out}");
    let (_, json, _) = run(&["--format", "json", &path, &number]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["what"], &json["skip_reason"]), (&"skipped".into(), &"fragment".into()));
    assert_eq!((&json["schema"], &json["segment"]), (&"tcptrace-rs/1".into(), &serde_json::Value::Null));
}

/// The fields of tshark that the re-implementation covers.
const FIELDS: &[&str] = &[
    "zero_window_probe",
    "zero_window",
    "lost_segment",
    "keep_alive",
    "window_update",
    "window_full",
    "keep_alive_ack",
    "zero_window_probe_ack",
    "duplicate_ack",
    "ack_lost_segment",
    "spurious_retransmission",
    "fast_retransmission",
    "out_of_order",
    "retransmission",
    "reused_ports",
];

/// What tshark says of each frame, by its number; `None` if it cannot be run.
fn tshark(capture: &Path) -> Option<BTreeMap<u64, Vec<&'static str>>> {
    let mut command = Command::new("tshark");
    command
        .args(["-n", "-T", "fields", "-Y", "tcp", "-E", "occurrence=a", "-e", "frame.number", "-r"])
        .arg(capture);
    for field in FIELDS {
        command.args(["-e", &format!("tcp.analysis.{field}")]);
    }
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut frames = BTreeMap::new();
    for line in text.lines() {
        let mut columns = line.split('\t');
        let Some(number) = columns.next().and_then(|number| number.parse().ok()) else { continue };
        let said = FIELDS.iter().zip(columns).filter(|(_, column)| !column.is_empty()).map(|(name, _)| *name);
        let mut said: Vec<_> = said.collect();
        // The two special kinds have the general one beside them.
        if said.iter().any(|name| matches!(*name, "spurious_retransmission" | "fast_retransmission")) {
            said.retain(|name| *name != "retransmission");
        }
        said.sort_unstable();
        frames.insert(number, said);
    }
    Some(frames)
}

/// Where the reference captures lie and tshark is installed: frame by frame, our reading of its rules is right.
#[test]
fn tshark_agrees_with_what_is_said_of_it() {
    let Some(shared) = std::env::var_os("TCPTRACE_SHARED") else { return };
    let mut captures: Vec<PathBuf> = std::fs::read_dir(Path::new(&shared).join("corpus"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name().is_some_and(|name| {
                name.to_string_lossy().contains("pcap") || name.to_string_lossy().contains(".cap")
            })
        })
        .collect();
    captures.sort();
    let mut differences = String::new();
    let (mut frames, mut agreed, mut marked, mut marked_agreed) = (0_u64, 0_u64, 0_u64, 0_u64);
    for path in captures {
        let Some(theirs) = tshark(&path) else { return };
        let Some(judged) = judged(&path, &mut Wireshark::default()) else { continue };
        let (mut wrong, mut here) = (0, 0);
        let mut kinds = BTreeMap::new();
        for (number, mut ours) in judged {
            ours.sort_unstable();
            let Some(said) = theirs.get(&number) else { continue };
            here += 1;
            let same = ours == *said;
            frames += 1;
            agreed += u64::from(same);
            if !said.is_empty() || !ours.is_empty() {
                marked += 1;
                marked_agreed += u64::from(same);
            }
            if !same {
                wrong += 1;
                let key = format!("{said:?} not {ours:?}");
                kinds.entry(key).or_insert((0, number)).0 += 1;
            }
        }
        if wrong > 0 {
            writeln!(differences, "{}: {wrong} of {here}", path.display()).unwrap();
            for (kind, (count, first)) in kinds {
                writeln!(differences, "    {count} x {kind}, first in frame {first}").unwrap();
            }
        }
    }
    assert!(agreed > 100_000, "{agreed} of {frames} frames");
    assert!(
        marked_agreed * 1_000 >= marked * 997,
        "{marked_agreed} of {marked} that either marks, of {frames}\n{differences}"
    );
}
