//! What is in each bundled capture, known from how it was made, is what the library finds in it.
//!
//! With the environment variable `TCPTRACE_SHARED` the same table is held against `fixtures/` in the folder that it
//! names: more containers of the same connection.

use std::path::{Path, PathBuf};

use tcptrace_rs::capture::open;
use tcptrace_rs::driver::{Options, analyze};
use tcptrace_rs::report::{ConnectionReport, Report, RoleBasis};

/// What is known of a capture with connections from 10.0.0.1:40000 to 10.0.0.2:80 (or the same over IPv6). Numbers
/// are of each connection, upwards (c2s), where they do not say otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    connections: usize,
    /// Both directions, copies aside.
    packets: u64,
    data_packets: u64,
    /// Each copy counted.
    data_bytes: u64,
    unique_bytes: u64,
    keep_alives: u64,
    /// Of the server.
    duplicate_acks: u64,
    /// Of the server.
    sack_acks: u64,
    /// Of the server.
    dsack_acks: u64,
    super_segments: u64,
    unseen_bytes: u64,
    /// Of the whole capture, as are the rest.
    unseen_segments: u64,
    duplicates: u64,
    clock_disorder: u64,
    odd_stamps: u64,
    interface_drops: Option<u64>,
    truncated: bool,
    has_syn: bool,
}

/// The connection that most hold: 20 segments of 1448 bytes, each acknowledged, FIN both ways.
const BASE: Known = Known {
    connections: 1,
    packets: 46,
    data_packets: 20,
    data_bytes: 28_960,
    unique_bytes: 28_960,
    keep_alives: 0,
    duplicate_acks: 0,
    sack_acks: 0,
    dsack_acks: 0,
    super_segments: 0,
    unseen_bytes: 0,
    unseen_segments: 0,
    duplicates: 0,
    clock_disorder: 0,
    odd_stamps: 0,
    interface_drops: None,
    truncated: false,
    has_syn: true,
};

/// A burst of ten segments, one sent again; at the sender both copies are seen.
const BURST: Known =
    Known { packets: 24, data_packets: 11, data_bytes: 15_928, unique_bytes: 14_480, ..BASE };

/// The same at the receiver: one copy of each.
const BURST_RECEIVED: Known = Known { packets: 23, data_packets: 10, data_bytes: 14_480, ..BURST };

/// One segment sent twice, and the receiver says by DSACK that it had it.
const DSACK: Known = Known {
    packets: 7,
    data_packets: 2,
    data_bytes: 2_896,
    unique_bytes: 1_448,
    sack_acks: 1,
    dsack_acks: 1,
    ..BASE
};

/// Captures that hold something else than [`BASE`].
const OTHERS: &[(&str, Known)] = &[
    (
        "bigtcp6_len0.pcap.zst",
        Known { data_bytes: 3_600_000, unique_bytes: 3_600_000, super_segments: 20, ..BASE },
    ),
    ("cut.pcap", Known { packets: 45, truncated: true, ..BASE }),
    ("ng_cut.pcapng", Known { packets: 45, truncated: true, ..BASE }),
    (
        "drop.pcap",
        Known {
            packets: 44,
            data_packets: 18,
            data_bytes: 26_064,
            unique_bytes: 26_064,
            unseen_bytes: 2_896,
            unseen_segments: 2,
            ..BASE
        },
    ),
    ("dup.pcap", Known { duplicates: 46, ..BASE }),
    ("ng_extra.pcapng", Known { interface_drops: Some(7), ..BASE }),
    ("nosyn.pcap", Known { packets: 43, has_syn: false, ..BASE }),
    ("ooo_ts.pcap", Known { clock_disorder: 1, ..BASE }),
    // 70,000 data packets, as many acknowledgments, a handshake.
    (
        "over4g.pcap.zst",
        Known {
            packets: 140_003,
            data_packets: 70_000,
            data_bytes: 4_561_200_000,
            unique_bytes: 4_561_200_000,
            super_segments: 70_000,
            ..BASE
        },
    ),
    ("p_usec_over.pcap", Known { clock_disorder: 1, odd_stamps: 1, ..BASE }),
    (
        "reuse.pcap",
        Known {
            connections: 2,
            packets: 16,
            data_packets: 5,
            data_bytes: 7_240,
            unique_bytes: 7_240,
            ..BASE
        },
    ),
    ("s1_sender_fastrtx.pcap", Known { duplicate_acks: 6, sack_acks: 6, ..BURST }),
    ("s3_sender_fast_30ms.pcap", Known { duplicate_acks: 6, sack_acks: 6, ..BURST }),
    ("s4_receiver_fastrtx.pcap", Known { duplicate_acks: 6, sack_acks: 6, ..BURST_RECEIVED }),
    ("s6_tlp_sender.pcap", BURST),
    ("s7_rto_sender.pcap", BURST),
    ("s7r_rto_receiver.pcap", BURST_RECEIVED),
    ("s8b_reorder30ms_receiver.pcap", Known { duplicate_acks: 6, sack_acks: 6, ..BURST_RECEIVED }),
    ("s8c_reorder_200us.pcap", Known { duplicate_acks: 1, sack_acks: 1, ..BURST_RECEIVED }),
    ("s8d_reorder60ms_gtRTT.pcap", Known { duplicate_acks: 6, sack_acks: 6, ..BURST_RECEIVED }),
    ("s9_spurious_rto_sender.pcap", DSACK),
    ("s9r_spurious_rto_receiver.pcap", DSACK),
    ("s10r_acklost_receiver.pcap", DSACK),
    (
        "s11_keepalive1.pcap",
        Known { packets: 9, data_packets: 2, data_bytes: 2_896, unique_bytes: 2_896, keep_alives: 1, ..BASE },
    ),
    (
        "s12_overtaken_middle.pcap",
        Known {
            packets: 15,
            data_packets: 6,
            data_bytes: 8_616,
            unique_bytes: 7_180,
            duplicate_acks: 3,
            ..BASE
        },
    ),
    (
        "s13_unanswered_sender.pcap",
        Known { packets: 8, data_packets: 4, data_bytes: 5_792, unique_bytes: 2_896, ..BASE },
    ),
    ("tso64k.pcap.zst", Known { data_bytes: 1_280_000, unique_bytes: 1_280_000, super_segments: 20, ..BASE }),
    (
        "tso_len0.pcap.zst",
        Known { data_bytes: 1_280_000, unique_bytes: 1_280_000, super_segments: 20, ..BASE },
    ),
];

