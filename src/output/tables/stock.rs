//! Findings made by hand, in the order in which an analysis would hand them out: connections when they end.

use super::{Finding, TableWriter};
use crate::report::{
    ClosedBy, ConnectionReport, ConnectionState, Dir, DirectionReport, Ecn, HandshakeReport, IntervalRow,
    Kind, Limit, LimitRow, RetransmissionRow, RoleBasis, RttRow, RttSource, SeriesRow, Trigger, Vantage,
    Verdict, WindowPhase, WindowRow,
};

/// 2026-11-30 12:00:00.123456789 UTC.
pub(super) const START_NS: i64 = 1_796_040_000_123_456_789;

/// A finished download over a VLAN whose name would be a formula.
pub(super) fn download() -> ConnectionReport {
    ConnectionReport {
        connection: 0,
        client_ip: "192.0.2.1".to_owned(),
        client_port: 49_152,
        server_ip: "2001:db8::2".to_owned(),
        server_port: 443,
        role_basis: RoleBasis::SynAck,
        encapsulation: Some("=cmd|'/c calc'!A1, \"vlan 7\"".to_owned()),
        first_ns: START_NS,
        last_ns: START_NS + 2_000_000_001,
        first_frame: 1,
        packets: 1_500,
        state: ConnectionState::Closed,
        closed_by: Some(ClosedBy::ServerFin),
        port_reused: true,
        evicted: false,
        handshake: HandshakeReport {
            server_rtt_us: Some(41_000.25),
            client_rtt_us: None,
            rtt_us: None,
            syn_retransmissions: 1,
            syn_ack_retransmissions: 0,
        },
        transactions: Some(12),
        transaction_p50_us: Some(41_000.5),
        transaction_p95_us: None,
        transaction_p99_us: None,
        turnaround_p50_us: Some(7.0),
        turnaround_p95_us: None,
        turnaround_p99_us: None,
        diagnosis: Some("The path was full.".to_owned()),
        c2s: DirectionReport { packets: 500, vantage: Vantage::Sender, ..DirectionReport::default() },
        s2c: DirectionReport {
            packets: 1_000,
            wire_bytes: 1_514_000,
            data_packets: 999,
            unique_bytes: 5_000_000_000,
            retransmitted_packets: Some(0),
            mss: Some(1_460),
            window_scale: Some(14),
            sack_permitted: Some(true),
            timestamps: Some(false),
            ecn: Some(Ecn::Accurate),
            fast_open: Some("cookie"),
            vantage: Vantage::Receiver,
            rtt_samples: Some(3),
            rtt_min_us: Some(0.5),
            rtt_mean_us: Some(f64::NAN),
            goodput_bps: Some(1.25e12),
            cc_identified: Some("cubic".to_owned()),
            cc_confidence: Some(0.75),
            ..DirectionReport::default()
        },
        paths: Vec::new(),
        predictions: Vec::new(),
    }
}

/// A SYN without an answer: little is known of it.
pub(super) fn unanswered() -> ConnectionReport {
    ConnectionReport {
        connection: 1,
        client_ip: "192.0.2.9".to_owned(),
        role_basis: RoleBasis::Syn,
        encapsulation: None,
        state: ConnectionState::SynSent,
        closed_by: None,
        handshake: HandshakeReport::default(),
        c2s: DirectionReport { packets: 1, ..DirectionReport::default() },
        s2c: DirectionReport::default(),
        ..download()
    }
}

/// Bytes sent again before the stream's first known byte.
pub(super) fn retransmission() -> RetransmissionRow {
    RetransmissionRow {
        connection: 0,
        dir: Dir::S2c,
        frame: 90,
        ts_ns: START_NS + 1,
        offset: -1_448,
        len: 1_448,
        kind: Kind::Retransmission,
        trigger: Trigger::Tlp,
        verdict: Some(Verdict::Spurious),
        evidence: "dsack",
        confidence: 0.99,
        original_frame: Some(80),
    }
}

/// A probe: neither lost nor spurious.
pub(super) fn probe() -> RetransmissionRow {
    RetransmissionRow {
        frame: 70,
        offset: 9_000_000_000,
        len: 1,
        kind: Kind::ZeroWindowProbe,
        trigger: Trigger::Unknown,
        verdict: None,
        evidence: "window_shut",
        confidence: 1.0,
        original_frame: None,
        ..retransmission()
    }
}

/// A row of each table over time.
pub(super) fn series() -> [SeriesRow; 4] {
    let (connection, dir, ts_ns) = (0, Dir::S2c, START_NS + 5);
    [
        SeriesRow::Rtt(RttRow {
            connection,
            dir,
            ts_ns,
            rtt_us: 40_123.5,
            newest_us: 40_000.0,
            source: RttSource::Sack,
        }),
        SeriesRow::Window(WindowRow {
            connection,
            dir,
            ts_ns,
            flight_bytes: 14_480,
            cwnd_bytes: Some(28_960),
            cwnd_low_bytes: Some(14_480),
            cwnd_high_bytes: Some(57_920),
            rwnd_bytes: None,
            phase: WindowPhase::SlowStart,
        }),
        SeriesRow::Interval(IntervalRow {
            connection,
            dir,
            start_ns: START_NS,
            end_ns: START_NS + 1_000_000_000,
            bytes: 1_000,
            throughput_bps: 8_000.0,
            retransmitted_packets: 1,
            rtt_us: None,
            cwnd_bytes: Some(28_960),
        }),
        SeriesRow::Limit(LimitRow {
            connection,
            dir,
            start_ns: START_NS,
            end_ns: START_NS + 9,
            limit: Limit::ReceiveWindow,
            score: 0.75,
        }),
    ]
}

/// All of them.
pub(super) fn tell(writer: &mut TableWriter) {
    writer.take(Finding::Connection(&unanswered()));
    writer.take(Finding::Retransmission(&retransmission()));
    writer.take(Finding::Retransmission(&probe()));
    for row in &series() {
        writer.take(Finding::Series(row));
    }
    writer.take(Finding::Connection(&download()));
}
