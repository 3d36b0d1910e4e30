//! A report made by hand, which every renderer's tests write: a download with loss, a connection met midway through a
//! tunnel, and a refused one.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use super::{Renderer, Settings};
use crate::report::{
    CaptureDrops, CaptureReport, Cleaned, ClosedBy, ConnectionReport, ConnectionState, DirectionReport, Ecn,
    HandshakeReport, Report, RoleBasis, SCHEMA, Vantage,
};
use crate::warning::Warning;

/// 2026-03-02 09:14:07.113 UTC.
const START: i64 = 1_772_442_847_113_000_000;

/// The stock report.
pub(super) fn report() -> Report {
    Report { schema: SCHEMA, capture: capture(), connections: vec![download(), midway(), refused()] }
}

/// The stock report in a format; its connections are handed over in the order 2, 0, 1.
pub(super) fn render(renderer: &dyn Renderer, settings: &Settings) -> String {
    let mut report = report();
    report.connections.rotate_right(1);
    render_report(renderer, settings, &report)
}

/// A report in a format.
pub(super) fn render_report(renderer: &dyn Renderer, settings: &Settings, report: &Report) -> String {
    let memory = Memory::default();
    let mut writer = renderer.start(Box::new(memory.clone()), settings);
    for connection in &report.connections {
        writer.connection(connection.clone());
    }
    writer.finish(&report.capture).unwrap();
    let bytes = memory.0.borrow().clone();
    String::from_utf8(bytes).unwrap()
}

#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn capture() -> CaptureReport {
    CaptureReport {
        path: "backup-slow\x1b[2J.pcapng".to_owned(),
        format: "pcapng".to_owned(),
        compression: Some("zstd".to_owned()),
        link_types: vec!["Ethernet".to_owned()],
        interfaces: 1,
        frames: 412_806,
        bytes: 1_980_123_456,
        captured_bytes: 52_839_168,
        cut_frames: 390_120,
        tcp_segments: 412_700,
        connections: 3,
        first_ns: Some(START),
        last_ns: Some(START + 61_200_000_000),
        truncated: true,
        read_error: Some("backup-slow\x1b[2J.pcapng ends inside a record at byte 52,839,168".to_owned()),
        skipped: [("not_ip".to_owned(), 26), ("not_tcp".to_owned(), 80)].into(),
        skipped_records: [("name_resolution".to_owned(), 1)].into(),
        cleaned: Cleaned { duplicates: 1_204, repeated: 0, clock_disorder: 0, odd_stamps: 0 },
        capture_drops: CaptureDrops {
            interface: Some(0),
            unseen_bytes: 72_400,
            unseen_gaps: 2,
            unseen_segments: 50,
        },
        warnings: vec![Warning {
            id: "capture_drops",
            seen: "50 segments of connection 0 on eth0\x07 are missing from the capture (acknowledged, never seen)"
                .to_owned(),
            why: "They are not counted as loss, yet what was in them is unknown",
            remedy: "Use a larger capture buffer (tcpdump -B 4096) or a shorter snaplen (-s 128)",
        }],
        ..CaptureReport::default()
    }
}