/// Captures without a connection.
const WITHOUT: &[&str] = &["empty.pcap", "ng_no_idb.pcapng", "zero.pcap"];

fn repository(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder)
}

fn report(path: &Path) -> Option<Report> {
    let mut source = open(path).ok()?;
    Some(analyze(&mut source, &Options::default()).0)
}

/// What was found, in the terms of what is known.
fn found(report: &Report, connection: &ConnectionReport) -> Known {
    let (capture, up, down) = (&report.capture, &connection.c2s, &connection.s2c);
    Known {
        connections: report.connections.len(),
        packets: connection.packets,
        data_packets: up.data_packets,
        data_bytes: up.data_bytes,
        unique_bytes: up.unique_bytes,
        keep_alives: up.keep_alives,
        duplicate_acks: down.duplicate_acks,
        sack_acks: down.sack_acks,
        dsack_acks: down.dsack_acks,
        super_segments: up.super_segments,
        unseen_bytes: up.unseen_bytes,
        unseen_segments: capture.capture_drops.unseen_segments,
        duplicates: capture.cleaned.duplicates,
        clock_disorder: capture.cleaned.clock_disorder,
        odd_stamps: capture.cleaned.odd_stamps,
        interface_drops: capture.capture_drops.interface,
        truncated: capture.truncated,
        has_syn: connection.role_basis == RoleBasis::Syn,
    }
}

fn is_compressed(name: &str) -> bool {
    ["gz", "xz", "zst", "bz2", "lz4"].iter().any(|end| name.ends_with(end))
}

/// Holds each capture of `folder` against the table. Gives how many there were.
fn check(folder: &Path) -> usize {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let readable = cfg!(feature = "compression") || !is_compressed(name);
        if !name.contains(".pcap") || name.contains(".baseline.") || !readable {
            continue;
        }
        seen += 1;
        if WITHOUT.contains(&name) {
            assert!(report(&path).is_none_or(|report| report.connections.is_empty()), "{name}");
            continue;
        }
        let known = OTHERS.iter().find(|row| row.0 == name).map_or(BASE, |row| row.1);
        let report = report(&path).unwrap();
        let v6 = name.starts_with("v6") || name.starts_with("bigtcp6");
        let (client, server) = if v6 { ("2001:db8::1", "2001:db8::2") } else { ("10.0.0.1", "10.0.0.2") };
        assert_eq!(report.capture.skipped.values().sum::<u64>(), u64::from(name == "frag.pcap"), "{name}");
        for connection in &report.connections {
            assert_eq!((&*connection.client_ip, connection.client_port), (client, 40_000), "{name}");
            assert_eq!((&*connection.server_ip, connection.server_port), (server, 80), "{name}");
            assert_eq!(found(&report, connection), known, "{name}");
            assert_eq!(connection.s2c.data_bytes, 0, "{name}");
            let rtt = connection.handshake.rtt_us;
            assert!(rtt.is_none_or(|rtt| rtt >= 0.0), "{name}: {rtt:?}");
            assert_eq!(rtt.is_some(), known.has_syn && known.odd_stamps == 0, "{name}: {rtt:?}");
        }
        assert!(!report.connections.is_empty(), "{name}");
    }
    seen
}

#[test]
fn every_bundled_capture_holds_what_is_known_of_it() {
    assert!(check(&repository("small")) >= 32);
    assert!(check(&repository("link")) >= 13);
    assert!(check(&repository("capture")) >= 3);
}

