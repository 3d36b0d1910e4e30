//! A segment as the packets it is on the wire, each with a mark by which the other tap can recognise it.
//!
//! What no router changes is compared: IP identification, sequence and acknowledgment number, length, window,
//! timestamps and SACK blocks. A retransmission differs in the identification (RFC 6864: hosts that fill it in number
//! their packets) or in `TSval`; in IPv6 within one tick it may not differ at all.

use crate::analysis::{Observed, Purpose};
use crate::decode::{Print, Segment, TcpFlags};
use crate::seq::SeqNumber;
use crate::units::Timestamp;

/// One packet on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// The same at both taps.
    pub(super) mark: u64,
    pub(super) at: Timestamp,
    /// The frame that it is, or a part of.
    pub(super) frame: u64,
    /// Its first payload byte.
    pub(super) seq: SeqNumber,
    /// Payload that belongs to the stream; 0 for keep-alives and window probes.
    pub(super) len: u32,
    /// Time to live: each router takes one off.
    pub(super) ttl: u8,
    pub(super) pure_ack: bool,
    /// Marked "congestion experienced".
    pub(super) ce: bool,
    /// Nothing in it tells two copies of its bytes apart.
    pub(super) unnumbered: bool,
}

/// Payload of a full packet on Ethernet, where nothing better is known.
const USUAL: u32 = 1_460;

/// Payload of the smallest packet that a segment is cut into, with timestamps (Linux: `TCP_MIN_MSS` of 88 less 12): a SYN may offer an MSS of 1.
const LEAST: u32 = 76;

/// Bytes that the timestamps option takes with its padding (RFC 7323 appendix A).
const STAMPS: u32 = 12;

/// Packets of full size after which the size seen is believed.
const ENOUGH: u32 = 8;

/// How much payload a full packet of one direction carries, and whether its packets are numbered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullSize {
    /// The smaller of both ends' MSS options.
    offered: Option<u32>,
    /// The largest packet that need not be cut, and how many were of that size.
    largest: u32,
    times: u32,
    /// The host numbers its packets.
    numbered: bool,
}

impl FullSize {
    /// One of the ends said this in its SYN.
    pub(super) fn offer(&mut self, mss: u16) {
        let mss = u32::from(mss);
        self.offered = Some(self.offered.map_or(mss, |other| other.min(mss)));
    }

    /// A packet of `len` bytes passed.
    fn see(&mut self, len: u32, most: u32) {
        if len > most {
            return;
        }
        if len > self.largest {
            (self.largest, self.times) = (len, 0);
        }
        if len == self.largest {
            self.times = self.times.saturating_add(1);
        }
    }

    fn of(&self, stamped: bool) -> u32 {
        // The path may carry less than the hosts offer.
        if self.times >= ENOUGH { self.largest.max(LEAST) } else { self.most(stamped) }
    }

    /// What the hosts offer.
    fn most(&self, stamped: bool) -> u32 {
        let options = if stamped { STAMPS } else { 0 };
        self.offered.unwrap_or(USUAL).saturating_sub(options).max(LEAST)
    }
}

/// Shows `each` the packets that the segment is on the wire: one, unless it was captured before it was cut, or after
/// several were put together.
pub(super) fn cut(seen: &Observed<'_>, size: &mut FullSize, mut each: impl FnMut(&Packet)) {
    let segment = seen.segment;
    let stamped = segment.options.timestamps.is_some();
    let in_stream = seen.facts.purpose == Purpose::Ordinary && seen.facts.data_len > 0;
    if in_stream {
        size.see(segment.payload_len, size.most(stamped));
    }
    size.numbered |= segment.ip.id.is_some_and(|id| id != 0);
    let full = size.of(stamped);
    let (mut from, len) = (0, segment.payload_len);
    let mut number = 0_u16;
    loop {
        let piece = if in_stream { (len - from).min(full) } else { len };
        let last = from + piece >= len;
        each(&Packet {
            mark: mark(segment, from, piece, if size.numbered { number } else { 0 }, last),
            at: segment.at,
            frame: segment.frame,
            seq: segment.data_seq().add(from),
            len: if in_stream { piece } else { 0 },
            ttl: segment.ip.ttl,
            pure_ack: segment.is_pure_ack(),
            ce: segment.ip.ecn == 3,
            unnumbered: segment.ip.id.unwrap_or(0) == 0 && !stamped,
        });
        if last {
            return;
        }
        from += piece;
        // Whoever cuts a segment numbers the pieces one by one (Linux: `inet_gso_segment`).
        number = number.wrapping_add(1);
    }
}

/// A hash of what both taps see alike.
fn mark(segment: &Segment<'_>, from: u32, len: u32, number: u16, last: bool) -> u64 {
    let id = segment.ip.id.map_or(0, |id| id.wrapping_add(number));
    // A FIN is on the last piece; PSH and CWR are on one of them only, so they tell nothing.
    let ends = if last { TcpFlags::FIN } else { 0 };
    let flags = segment.flags.0 & (TcpFlags::SYN | TcpFlags::RST | TcpFlags::ACK | ends);
    Print::starting(1)
        .with(segment.seq.add(from).raw(), segment.ack.raw())
        .with(u32::from(id), len)
        .with(u32::from(flags), u32::from(segment.window))
        .with_options(&segment.options)
        .get()
}
