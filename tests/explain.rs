//! What `explain` says of single frames, against captures of which it is known what happened, and against tshark.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tcptrace_rs::capture::{FrameSource, open};
use tcptrace_rs::decode::{DecodeOptions, Decoder};
use tcptrace_rs::driver::Options;
use tcptrace_rs::explain::explain;
use tcptrace_rs::explain::peer::wireshark::Wireshark;
use tcptrace_rs::explain::peer::{Peer, peers};
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

/// A frame of a fixture: what happened (fixtures/README.md), and what the programs say, which both were run for.
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
];

#[test]
fn each_frame_is_what_it_was_and_the_programs_say_what_they_say() {
    for case in CASES {
        let found = frame(case.fixture, case.frame);
        let name = format!("{} frame {}", case.fixture, case.frame);
        assert_eq!(found.what, case.what, "{name}");
        assert_eq!(found.verdict.as_ref().and_then(|row| row.verdict), case.verdict, "{name}");
        assert_eq!(found.cause.as_ref().map(|cause| cause.trigger), case.trigger, "{name}");
        assert_eq!(calls(&found, "Wireshark"), case.tshark, "{name}");
        assert_eq!(calls(&found, "tcptrace"), case.tcptrace, "{name}");
        let decided: Vec<_> = found.rules.iter().filter(|rule| rule.decides).map(|rule| rule.id).collect();
        if let Some(row) = found.verdict.filter(|_| case.verdict.is_some()) {
            assert_eq!(decided, [row.evidence], "{name}");
        }
    }
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
    let mut captures: Vec<PathBuf> = ["corpus", "fixtures", "truth/captures"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(Path::new(&shared).join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name().is_some_and(|name| {
                name.to_string_lossy().contains("pcap") || name.to_string_lossy().contains(".cap")
            })
        })
        .collect();
    captures.sort();
    let only = std::env::var("TCPTRACE_ONLY").unwrap_or_default();
    captures.retain(|path| path.to_string_lossy().contains(&only));
    let (mut frames, mut agreed, mut marked, mut marked_agreed) = (0_u64, 0_u64, 0_u64, 0_u64);
    for path in captures {
        let Some(theirs) = tshark(&path) else { return };
        let Ok(mut source) = open(&path) else { continue };
        let mut decoder = Decoder::new(DecodeOptions::default());
        let mut wireshark = Wireshark::default();
        let (mut wrong, mut here) = (0, 0);
        let mut kinds = BTreeMap::new();
        while let Ok(Some(next)) = source.next_frame() {
            let number = next.number;
            let Ok(segment) = decoder.decode(&next) else { continue };
            let mut ours: Vec<_> = wireshark.observe(&segment, false).iter().map(|call| call.name).collect();
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
            eprintln!("{}: {wrong} of {here}", path.display());
            for (kind, (count, first)) in kinds {
                eprintln!("    {count} x {kind}, first in frame {first}");
            }
        }
    }
    eprintln!("{agreed} of {frames} frames, {marked_agreed} of {marked} that either marks");
    assert!(frames > 0);
    assert!(marked_agreed * 100 >= marked * 99, "{marked_agreed} of {marked}");
    let _ = (peers(), Outcome::Yes, SPURIOUS, REORDERED, OUT_OF_ORDER);
}
