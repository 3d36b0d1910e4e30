//! IPv4 header (RFC 791), lengths included.

use etherparse::Ipv4HeaderSlice;

use super::SkipReason;
use super::cursor::Cursor;
use super::datagram::{Datagram, Piece};
use super::segment::{Address, IpMeta};
use super::walk::Stop;

/// Opens the header. Its total length counts, not the bytes captured: 0 (segmentation offload) stands for all that the
/// frame has from here on, and a length beyond that is cut to it, as Wireshark does.
#[inline]
pub(crate) fn open(cursor: Cursor<'_>) -> Result<Datagram<'_>, Stop<'_>> {
    let header = Ipv4HeaderSlice::from_slice(cursor.data()).map_err(|_| SkipReason::BadIpHeader)?;
    let header_len = header.slice().len();
    let total = usize::from(header.total_len());
    let whole = match total {
        0 => cursor,
        total if total < header_len => return Err(SkipReason::BadIpHeader.into()),
        _ => cursor.limit(u32::from(header.total_len())),
    };
    let rest = whole.skip(header_len).ok_or(SkipReason::BadIpHeader)?;
    let meta = IpMeta {
        ttl: header.ttl(),
        id: Some(header.identification()),
        dont_fragment: header.dont_fragment(),
        ecn: header.ecn().value(),
        reassembled: false,
    };
    let datagram = Datagram {
        src: Address::v4(header.source()),
        dst: Address::v4(header.destination()),
        meta,
        v6: false,
        protocol: header.protocol().0,
        rest,
    };
    if header.is_fragmenting_payload() {
        return Err(Stop::Piece(Piece {
            datagram,
            id: u32::from(header.identification()),
            offset: u32::from(header.fragments_offset().value()) * 8,
            more: header.more_fragments(),
        }));
    }
    Ok(datagram)
}
