//! Subflows by hand, after the examples of RFC 8684 figure 2.

use std::num::NonZeroU32;

use super::*;
use crate::analysis::{Pipeline, PipelineOptions};
use crate::decode::{Address, Endpoint, TcpFlags, TcpOptions};
use crate::flow::Side;
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow};
use crate::seq::{SeqNumber, StreamOffset};
use crate::units::Timestamp;

/// Tokens of the client's and of the server's key.
const TOKENS: (u32, u32) = (0xa, 0xb);

fn segment(frame: u64, multipath: Multipath) -> Segment<'static> {
    let end = Endpoint { ip: Address::v4([10, 0, 0, 1]), port: 1 };
    Segment {
        frame,
        options: TcpOptions { multipath: Some(multipath), ..TcpOptions::default() },
        payload_len: 100,
        ..Segment::between(end, end)
    }
}

struct Told(Sessions, u64);

impl Told {
    fn new() -> Self {
        Self(Sessions::default(), 0)
    }

    fn say(&mut self, number: u64, from_client: bool, multipath: Multipath, fresh: u32) -> Option<u64> {
        self.1 += 1;
        let facts = Facts {
            from: Side::Low,
            data: StreamOffset::new(0),
            data_len: 100,
            fresh,
            ack: None,
            ack_advance: 0,
            purpose: crate::analysis::Purpose::Ordinary,
            in_stream: true,
            duplicate_ack: false,
            dsack: false,
        };
        self.0.observe(&segment(self.1, multipath), &facts, Subflow { number, from_client })
    }

    fn capable(&mut self, number: u64) {
        let (sender, receiver) = (NonZeroU32::new(TOKENS.0), NonZeroU32::new(TOKENS.1));
        self.say(number, true, Multipath::Capable { sender, receiver }, 0);
    }

    fn data(&mut self, number: u64, from_client: bool, data: u64, subflow: u32) -> Option<u64> {
        let mapping = Mapping { data, wide: true, subflow, len: 100 };
        self.say(number, from_client, Multipath::Data(mapping), 100)
    }
}

#[test]
fn a_join_with_the_token_of_a_key_is_of_the_same_connection() {
    let mut told = Told::new();
    told.capable(0);
    told.say(7, true, Multipath::Join { token: TOKENS.1 }, 0);
    assert_eq!(told.data(0, true, 5_000, 1), None);
    assert_eq!(told.data(7, true, 5_100, 1), None);
    assert_eq!(told.data(7, true, 5_000, 101), Some(3), "what frame 3 carried on the first");
    // The other way has numbers of its own.
    assert_eq!(told.data(7, false, 5_100, 1), None);
}

#[test]
fn a_server_may_join_too() {
    let mut told = Told::new();
    told.capable(0);
    // Asked by its server: the token is that of the client's key.
    told.say(3, true, Multipath::Join { token: TOKENS.0 }, 0);
    assert_eq!(told.data(0, false, 5_000, 1), None);
    assert_eq!(told.data(3, true, 5_000, 1), Some(3));
    assert_eq!(told.data(3, false, 5_000, 1), None);
}

#[test]
fn other_connections_have_other_numbers() {
    let mut told = Told::new();
    told.capable(0);
    told.say(1, true, Multipath::Join { token: 1 }, 0);
    told.say(2, true, Multipath::Join { token: 1 }, 0);
    assert_eq!(told.data(0, true, 5_000, 1), None);
    // Nobody has seen the handshake of these two, but they name the same token.
    assert_eq!(told.data(1, true, 5_000, 1), None);
    assert_eq!(told.data(2, true, 5_000, 1), Some(5));
}

#[test]
fn what_is_sent_again_in_its_subflow_is_no_reinjection() {
    let mut told = Told::new();
    told.capable(0);
    told.say(7, true, Multipath::Join { token: TOKENS.1 }, 0);
    assert_eq!(told.data(0, true, 5_000, 1), None);
    assert_eq!(told.data(7, true, 5_000, 1), Some(3));
    let mapping = Mapping { data: 5_000, wide: true, subflow: 1, len: 100 };
    assert_eq!(told.say(0, true, Multipath::Data(mapping), 0), None);
}

