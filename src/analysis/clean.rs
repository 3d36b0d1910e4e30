//! Finds packets that were captured twice, before anything counts them.
//!
//! A tap that mirrors both ways, the `any` device, or both sides of a router write each packet two to four
//! times, with the TTL, the MAC addresses, the VLAN or the interface changed. What stays equal is compared:
//! IP identification, sequence and acknowledgment number, length, flags, window, `TSval`, SACK blocks and TCP
//! checksum. A retransmission differs in the IP identification (RFC 6864: hosts that fill it in number their
//! packets), and mostly in `TSval`. Where a host does not number its packets, time alone tells: a copy comes
//! within much less than a round trip, and an acknowledgment is taken for a copy only after data (or a SYN)
//! showed that this capture doubles packets.

use serde::{Deserialize, Serialize};

use super::recent::Recent;
use crate::decode::{Print, Segment, TcpFlags};
use crate::units::{Span, Timestamp};

/// How much later the copy of a packet with a telling identification may come (a slow router: 7 ms).
const NUMBERED: Span = Span::from_millis(50);

/// The same without identification.
const UNNUMBERED: Span = Span::from_millis(1);

/// Most packets remembered; the time above holds fewer on all but the fastest links.
const REMEMBERED: usize = 512;

/// Of the packets of one direction: what was seen lately, and whether the host numbers them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DuplicateFilter {
    /// What packets seen lately look like, and when they passed.
    recent: Recent,
    last_id: Option<u16>,
    /// Packets in a row with the last identification and other content.
    constant: u8,
    found: u64,
}

/// Whether packets of a connection come doubled just now; both its directions share it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Doubling {
    score: u8,
}

impl Doubling {
    /// Each copy outweighs one fresh packet, so that the score stays up while all come twice.
    fn copy(&mut self) {
        self.score = (self.score + 2).min(8);
    }

    fn fresh(&mut self) {
        self.score = self.score.saturating_sub(1);
    }

    const fn is_on(self) -> bool {
        self.score > 0
    }
}

impl DuplicateFilter {
    /// Packets found to be captured before.
    pub(super) const fn found(&self) -> u64 {
        self.found
    }

    /// Forgets what lies too far back, and the room for it.
    pub(super) fn shrink(&mut self) {
        self.recent.shrink(2);
    }

    /// Whether the segment is a second capture of one seen before. `advances` says that it brings new data or a
    /// new acknowledgment, so that it cannot be.
    #[inline]
    pub(super) fn is_duplicate(
        &mut self,
        segment: &Segment<'_>,
        advances: bool,
        doubling: &mut Doubling,
    ) -> bool {
        if advances {
            self.pass(segment, doubling);
            return false;
        }
        let numbered = self.is_numbered(segment);
        let print = fingerprint(segment);
        self.make_room(segment.at);
        if self.seen_before(segment, print, numbered, doubling) {
            self.found += 1;
            return true;
        }
        self.recent.push(print, segment.at);
        false
    }

    /// Takes note of a segment that is none.
    #[inline]
    pub(super) fn pass(&mut self, segment: &Segment<'_>, doubling: &mut Doubling) {
        self.is_numbered(segment);
        self.make_room(segment.at);
        if is_telling(segment) {
            doubling.fresh();
        }
        self.recent.push(fingerprint(segment), segment.at);
    }

    /// Before the list would grow it forgets what lies too far back, and the oldest where there are too many.
    #[inline]
    fn make_room(&mut self, now: Timestamp) {
        if self.recent.is_full() {
            if self.recent.len() >= REMEMBERED {
                self.recent.forget_oldest();
            } else {
                self.recent.forget(now, NUMBERED);
            }
        }
    }

    fn seen_before(
        &self,
        segment: &Segment<'_>,
        print: u64,
        numbered: bool,
        doubling: &mut Doubling,
    ) -> bool {
        let within = if numbered { NUMBERED } else { UNNUMBERED };
        // Nearly every repeat is another packet, so that is told first, and fast.
        if !self.recent.holds(print) || !self.recent.holds_within(print, segment.at, within) {
            return false;
        }
        if numbered || is_telling(segment) {
            doubling.copy();
        }
        doubling.is_on()
    }

    /// Whether the IP identification tells packets apart. Zero does not, nor one that never changes.
    #[inline]
    fn is_numbered(&mut self, segment: &Segment<'_>) -> bool {
        let Some(id) = segment.ip.id.filter(|&id| id != 0) else { return false };
        if self.last_id == Some(id) {
            // A copy has the same number too, so it takes several in a row to call it constant.
            self.constant = self.constant.saturating_add(1);
        } else {
            self.constant = 0;
            self.last_id = Some(id);
        }
        self.constant < 4
    }
}

/// Two packets of this kind are not alike by themselves, as two acknowledgments may be.
const fn is_telling(segment: &Segment<'_>) -> bool {
    segment.payload_len > 0 || segment.flags.has(TcpFlags::SYN | TcpFlags::FIN)
}

/// A hash of all that two captures of one packet share.
#[inline]
fn fingerprint(segment: &Segment<'_>) -> u64 {
    let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let (value, echo) = segment.options.timestamps.unwrap_or_default();
    let header = pair(
        u32::from(segment.flags.0) << 16 | u32::from(segment.window),
        u32::from(segment.checksum) << 16 | u32::from(segment.urgent),
    );
    let numbers = pair(segment.seq.raw(), segment.ack.raw());
    Print::starting(0)
        .with_words(numbers, pair(u32::from(segment.ip.id.unwrap_or(0)), segment.payload_len))
        .with_words(header, pair(value, echo))
        .with_sack(&segment.options)
        .get()
}
