//! Frames through decoder, connection table and reassembly, with 32-bit sequence numbers as on the wire.

use proptest::prelude::*;

use super::*;
use crate::analysis::reassembly::{Gap, GapReason};
use crate::capture::{CaptureInfo, Frame, LinkType};

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Bare IPv4 packets a millisecond apart, each with its length on the wire.
#[derive(Default)]
struct Wire {
    packets: Vec<(Vec<u8>, u32)>,
    read: usize,
}

impl Wire {
    /// A segment from the client (or the server) whose payload has `len` bytes, the first of which were captured.
    fn cut(&mut self, from_client: bool, seq: u32, ack: u32, flags: u8, captured: &[u8], len: usize) {
        let total = u16::try_from(40 + len).unwrap();
        let id = u16::try_from(self.packets.len() & 0xffff).unwrap();
        let (client, server) = (([10, 0, 0, 1], 40_000_u16), ([10, 0, 0, 2], 80_u16));
        let (src, dst) = if from_client { (client, server) } else { (server, client) };
        let mut packet = vec![0x45, 0];
        packet.extend(total.to_be_bytes());
        packet.extend(id.to_be_bytes());
        packet.extend([0x40, 0, 64, 6, 0, 0]);
        packet.extend(src.0);
        packet.extend(dst.0);
        packet.extend(src.1.to_be_bytes());
        packet.extend(dst.1.to_be_bytes());
        packet.extend(seq.to_be_bytes());
        packet.extend(ack.to_be_bytes());
        packet.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
        packet.extend(captured);
        self.packets.push((packet, u32::from(total)));
    }

    fn send(&mut self, seq: u32, flags: u8, payload: &[u8]) {
        self.cut(true, seq, 501, flags, payload, payload.len());
    }

    fn answer(&mut self, flags: u8, ack: u32) {
        let seq = if flags & SYN != 0 { 500 } else { 501 };
        self.cut(false, seq, ack, flags, b"", 0);
    }

    /// A handshake; the client's data begin at `isn + 1`.
    fn open(isn: u32) -> Self {
        let mut wire = Self::default();
        wire.send(isn, SYN, b"");
        wire.answer(SYN | ACK, isn.wrapping_add(1));
        wire.send(isn.wrapping_add(1), ACK, b"");
        wire
    }

    /// The client's bytes, and the gaps in them.
    fn follow(&mut self) -> (Vec<u8>, Vec<Gap>) {
        let mut client = Client::default();
        let options = FollowOptions { connection: 0, reassembly: ReassemblyOptions::default() };
        let (followed, error) = follow(self, &Options::default(), &options, &mut client, &mut |_| true);
        assert!(error.is_none());
        assert_eq!(followed.connection.unwrap().connection, 0);
        assert_eq!(followed.c2s.bytes, client.bytes.len() as u64);
        (client.bytes, client.gaps)
    }
}

impl FrameSource for Wire {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        let Some((data, wire_len)) = self.packets.get(self.read) else { return Ok(None) };
        self.read += 1;
        let number = self.read as u64;
        let at = Timestamp::from_nanos(i64::try_from(number).unwrap() * 1_000_000);
        Ok(Some(Frame { number, file: 0, at, link: LinkType(101), wire_len: *wire_len, data }))
    }

    fn bytes_read(&self) -> u64 {
        0
    }

    fn info(&self) -> CaptureInfo {
        CaptureInfo::default()
    }
}

#[derive(Default)]
struct Client {
    bytes: Vec<u8>,
    gaps: Vec<Gap>,
}

impl PayloadSink for Client {
    fn event(&mut self, dir: Dir, event: Event<'_>) {
        assert_eq!(dir, Dir::C2s, "the server sends nothing here");
        match event {
            Event::Data { bytes, .. } => self.bytes.extend(bytes),
            Event::Gap(gap) => self.gaps.push(gap),
            Event::Conflict(conflict) => panic!("{conflict:?}"),
        }
    }
}

#[test]
fn a_fin_is_no_byte_and_the_text_of_a_reset_no_payload() {
    let mut wire = Wire::open(0);
    wire.send(1, ACK, b"hello");
    wire.send(6, FIN | ACK, b" world");
    wire.answer(ACK, 13);
    wire.send(13, RST | ACK, b"connection reset by peer");
    assert_eq!(wire.follow(), (b"hello world".to_vec(), vec![]));
}

#[test]
fn a_keep_alive_carries_no_byte_of_the_stream() {
    let mut wire = Wire::open(0);
    wire.send(1, ACK, b"hello");
    wire.answer(ACK, 6);
    wire.send(5, ACK, b"\0");
    wire.answer(ACK, 6);
    wire.send(6, ACK, b"!");
    assert_eq!(wire.follow(), (b"hello!".to_vec(), vec![]));
}

