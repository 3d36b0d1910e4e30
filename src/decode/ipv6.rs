//! IPv6 header and extension headers (RFC 8200), jumbograms (RFC 2675).

use etherparse::{IpAuthHeaderSlice, Ipv6FragmentHeaderSlice, Ipv6HeaderSlice, Ipv6RawExtHeaderSlice};

use super::SkipReason;
use super::cursor::Cursor;
use super::datagram::{Datagram, Piece};
use super::segment::{Address, IpMeta};
use super::walk::Stop;

/// Bytes of the fixed header.
const HEADER_LEN: u32 = 40;

/// Extension headers (IANA protocol numbers).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;
const HOST_IDENTITY: u8 = 139;
const SHIM6: u8 = 140;

/// Jumbo payload option (RFC 2675 section 2).
const JUMBO: u8 = 0xc2;
/// Home address option (RFC 6275 section 6.3).
const HOME_ADDRESS: u8 = 0xc9;

/// Opens the header. A payload length of 0 is that of the jumbo option where there is one, else (BIG TCP at the
/// sender's tap) all that the frame has from here on.
#[inline]
pub(crate) fn open(cursor: Cursor<'_>) -> Result<Datagram<'_>, Stop<'_>> {
    let header = Ipv6HeaderSlice::from_slice(cursor.data()).map_err(|_| SkipReason::BadIpHeader)?;
    let protocol = header.next_header().0;
    let rest = cursor.skip(HEADER_LEN as usize).ok_or(SkipReason::BadIpHeader)?;
    let rest = match u32::from(header.payload_length()) {
        0 if protocol == HOP_BY_HOP => jumbo_len(rest).map_or(rest, |length| rest.limit(length)),
        0 if rest.wire() > super::datagram::LARGEST => return Err(SkipReason::BadIpHeader.into()),
        0 => rest,
        length => rest.limit(length),
    };
    Ok(Datagram {
        src: Address::v6(header.source()),
        dst: Address::v6(header.destination()),
        meta: IpMeta {
            ttl: header.hop_limit(),
            id: None,
            dont_fragment: false,
            ecn: header.ecn().value(),
            reassembled: false,
        },
        v6: true,
        protocol,
        rest,
    })
}

/// Passes extension headers up to the first that is none; the authentication header in IPv4 too.
pub(crate) fn pass_extensions(mut datagram: Datagram<'_>) -> Result<Datagram<'_>, Stop<'_>> {
    loop {
        let data = datagram.rest.data();
        let (next, len) = match datagram.protocol {
            AUTHENTICATION => {
                let header = IpAuthHeaderSlice::from_slice(data).map_err(|_| SkipReason::BadIpHeader)?;
                (header.next_header().0, header.slice().len())
            }
            _ if !datagram.v6 => return Ok(datagram),
            FRAGMENT => {
                let header =
                    Ipv6FragmentHeaderSlice::from_slice(data).map_err(|_| SkipReason::BadIpHeader)?;
                datagram.protocol = header.next_header().0;
                datagram.rest = datagram.rest.skip(header.slice().len()).ok_or(SkipReason::BadIpHeader)?;
                // An atomic fragment (RFC 6946) is the whole datagram.
                if header.is_fragmenting_payload() {
                    return Err(Stop::Piece(Piece {
                        datagram,
                        id: header.identification(),
                        offset: u32::from(header.fragment_offset().value()) * 8,
                        more: header.more_fragments(),
                    }));
                }
                continue;
            }
            HOP_BY_HOP | ROUTING | DESTINATION | MOBILITY | HOST_IDENTITY | SHIM6 => {
                let header = Ipv6RawExtHeaderSlice::from_slice(data).map_err(|_| SkipReason::BadIpHeader)?;
                match datagram.protocol {
                    ROUTING => datagram.dst = last_destination(header.payload()).unwrap_or(datagram.dst),
                    DESTINATION => {
                        if let Some(home) = option(header.payload(), HOME_ADDRESS).and_then(as_address) {
                            datagram.src = home;
                        }
                    }
                    _ => {}
                }
                (header.next_header().0, header.slice().len())
            }
            _ => return Ok(datagram),
        };
        datagram.protocol = next;
        datagram.rest = datagram.rest.skip(len).ok_or(SkipReason::BadIpHeader)?;
    }
}

/// The payload length that a hop-by-hop header states.
fn jumbo_len(rest: Cursor<'_>) -> Option<u32> {
    let header = Ipv6RawExtHeaderSlice::from_slice(rest.data()).ok()?;
    Some(u32::from_be_bytes(option(header.payload(), JUMBO)?.try_into().ok()?))
}

/// The data of the first option of a kind among those of a hop-by-hop or destination header (RFC 8200 section 4.2).
fn option(mut options: &[u8], wanted: u8) -> Option<&[u8]> {
    loop {
        let (&kind, after) = options.split_first()?;
        if kind == 0 {
            options = after;
            continue;
        }
        let (&len, after) = after.split_first()?;
        let (data, after) = after.split_at_checked(usize::from(len))?;
        if kind == wanted {
            return Some(data);
        }
        options = after;
    }
}

fn as_address(data: &[u8]) -> Option<Address> {
    Some(Address::v6(data.try_into().ok()?))
}

/// Where a packet with segments left will end up, which is the address the TCP of both ends knows. `header` starts at
/// the routing type: types 0 (RFC 5095) and 2 (RFC 6275) list the way forward, type 4 (RFC 8754) backward.
fn last_destination(header: &[u8]) -> Option<Address> {
    let (&[kind, segments_left], _) = header.split_first_chunk()?;
    let addresses = header.get(6..)?;
    match kind {
        _ if segments_left == 0 => None,
        0 | 2 => as_address(addresses.rchunks_exact(16).next()?),
        4 => as_address(addresses.chunks_exact(16).next()?),
        _ => None,
    }
}
