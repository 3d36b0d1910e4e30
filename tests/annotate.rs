//! `annotate` as a program.

use std::path::PathBuf;
use std::process::{Command, Output};

use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::block_common::Block;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::opt_common::CommonOption;
use serde_json::Value;
use tcptrace_rs::capture::{FrameSource, LinkType, open};
use tcptrace_rs::units::Timestamp;

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "fixtures", name].iter().collect()
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tcptrace-rs")).args(args).output().unwrap()
}

type Copied = (u64, Timestamp, LinkType, u32, Vec<u8>);

/// Every frame by its number, as the library reads it.
fn frames(path: &std::path::Path) -> Vec<Copied> {
    let mut source = open(path).unwrap();
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = source.next_frame() {
        frames.push((frame.number, frame.at, frame.link, frame.wire_len, frame.data.to_vec()));
    }
    frames.sort();
    frames
}

/// The comments of each frame, read by pcap-file.
fn comments(path: &std::path::Path) -> Vec<Vec<String>> {
    let mut reader = PcapNgReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut found = Vec::new();
    while let Some(block) = reader.next_block() {
        let (Block::EnhancedPacket(packet), _) = block.unwrap() else { continue };
        let text = |option: &EnhancedPacketOption<'_>| match option {
            EnhancedPacketOption::Common(CommonOption::Comment(text)) => Some(text.to_string()),
            _ => None,
        };
        found.push(packet.options.iter().filter_map(text).collect());
    }
    found
}

#[test]
fn every_byte_is_there_and_every_verdict_a_comment() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.pcapng");
    // 38 of its segments were lost, as its baseline has from the kernel and both ends; the other has none.
    for (name, verdicts) in [("real/tail-bursts-loss4-cubic.snd.pcapng", 38), ("small/base_be.pcap", 0)] {
        let capture = fixture(name);
        let output = run(&["annotate", capture.to_str().unwrap(), "-o", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(frames(&out), frames(&capture), "{name}");
        let comments = comments(&out);
        let said: Vec<(usize, &String)> = comments
            .iter()
            .enumerate()
            .flat_map(|(n, texts)| texts.iter().map(move |text| (n + 1, text)))
            .collect();
        assert_eq!(said.iter().filter(|(_, text)| text.contains(", LOST;")).count(), verdicts, "{said:?}");
        // Each stands on the frame that `explain` has the same verdict for.
        if let Some((frame, text)) = said.first() {
            let explained =
                run(&["explain", capture.to_str().unwrap(), &frame.to_string(), "--format", "json"]);
            let explained: Value = serde_json::from_slice(&explained.stdout).unwrap();
            assert!(explained.to_string().contains("\"lost\""), "{text}: {explained}");
        }
    }
}

#[test]
fn a_capture_is_not_written_over_itself() {
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("a.pcap");
    std::fs::copy(fixture("small/base.pcap"), &capture).unwrap();
    let before = std::fs::read(&capture).unwrap();
    let output = run(&["annotate", capture.to_str().unwrap(), "-o", capture.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read(&capture).unwrap(), before);
    let output = run(&["annotate", "-", "-o", dir.path().join("b").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_could_be_read_of_a_cut_capture_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.pcapng");
    let cut = fixture("small/cut.pcap");
    let output = run(&["annotate", cut.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(frames(&out), frames(&cut));
    let allowed = ["annotate", "--allow-truncated", cut.to_str().unwrap(), "-o", out.to_str().unwrap()];
    assert_eq!(run(&allowed).status.code(), Some(0));
}
