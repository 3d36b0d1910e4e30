//! Captures through reader and decoder: those of this repository, and, where the environment variable
//! `TCPTRACE_SHARED` names a folder with `corpus/` and its index of what Wireshark counts, those too.

use std::path::Path;

use tcptrace_rs::capture::{FrameSource, open};
use tcptrace_rs::decode::Decoder;

/// Segments in a capture, up to its end or the first error.
fn segments(path: &Path) -> u64 {
    let mut source = open(path).unwrap();
    let mut decoder = Decoder::default();
    let mut frames = 0;
    while let Ok(Some(frame)) = source.next_frame() {
        frames += 1;
        let _ = decoder.decode(&frame);
    }
    let skipped: u64 = decoder.skipped().map(|(_, count)| count).sum();
    assert_eq!(decoder.segments() + skipped, frames, "{}", path.display());
    decoder.segments()
}

#[test]
fn every_wrapping_holds_46_segments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/link");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(segments(&path), 46, "{}", path.display());
        files += 1;
    }
    assert_eq!(files, 13);
}

/// A header that says it is 0 bytes long is none here; Wireshark counts the packet.
#[cfg(feature = "compression")]
const OTHER_COUNTS: &[(&str, u64)] = &[("nDPI__reasm_crash_anon.pcapng", 208)];

#[test]
#[cfg(feature = "compression")]
fn the_shared_corpus_has_the_segments_that_wireshark_counts() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED") else { return };
    let corpus = Path::new(&root).join("corpus");
    let index = std::fs::read_to_string(corpus.join("index.tsv")).unwrap();
    let mut wrong = Vec::new();
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        // A question mark: Wireshark does not read the file to its end.
        let (name, Ok(_), Ok(counted)) = (fields[0], fields[7].parse::<u64>(), fields[8].parse::<u64>())
        else {
            continue;
        };
        let expected = OTHER_COUNTS.iter().find(|other| other.0 == name).map_or(counted, |other| other.1);
        let found = segments(&corpus.join(name));
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