#[test]
fn data_of_a_syn_belong_to_the_stream_if_they_were_taken() {
    // RFC 7413 section 3: the answer acknowledges the data, or the SYN alone and the client sends again.
    let opened = |ack| {
        let mut wire = Wire::default();
        wire.send(99, SYN, b"early");
        wire.answer(SYN | ACK, ack);
        wire
    };
    let mut wire = opened(105);
    wire.send(105, ACK, b" late");
    assert_eq!(wire.follow(), (b"early late".to_vec(), vec![]));
    let mut wire = opened(100);
    wire.send(100, ACK, b"other data");
    wire.answer(ACK, 110);
    assert_eq!(wire.follow(), (b"other data".to_vec(), vec![]));
}

#[test]
fn a_stream_seen_from_its_middle_on_begins_with_its_first_bytes() {
    let mut wire = Wire::default();
    wire.answer(ACK, 1_000);
    wire.send(1_000, ACK, b"second half");
    wire.answer(ACK, 1_011);
    assert_eq!(wire.follow(), (b"second half".to_vec(), vec![]));
}

#[test]
fn the_first_segment_behind_a_hole_of_hundreds_of_megabytes_is_not_lost() {
    let mut wire = Wire::open(0);
    wire.send(1, ACK, b"begin");
    wire.send(500_000_001, ACK, b"far");
    wire.answer(ACK, 500_000_004);
    wire.send(900_000_001, ACK, b"further");
    wire.send(900_000_008, ACK, b"end");
    let gap = |offset, len| Gap { offset, len, reason: GapReason::NotCaptured };
    let gaps = vec![gap(5, 499_999_995), gap(500_000_003, 399_999_997)];
    assert_eq!(wire.follow(), (b"beginfarfurtherend".to_vec(), gaps));
}

#[test]
fn bytes_beyond_4_gib_stand_where_they_should() {
    let mut wire = Wire::open(u32::MAX - 100);
    let mut sent = 0_u64;
    let number = |sent: u64| u32::try_from((sent + (1 << 32) - 100) & 0xffff_ffff).unwrap();
    while sent < (1 << 32) + 1_000_000 {
        wire.cut(true, number(sent), 501, ACK, b"", 64_000);
        sent += 64_000;
        wire.answer(ACK, number(sent));
    }
    wire.send(number(sent), ACK, b"after all that");
    let gap = Gap { offset: 0, len: sent, reason: GapReason::Cut };
    assert_eq!(wire.follow(), (b"after all that".to_vec(), vec![gap]));
}

#[test]
fn small_segments_are_told_apart_whatever_their_numbers_have_in_common() {
    // 8 ^ 7 = 16 ^ 31: sequence number and identification of two packets that come late.
    let mut wire = Wire::open(0);
    wire.send(24, ACK, b"the end");
    for (seq, id, bytes) in [(8, 7, b"12345678"), (16, 31, b"abcdefgh")] {
        while wire.packets.len() < id {
            wire.send(31, ACK, b"");
        }
        wire.send(seq, ACK, bytes);
    }
    wire.send(1, ACK, b"begin, ");
    assert_eq!(wire.follow(), (b"begin, 12345678abcdefghthe end".to_vec(), vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // As many copies with other borders as there may be, in any order within a window, acknowledged or not, with
    // sequence numbers that wrap or not.
    #[test]
    fn any_way_to_send_a_stream_gives_its_bytes(
        stream in prop::collection::vec(any::<u8>(), 2..4_000),
        isn in prop_oneof![any::<u32>(), (u32::MAX - 4_000)..u32::MAX],
        copies in prop::collection::vec((any::<prop::sample::Index>(), 2_usize..700), 0..30),
        size in 2_usize..700,
        order in any::<u64>(),
        acks in any::<u32>(),
    ) {
        let mut sent: Vec<_> = (0..stream.len()).step_by(size).map(|at| (at, size)).collect();
        sent.extend(copies.iter().map(|(at, len)| (at.index(stream.len()), *len)));
        // A shuffle that needs no more than the number.
        sent.sort_by_key(|(at, len)| (*at as u64 + 1).wrapping_mul(order | 1).rotate_left(17) ^ *len as u64);
        let mut wire = Wire::open(isn);
        let first = isn.wrapping_add(1);
        let at = |place: usize| first.wrapping_add(u32::try_from(place).unwrap());
        let mut arrived = vec![false; stream.len()];
        for (turn, (start, len)) in sent.into_iter().enumerate() {
            // One byte may be a keep-alive; those are tested by themselves.
            let end = (start + len).min(stream.len());
            let start = start.min(end - 2);
            wire.send(at(start), ACK, &stream[start..end]);
            arrived[start..end].fill(true);
            if acks >> (turn % 32) & 1 == 1 {
                let next = arrived.iter().position(|there| !there).unwrap_or(stream.len());
                wire.answer(ACK, at(next));
            }
        }
        let (bytes, gaps) = wire.follow();
        prop_assert_eq!(gaps, vec![]);
        prop_assert_eq!(bytes, stream);
    }
}