fn download() -> ConnectionReport {
    ConnectionReport {
        connection: 0,
        client_ip: "10.2.0.7".to_owned(),
        client_port: 51_544,
        server_ip: "10.9.1.3".to_owned(),
        server_port: 443,
        role_basis: RoleBasis::Syn,
        encapsulation: None,
        first_ns: START,
        last_ns: START + 61_000_000_000,
        first_frame: 1,
        packets: 2_012_233,
        state: ConnectionState::Closed,
        closed_by: Some(ClosedBy::ClientFin),
        port_reused: false,
        evicted: false,
        handshake: HandshakeReport {
            server_rtt_us: Some(54_000.0),
            client_rtt_us: Some(300.0),
            rtt_us: Some(54_300.0),
            syn_retransmissions: 0,
            syn_ack_retransmissions: 0,
        },
        c2s: DirectionReport {
            packets: 1_341_022,
            wire_bytes: 2_030_308_800,
            data_packets: 1_341_020,
            data_bytes: 1_951_857_000,
            unique_bytes: 1_940_123_456,
            stream_bytes: Some(1_940_195_856),
            syn_packets: 1,
            fin_packets: 1,
            push_packets: 12_000,
            retransmitted_packets: Some(8_104),
            retransmitted_bytes: Some(11_733_544),
            lost_packets: Some(803),
            spurious_packets: Some(7_288),
            undecided_packets: Some(13),
            loss_events: Some(171),
            loss_burst_min: Some(1),
            loss_burst_max: Some(31),
            retransmissions_per_loss: Some(10.09),
            segment_min: Some(9),
            segment_max: Some(1_448),
            unseen_bytes: 72_400,
            unseen_gaps: 2,
            goodput_bps: Some(254_100_000.0),
            throughput_bps: Some(266_300_000.0),
            rtt_samples: Some(600_000),
            rtt_min_us: Some(54_100.0),
            rtt_p50_us: Some(55_000.0),
            rtt_mean_us: Some(55_200.0),
            rtt_p95_us: Some(61_700.0),
            rtt_max_us: Some(103_000.0),
            vantage: Vantage::Sender,
            ..ends_with_syn()
        },
        s2c: DirectionReport {
            packets: 671_211,
            wire_bytes: 44_321_000,
            data_packets: 212,
            data_bytes: 18_213,
            unique_bytes: 18_213,
            stream_bytes: Some(18_213),
            syn_packets: 1,
            fin_packets: 1,
            pure_acks: 670_997,
            duplicate_acks: 41_200,
            sack_acks: 39_001,
            dsack_acks: 7_101,
            max_sack_blocks: 3,
            retransmitted_packets: Some(0),
            segment_min: Some(31),
            segment_max: Some(1_448),
            goodput_bps: Some(2_400.0),
            throughput_bps: Some(5_812_000.0),
            ..ends_with_syn()
        },
        ..ConnectionReport::default()
    }
}

fn ends_with_syn() -> DirectionReport {
    DirectionReport {
        mss: Some(1_460),
        window_scale: Some(7),
        window_scale_known: true,
        sack_permitted: Some(true),
        timestamps: Some(true),
        ecn: Some(Ecn::Off),
        window_min_bytes: Some(64_256),
        window_max_bytes: Some(3_145_728),
        ttl_min: Some(63),
        ttl_max: Some(64),
        ..DirectionReport::default()
    }
}

/// Met midway, inside VXLAN, with the longest addresses there are.
fn midway() -> ConnectionReport {
    ConnectionReport {
        connection: 1,
        client_ip: "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff".to_owned(),
        client_port: 60_001,
        server_ip: "2001:db8:1111:2222:3333:4444:5555:6666".to_owned(),
        server_port: 8_443,
        role_basis: RoleBasis::Port,
        encapsulation: Some("vlan 5, vxlan 77".to_owned()),
        first_ns: START + 1,
        last_ns: START + 5_000_000_001,
        first_frame: 2,
        packets: 30,
        state: ConnectionState::Established,
        closed_by: None,
        port_reused: false,
        evicted: true,
        handshake: HandshakeReport::default(),
        c2s: DirectionReport {
            packets: 30,
            wire_bytes: 3_000,
            data_packets: 1,
            data_bytes: 1_000,
            unique_bytes: 1_000,
            keep_alives: 4,
            zero_windows: 3,
            zero_window_events: 1,
            zero_window_us: 1_250_000.0,
            timestamps: Some(false),
            window_min_bytes: Some(0),
            window_max_bytes: Some(502),
            segment_min: Some(1_000),
            segment_max: Some(1_000),
            ..DirectionReport::default()
        },
        s2c: DirectionReport::default(),
        ..ConnectionReport::default()
    }
}

fn refused() -> ConnectionReport {
    ConnectionReport {
        connection: 2,
        client_ip: "10.2.0.7".to_owned(),
        client_port: 51_545,
        server_ip: "10.9.1.3".to_owned(),
        server_port: 25,
        role_basis: RoleBasis::Syn,
        encapsulation: None,
        first_ns: START + 2_000,
        last_ns: START + 1_054_002_000,
        first_frame: 3,
        packets: 3,
        state: ConnectionState::Refused,
        closed_by: Some(ClosedBy::ServerRst),
        port_reused: true,
        evicted: false,
        handshake: HandshakeReport { syn_retransmissions: 1, ..HandshakeReport::default() },
        c2s: DirectionReport { packets: 2, wire_bytes: 148, syn_packets: 2, ..ends_with_syn() },
        s2c: DirectionReport {
            packets: 1,
            wire_bytes: 86,
            rst_packets: 1,
            rst_payload_bytes: 32,
            ..DirectionReport::default()
        },
        ..ConnectionReport::default()
    }
}
