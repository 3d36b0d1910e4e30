//! Captures in files: those of this repository, and, where the environment variable `TCPTRACE_SHARED` names a folder
//! with `fixtures/` and `corpus/`, those too.

use std::path::Path;

use tcptrace_rs::capture::{CaptureInfo, FrameSource, open};
use tcptrace_rs::error::CaptureError;

/// What came of a file.
struct Outcome {
    frames: u64,
    first_nanos: Option<i64>,
    last_nanos: Option<i64>,
    error: Option<CaptureError>,
    info: CaptureInfo,
}

fn read(path: &Path) -> Outcome {
    let mut outcome =
        Outcome { frames: 0, first_nanos: None, last_nanos: None, error: None, info: CaptureInfo::default() };
    let mut source = match open(path) {
        Ok(source) => source,
        Err(error) => {
            outcome.error = Some(error);
            return outcome;
        }
    };
    loop {
        match source.next_frame() {
            Ok(Some(frame)) => {
                outcome.frames += 1;
                outcome.first_nanos.get_or_insert(frame.at.as_nanos());
                outcome.last_nanos = Some(frame.at.as_nanos());
            }
            Ok(None) => break,
            Err(error) => {
                outcome.error = Some(error);
                break;
            }
        }
    }
    outcome.info = source.info();
    outcome
}

fn bundled(name: &str) -> Outcome {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/capture").join(name))
}

#[cfg(feature = "compression")]
fn shared(folder: &str) -> Option<std::path::PathBuf> {
    std::env::var_os("TCPTRACE_SHARED").map(|root| Path::new(&root).join(folder))
}

#[cfg(feature = "compression")]
const FIRST: i64 = 1_700_000_000_000_000_000;
const LAST: i64 = 1_700_000_000_461_198_000;

#[test]
#[cfg(feature = "compression")]
fn one_capture_in_every_compression_is_the_same() {
    for (name, compression) in [
        ("base.pcap.gz", "gzip"),
        ("base.pcap.xz", "xz"),
        ("base.pcap.zst", "zstd"),
        ("base.pcap.bz2", "bzip2"),
        ("base.pcap.lz4", "lz4"),
    ] {
        let outcome = bundled(name);
        assert!(outcome.error.is_none(), "{name}");
        assert_eq!(
            (outcome.frames, outcome.first_nanos, outcome.last_nanos),
            (46, Some(FIRST), Some(LAST)),
            "{name}"
        );
        assert_eq!((outcome.info.wire_bytes, outcome.info.captured_bytes), (31_468, 31_468), "{name}");
        assert_eq!(outcome.info.compression.as_deref(), Some(compression));
    }
    let outcome = bundled("ng_big_block.pcapng.zst");
    assert_eq!((outcome.frames, outcome.error.is_none()), (46, true));
    assert_eq!(outcome.info.skipped_records["custom block"], 1);
    assert_eq!(bundled("tso64k.pcap.zst").frames, 46);
}

#[test]
#[cfg(not(feature = "compression"))]
fn a_build_without_decompression_says_so() {
    let error = bundled("base.pcap.gz").error;
    assert!(matches!(error, Some(CaptureError::Unsupported { compression: "gzip", .. })), "{error:?}");
}

#[test]
fn plain_captures_are_read() {
    let outcome = bundled("snap96.pcap");
    assert_eq!((outcome.frames, outcome.last_nanos), (46, Some(LAST)));
    assert_eq!(
        (outcome.info.cut_frames, outcome.info.captured_bytes, outcome.info.wire_bytes),
        (20, 3_348, 31_468)
    );
    let outcome = bundled("empty.pcap");
    assert_eq!((outcome.frames, outcome.error.is_none()), (0, true));
    let outcome = bundled("zero.pcap");
    assert!(matches!(outcome.error, Some(CaptureError::Empty { .. })));
    let outcome = bundled("ng_no_idb.pcapng");
    assert_eq!((outcome.frames, outcome.error.is_none()), (0, true));
    assert_eq!(outcome.info.skipped_records["packet of an interface that is not described"], 1);
}

#[test]
fn what_is_no_capture_is_named() {
    let error = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).error.unwrap().to_string();
    assert!(error.contains("Cargo.toml: not a capture: it begins with 5b 70 61 63 6b 61 67 65"), "{error}");
    let error = read(Path::new("fixtures/no such file")).error;
    assert!(matches!(error, Some(CaptureError::Io { .. })));
}

