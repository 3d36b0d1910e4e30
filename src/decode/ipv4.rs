//! IPv4 header (RFC 791), lengths included.

use etherparse::Ipv4HeaderSlice;

use super::SkipReason;
use super::cursor::Cursor;
use super::datagram::{Datagram, Piece};
use super::segment::{Address, IpMeta};
use super::walk::Stop;

/// What nearly every frame has: TCP behind a header without options, whole and with its length. `None` for all else,
/// which [`open`] sees to.
#[expect(clippy::inline_always, reason = "what it gives is large, and is to be made where it is wanted")]
#[inline(always)]
pub(crate) fn plain_tcp(cursor: Cursor<'_>) -> Option<Datagram<'_>> {
    let (header, _) = cursor.take::<20>()?;
    let total = u16::from_be_bytes([header[2], header[3]]);
    let fragment = u16::from_be_bytes([header[6], header[7]]);
    let odd = total < 20 || u32::from(total) > cursor.wire();
    if header[0] != 0x45 || header[9] != TCP || odd || fragment & !DONT_FRAGMENT != 0 {
        return None;
    }
    let meta = IpMeta {
        ttl: header[8],
        id: Some(u16::from_be_bytes([header[4], header[5]])),
        dont_fragment: fragment & DONT_FRAGMENT != 0,
        ecn: header[1] & 3,
        reassembled: false,
    };
    Some(Datagram {
        src: Address::v4([header[12], header[13], header[14], header[15]]),
        dst: Address::v4([header[16], header[17], header[18], header[19]]),
        meta,
        v6: false,
        protocol: TCP,
        rest: cursor.limit(u32::from(total)).skip(20)?,
    })
}

const TCP: u8 = 6;
/// The one bit of the fragment field that a whole packet may have, beside the reserved one that must be 0.
const DONT_FRAGMENT: u16 = 0x4000;

/// Whether the checksum is right: the ones' complement sum over the header is then all ones (RFC 1071).
fn is_intact(header: &[u8]) -> bool {
    let words = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    (folded & 0xffff) + (folded >> 16) == 0xffff
}

/// Opens the header. Its total length counts, not the bytes captured: 0 (segmentation offload) stands for all that the
/// frame has from here on. A length beyond that is believed where the checksum vouches for it: some tools cut packets and
/// write the cut length as the original one, and mirrors cut what they tunnel. Where a header further out says that the frame goes on
/// behind this packet, that header is right. Otherwise the length is cut to the frame.
#[inline]
pub(crate) fn open(cursor: Cursor<'_>) -> Result<Datagram<'_>, Stop<'_>> {
    let header = Ipv4HeaderSlice::from_slice(cursor.data()).map_err(|_| SkipReason::BadIpHeader)?;
    let header_len = header.slice().len();
    let total = usize::from(header.total_len());
    let whole = match total {
        // Segmentation offload leaves it 0; no stack gathers more than this (`GSO_MAX_SIZE`, 512 KiB).
        0 if cursor.wire() > super::datagram::LARGEST => return Err(SkipReason::BadIpHeader.into()),
        0 => cursor,
        total if total < header_len => return Err(SkipReason::BadIpHeader.into()),
        total
            if total > cursor.wire() as usize
                && !cursor.is_exact()
                && !header.is_fragmenting_payload()
                && is_intact(header.slice()) =>
        {
            cursor.at_least(u32::from(header.total_len()))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of a header in many textbooks, whose checksum is b861: 115 bytes in all, UDP.
    const HEADER: [u8; 20] =
        [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7];

    #[test]
    fn a_length_beyond_the_frame_is_believed_if_the_checksum_is_right() {
        let Ok(whole) = open(Cursor::new(&HEADER, 20)) else { panic!("a header") };
        assert_eq!(whole.rest.wire(), 95);
        let mut damaged = HEADER;
        damaged[2] = 0x40;
        let Ok(cut) = open(Cursor::new(&damaged, 20)) else { panic!("a header") };
        assert_eq!(cut.rest.wire(), 0);
        assert!(is_intact(&HEADER) && !is_intact(&damaged));
    }
}

#[cfg(test)]
mod length_tests {
    use crate::capture::Frame;
    use crate::decode::testing::{ethernet, frame, packet};
    use crate::decode::{Decoder, SkipReason};

    /// Linux gathers 512 KiB at most (`GSO_MAX_SIZE`); a capture may say any length.
    #[test]
    fn without_a_length_of_its_own_a_packet_is_not_larger_than_any_stack_makes() {
        let mut packet = packet();
        (packet[2], packet[3]) = (0, 0);
        let data = ethernet(0x0800, &packet);
        let with = |wire_len| {
            Decoder::default().decode(&Frame { wire_len, ..frame(1, &data) }).map(|s| s.payload_len)
        };
        assert!(with(512 * 1024).is_ok_and(|len| len > 500_000));
        assert_eq!(with(u32::MAX).err(), Some(SkipReason::BadIpHeader));
    }
}
