//! Segments and connections of other people's captures, against what tshark counts in them, where the environment
//! variable `TCPTRACE_SHARED` names a folder with `corpus/` and its index. docs/peers.md explains each difference.

use std::path::Path;

use tcptrace_rs::capture::open;
use tcptrace_rs::driver::{Options, analyze};

/// A capture of which tshark and this library count otherwise: segments and connections here, and why.
struct Difference {
    file: &'static str,
    segments: u64,
    connections: u64,
    why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        file: "nDPI__reasm_crash_anon.pcapng",
        segments: 208,
        connections: 1,
        why: "frame 95 has a TCP data offset of 0, which no header can have",
    },
    Difference {
        file: "sample-captures__BT_USB_LinCooked_Eth_80211_RT.ntar.gz",
        segments: 30,
        connections: 7,
        why: "tshark stops at a Bluetooth packet of three bytes, ahead of all TCP",
    },
    Difference {
        file: "suricata-verify__split-handshake-5whs.pcap",
        segments: 8,
        connections: 1,
        why: "the server's SYN opens no second connection: the client answers it with its first number",
    },
    Difference {
        file: "suricata-verify__transform-base64-7296_input.pcap",
        segments: 59,
        connections: 7,
        why: "a corrupt RST and a stamp 18 hours ahead end a connection whose rest counts as another",
    },
    Difference {
        file: "zeek__vlan-collisions.pcap",
        segments: 42,
        connections: 3,
        why: "the VLAN is part of the connection's key",
    },
];

#[test]
#[cfg(feature = "compression")]
fn segments_and_connections_are_those_of_tshark() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED") else { return };
    let folder = Path::new(&root).join("corpus");
    let index = std::fs::read_to_string(folder.join("index.tsv")).unwrap();
    let mut lines = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name| head.iter().position(|&title| title == name).unwrap();
    let (file, packets, streams) = (column("file"), column("tcp_packets"), column("tcp_streams"));
    let (mut same, mut other) = (0, 0);
    for row in lines {
        let name = row[file];
        let theirs: (u64, u64) = (row[packets].parse().unwrap(), row[streams].parse().unwrap());
        let mut source = open(folder.join(name)).unwrap();
        let (report, _) = analyze(&mut source, &Options::default());
        let ours = (report.capture.tcp_segments, report.capture.connections);
        assert_eq!(ours.1, u64::try_from(report.connections.len()).unwrap(), "{name}");
        if let Some(row) = DIFFERENCES.iter().find(|row| row.file == name) {
            assert_eq!(ours, (row.segments, row.connections), "{name}: {}", row.why);
            assert_ne!(ours, theirs, "{name} differs no more");
            other += 1;
        } else {
            assert_eq!(ours, theirs, "{name}");
            same += 1;
        }
    }
    assert_eq!((same, other), (163, DIFFERENCES.len()));
}

/// Ten data packets are left in this file of a transfer of 4.9 GB, hundreds of megabytes apart. Two have the same sequence
/// number, 4 GiB apart, so that all bytes are unique.
#[test]
#[cfg(feature = "compression")]
fn packets_far_apart_are_of_one_stream_if_acknowledgments_say_so() {
    let Some(root) = std::env::var_os("TCPTRACE_SHARED") else { return };
    let path = Path::new(&root).join("corpus/zeek__bigtransfer.pcap");
    let (report, _) = analyze(&mut open(path).unwrap(), &Options::default());
    let data = report.connections.iter().find(|connection| connection.server_port == 37_150).unwrap();
    let down = &data.s2c;
    assert_eq!((down.data_packets, down.data_bytes, down.unique_bytes), (10, 23_822, 23_822));
    assert_eq!(down.out_of_window_packets, 0);
}

#[test]
fn each_difference_is_explained() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/peers.md")).unwrap();
    for row in DIFFERENCES {
        assert!(page.contains(row.file), "docs/peers.md says nothing of {}", row.file);
        assert!(!row.why.is_empty());
    }
}