/// Generated captures that have not 46 packets, all of them readable: frames, and whether an error follows.
#[cfg(feature = "compression")]
const OTHER_COUNTS: [(&str, u64, bool); 23] = [
    ("cut.pcap", 45, true),
    ("ng_cut.pcapng", 45, true),
    ("drop.pcap", 44, false),
    ("dup.pcap", 92, false),
    ("empty.pcap", 0, false),
    ("frag.pcap", 47, false),
    ("ng_no_idb.pcapng", 0, false),
    ("nosyn.pcap", 43, false),
    // 70,000 data packets, as many acknowledgements, a handshake.
    ("over4g.pcap.zst", 140_003, false),
    ("reuse.pcap", 32, false),
    ("s10r_acklost_receiver.pcap", 7, false),
    ("s11_keepalive1.pcap", 9, false),
    ("s1_sender_fastrtx.pcap", 24, false),
    ("s3_sender_fast_30ms.pcap", 24, false),
    ("s4_receiver_fastrtx.pcap", 23, false),
    ("s6_tlp_sender.pcap", 24, false),
    ("s7_rto_sender.pcap", 24, false),
    ("s7r_rto_receiver.pcap", 23, false),
    ("s8b_reorder30ms_receiver.pcap", 23, false),
    ("s8c_reorder_200us.pcap", 23, false),
    ("s8d_reorder60ms_gtRTT.pcap", 23, false),
    ("s9_spurious_rto_sender.pcap", 7, false),
    ("s9r_spurious_rto_receiver.pcap", 7, false),
];

#[test]
#[cfg(feature = "compression")]
fn shared_generated_captures_are_read_whole() {
    let Some(folder) = shared("fixtures") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.contains(".pcap") {
            continue;
        }
        let outcome = read(&path);
        if name == "zero.pcap" {
            assert!(matches!(outcome.error, Some(CaptureError::Empty { .. })));
            continue;
        }
        let row = OTHER_COUNTS.iter().find(|row| row.0 == name);
        let (frames, breaks) = row.map_or((46, false), |row| (row.1, row.2));
        assert_eq!((outcome.frames, outcome.error.is_some()), (frames, breaks), "{name}");
        // One ACK is stamped before its data; one fraction of a second is 1,000,001 us.
        let disorder = u64::from(name == "ooo_ts.pcap" || name == "p_usec_over.pcap");
        assert_eq!(outcome.info.clock_disorder, disorder, "{name}");
        assert_eq!(outcome.info.odd_stamps, u64::from(name == "p_usec_over.pcap"), "{name}");
        let drops = (name == "ng_extra.pcapng").then_some(7);
        assert_eq!(outcome.info.interface_drops, drops, "{name}");
        if row.is_none() {
            let first = match name {
                "p_usec_over.pcap" => FIRST + 1_000_001_000,
                // 64 bits of picoseconds do not reach from 1970 to today: its clock begins at 0.
                "ng_ps.pcapng" => 0,
                _ => FIRST,
            };
            assert_eq!(outcome.first_nanos, Some(first), "{name}");
        }
        seen += 1;
    }
    assert!(seen > 60, "{seen}");
}

/// Files of the corpus behind whose last frame there is an error, and the reason.
#[cfg(feature = "compression")]
const BROKEN: [(&str, &str); 3] = [
    ("derived__http.dmp.cut.gz", "gzip data break off"),
    ("pcaps__http-fault-post.pcap", "ends inside a record header at byte 8877"),
    ("sample-captures__EmergeSync.cap", "ends inside a record at byte 3902309"),
];

#[test]
#[cfg(feature = "compression")]
fn shared_corpus_has_the_packets_that_its_index_says() {
    let Some(folder) = shared("corpus") else { return };
    let index = std::fs::read_to_string(folder.join("index.tsv")).unwrap();
    let mut lines = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name| head.iter().position(|&title| title == name).unwrap();
    let (file, packets) = (column("file"), column("packets"));
    let mut seen = 0;
    for row in lines {
        let name = row[file];
        let outcome = read(&folder.join(name));
        // "207?" is the count where tshark stops although the file goes on.
        let expected: u64 = row[packets].trim_end_matches('?').parse().unwrap();
        assert_eq!(outcome.frames, expected, "{name}");
        let error = outcome.error.map(|error| error.to_string());
        match BROKEN.iter().find(|broken| broken.0 == name) {
            Some((_, what)) => assert!(error.as_ref().unwrap().contains(what), "{name}: {error:?}"),
            None => assert_eq!(error, None, "{name}"),
        }
        seen += 1;
    }
    assert!(seen > 150, "{seen}");
}