#[test]
fn memory_is_bounded_by_sessions() {
    let mut told = Told::new();
    for number in 0..3_000 {
        told.data(number, true, 1, 1);
        told.say(number + 10_000, true, Multipath::Join { token: u32::try_from(number).unwrap() }, 0);
    }
    assert_eq!(told.0.known.len(), MOST_SESSIONS);
    assert_eq!(told.0.order.len(), MOST_SESSIONS);
    assert!(told.0.subflows.len() <= MOST_SESSIONS && told.0.tokens.len() <= MOST_SESSIONS);
}

/// What a whole pipeline says.
#[derive(Default)]
struct Said {
    rows: Vec<RetransmissionRow>,
    connections: Vec<ConnectionReport>,
}

impl ReportSink for Said {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }
    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.rows.push(row.clone());
    }
}

// Two subflows; the second carries what the first had carried, and goes on.
#[test]
fn a_reinjection_is_told_with_its_frame_and_is_no_loss() {
    let mut pipeline = Pipeline::new(PipelineOptions {
        series: false,
        traces: false,
        freebsd: false,
        unpacked: 0,
        interval: crate::units::Span::from_secs(1),
        max_connections: 10,
        idle_timeout: crate::units::Span::from_secs(9_000),
        ignore_encap: false,
        vantages: crate::analysis::Vantages::default(),
        hash_seed: 1,
        lone: false,
        long_way: false,
    });
    let mut push = |frame, port, seq, flags, multipath, payload_len| {
        let client = Endpoint { ip: Address::v4([10, 0, 0, 1]), port };
        let server = Endpoint { ip: Address::v4([10, 0, 0, 2]), port: 80 };
        let at = Timestamp::from_nanos(i64::from(u32::try_from(frame).unwrap()) * 1_000_000);
        let seq = SeqNumber::new(seq);
        let flags = TcpFlags(flags);
        let wire_len = 54 + payload_len;
        let segment = segment(frame, multipath);
        pipeline.push(&Segment {
            at,
            src: client,
            dst: server,
            seq,
            flags,
            payload_len,
            wire_len,
            ..segment
        });
    };
    let data = |data, subflow| Multipath::Data(Mapping { data, wide: true, subflow, len: 100 });
    let capable =
        Multipath::Capable { sender: NonZeroU32::new(TOKENS.0), receiver: NonZeroU32::new(TOKENS.1) };
    push(1, 40_000, 0, TcpFlags::SYN, capable, 0);
    push(2, 40_001, 500, TcpFlags::SYN, Multipath::Join { token: TOKENS.1 }, 0);
    push(3, 40_000, 1, TcpFlags::ACK, data(9_000, 1), 100);
    push(4, 40_000, 101, TcpFlags::ACK, data(9_100, 101), 100);
    push(5, 40_001, 501, TcpFlags::ACK, data(9_100, 1), 100);
    push(6, 40_001, 601, TcpFlags::ACK, data(9_200, 101), 100);
    // And the first subflow sends its own copy again.
    push(7, 40_000, 101, TcpFlags::ACK, data(9_100, 101), 100);
    let mut said = Said::default();
    pipeline.finish(&|_| None, &mut said);
    let rows: Vec<_> = said.rows.iter().map(|row| (row.frame, row.kind, row.original_frame)).collect();
    assert_eq!(rows, [(5, Kind::Reinjection, Some(4)), (7, Kind::Retransmission, Some(4))]);
    assert_eq!((said.rows[0].connection, said.rows[0].verdict, said.rows[0].offset), (1, None, 0));
    let counts: Vec<_> =
        said.connections.iter().map(|c| (c.c2s.reinjected_packets, c.c2s.lost_packets)).collect();
    assert_eq!(counts, [(0, Some(0)), (1, Some(0))]);
}