#[test]
fn the_table_names_no_capture_that_is_gone() {
    // The one that is too large for the repository is read from elsewhere.
    let elsewhere = "over4g.pcap.zst";
    for (name, _) in OTHERS {
        let here = ["small", "link", "capture"].iter().any(|folder| repository(folder).join(name).exists());
        assert!(here || *name == elsewhere, "{name}");
    }
}

#[test]
#[cfg(feature = "compression")]
fn shared_captures_hold_what_is_known_of_them() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED") else { return };
    assert!(check(&Path::new(&root).join("fixtures")) > 60);
}

/// A run of a real stack, known from comparing the captures at both ends and from the kernel's own counters.
struct Run {
    file: &'static str,
    frames: u64,
    ports: (u16, u16),
    data_packets: u64,
    data_bytes: u64,
    /// Bytes that the program wrote and the receiver got.
    unique_bytes: u64,
    dsack_acks: u64,
    /// Megabits a second that the receiving program measured, from when the sender began.
    goodput: f64,
    /// Seconds of that before the first data packet: connecting.
    connecting: f64,
}

const REAL: &[Run] = &[
    // 39 copies lost and sent again, one of them the SYN: `data_packets` counts 38 second copies.
    Run {
        file: "tail-bursts-loss4-cubic.snd.pcapng",
        frames: 1_578,
        ports: (57_120, 5_001),
        data_packets: 934,
        data_bytes: 1_334_480,
        unique_bytes: 1_280_000,
        dsack_acks: 0,
        goodput: 0.5099,
        connecting: 1.065,
    },
    Run {
        file: "tail-bursts-loss4-cubic.rcv.pcapng.zst",
        frames: 1_539,
        ports: (57_120, 5_001),
        data_packets: 896,
        data_bytes: 1_280_000,
        unique_bytes: 1_280_000,
        dsack_acks: 0,
        goodput: 0.5099,
        connecting: 1.065,
    },
    // 46 copies lost: 22 before the tap in the middle, 24 behind it.
    Run {
        file: "midtap-tail-lossboth-cubic.snd.pcap.zst",
        frames: 1_145,
        ports: (51_880, 5_001),
        data_packets: 704,
        data_bytes: 1_005_248,
        unique_bytes: 940_000,
        dsack_acks: 0,
        goodput: 0.6211,
        connecting: 0.04,
    },
    Run {
        file: "midtap-tail-lossboth-cubic.mid.pcap.zst",
        frames: 1_123,
        ports: (51_880, 5_001),
        data_packets: 682,
        data_bytes: 974_480,
        unique_bytes: 940_000,
        dsack_acks: 0,
        goodput: 0.6211,
        connecting: 0.04,
    },
    Run {
        file: "midtap-tail-lossboth-cubic.rcv.pcap.zst",
        frames: 1_099,
        ports: (51_880, 5_001),
        data_packets: 658,
        data_bytes: 940_000,
        unique_bytes: 940_000,
        dsack_acks: 0,
        goodput: 0.6211,
        connecting: 0.04,
    },
    // 25 copies lost; 26 sent again, of which the receiver had one and said so.
    Run {
        file: "losscc-loss1-rtt54-vegas.snd.pcapng.zst",
        frames: 4_973,
        ports: (53_544, 5_001),
        data_packets: 3_167,
        data_bytes: 4_585_816,
        unique_bytes: 4_548_168,
        dsack_acks: 1,
        goodput: 2.836,
        connecting: 0.054,
    },
];

#[test]
fn runs_of_a_real_stack_are_counted_as_its_kernel_counted_them() {
    for run in REAL {
        if is_compressed(run.file) && cfg!(not(feature = "compression")) {
            continue;
        }
        let name = run.file;
        let report = report(&repository("real").join(name)).unwrap();
        assert_eq!((report.capture.frames, report.capture.tcp_segments), (run.frames, run.frames), "{name}");
        assert_eq!(report.capture.warnings, [], "{name}");
        let [connection] = &report.connections[..] else { panic!("{name}") };
        assert_eq!((connection.client_port, connection.server_port), run.ports, "{name}");
        let (up, down) = (&connection.c2s, &connection.s2c);
        assert_eq!(
            (up.data_packets, up.data_bytes, up.unique_bytes, down.data_packets, down.dsack_acks),
            (run.data_packets, run.data_bytes, run.unique_bytes, 0, run.dsack_acks),
            "{name}"
        );
        assert_eq!(connection.packets, run.frames, "{name}");
        assert_eq!(
            (up.mss, up.timestamps, up.sack_permitted),
            (Some(1_460), Some(true), Some(true)),
            "{name}"
        );
        let seconds = run.unique_bytes as f64 * 8e-6 / run.goodput - run.connecting;
        let expected = run.unique_bytes as f64 * 8.0 / seconds;
        let error = up.goodput_bps.unwrap() / expected - 1.0;
        assert!(error.abs() < 0.01, "{name}: {error}");
    }
}
