//! TCP header (RFC 9293 section 3.1).

use super::SkipReason;
use super::datagram::Datagram;
use super::segment::{EncapId, Endpoint, Segment, TcpFlags};
use super::tcp_options;
use crate::capture::Frame;
use crate::seq::SeqNumber;

/// Bytes of the header without options.
const FIXED_LEN: u32 = 20;

/// Reads the header of the datagram. `encap` is left for the caller.
///
/// A header that was cut in its options is still a segment, and so is one whose options go on beyond the IP packet
/// (Wireshark counts it too): its options are marked and it has no payload.
#[expect(clippy::inline_always, reason = "what it gives is large, and is to be made where it is wanted")]
#[inline(always)]
pub(crate) fn segment<'a>(datagram: &Datagram<'a>, frame: &Frame<'_>) -> Result<Segment<'a>, SkipReason> {
    if datagram.rest.wire() < FIXED_LEN {
        return Err(SkipReason::BadTcpHeader);
    }
    let (header, rest) = datagram.rest.take::<20>().ok_or(SkipReason::CutTcpHeader)?;
    let u16_at = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let u32_at = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let header_len = u32::from(header[12] >> 4) * 4;
    if header_len < FIXED_LEN {
        return Err(SkipReason::BadTcpHeader);
    }
    let claimed = (header_len - FIXED_LEN) as usize;
    let held = claimed.min(rest.data().len());
    let (options, payload) = rest.data().split_at(held);
    Ok(Segment {
        frame: frame.number,
        file: frame.file,
        at: frame.at,
        src: Endpoint { ip: datagram.src, port: u16_at(0) },
        dst: Endpoint { ip: datagram.dst, port: u16_at(2) },
        encap: EncapId(0),
        ip: datagram.meta,
        seq: SeqNumber::new(u32_at(4)),
        ack: SeqNumber::new(u32_at(8)),
        flags: TcpFlags(u16_at(12) & 0x1ff),
        window: u16_at(14),
        urgent: u16_at(18),
        checksum: u16_at(16),
        options: tcp_options::parse(options, claimed, rest.wire() as usize),
        payload_len: rest.wire().saturating_sub(header_len - FIXED_LEN),
        payload,
        wire_len: frame.wire_len,
    })
}
