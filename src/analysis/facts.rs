//! What is known of the segment at hand: filled in by the stages in their order, read by those after.

use crate::decode::{Segment, TcpFlags};
use crate::flow::{Side, Stream};
use crate::seq::StreamOffset;

/// What kind of segment it is beside its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Nothing special.
    #[default]
    Ordinary,
    /// Repeats the last byte (or none) to hear whether the peer is there (RFC 9293 section 3.8.4).
    KeepAlive,
    /// Asks whether a closed window has opened (RFC 9293 section 3.8.6.1).
    WindowProbe,
}

/// Facts of one segment. Offsets of data are in the stream of the sender, those of acknowledgments in the peer's.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Who sent it.
    pub from: Side,
    /// Where its first payload byte stands.
    pub data: StreamOffset,
    /// Payload that belongs to the stream: 0 for keep-alives and the text of an RST.
    pub data_len: u32,
    /// Bytes of it never seen before.
    pub fresh: u32,
    /// What it acknowledges.
    pub ack: Option<StreamOffset>,
    /// How many bytes further than any before.
    pub ack_advance: i64,
    /// What it is for.
    pub purpose: Purpose,
    /// It takes part in the stream: no RST, no keep-alive.
    pub in_stream: bool,
    /// A duplicate acknowledgment (RFC 5681 section 2).
    pub duplicate_ack: bool,
    /// Its SACK blocks report a duplicate (RFC 2883).
    pub dsack: bool,
}

impl Facts {
    /// After its last payload byte.
    pub fn data_end(&self) -> StreamOffset {
        self.data + self.data_len
    }
}

impl Purpose {
    /// Keep-alives and window probes stand one byte before what comes next and carry at most that byte.
    #[inline]
    pub(super) fn of(segment: &Segment<'_>, stream: &Stream, start: StreamOffset, shut: bool) -> Self {
        if segment.payload_len > 1 || segment.flags.has(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST) {
            return Self::Ordinary;
        }
        let next = stream.next();
        if start == next.plus(-1) {
            if shut {
                return Self::WindowProbe;
            }
            // A lost last byte is sent again too, but it has not been acknowledged.
            let acknowledged = stream.acked().is_some_and(|acked| acked >= next);
            if segment.payload_len == 0 || acknowledged {
                return Self::KeepAlive;
            }
        } else if shut && segment.payload_len == 1 && start == next {
            return Self::WindowProbe;
        }
        Self::Ordinary
    }
}
