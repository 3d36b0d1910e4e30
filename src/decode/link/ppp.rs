//! PPP (RFC 1661), in HDLC-like framing (RFC 1662) or bare.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer = LinkLayer {
    codes: &[9, 50, 204],
    name: "PPP",
    strip: |cursor, code| match code {
        // A byte that tells the direction comes before the frame.
        204 => strip(cursor.skip(1).ok_or(SkipReason::BadLinkHeader)?),
        _ => strip(cursor),
    },
};

/// `LINKTYPE_PPP_ETHER`: a `PPPoE` header without the Ethernet frame around it.
pub(super) const PPPOE_ROW: LinkLayer = LinkLayer {
    codes: &[51],
    name: "PPPoE",
    strip: |cursor, _| Ok(Next::new(Inside::EtherType(PPPOE_SESSION), cursor)),
};

const PPPOE_SESSION: u16 = 0x8864;

/// Address and control: all stations, unnumbered information.
const ADDRESS_CONTROL: [u8; 2] = [0xff, 0x03];
/// Addresses of Cisco HDLC, which shares the link type.
const CISCO_UNICAST: u8 = 0x0f;
const CISCO_MULTICAST: u8 = 0x8f;

/// PPP protocol numbers (IANA).
const IPV4: u16 = 0x0021;
const VJ_UNCOMPRESSED: u16 = 0x002f;
const IPV6: u16 = 0x0057;
const ENCRYPTED: u16 = 0x0053;
const LINK_ENCRYPTED: u16 = 0x0055;
const MPLS: u16 = 0x0281;

/// Opens a frame with or without address and control, its protocol field in one byte or two.
///
/// A TCP header compressed after Van Jacobson (RFC 1144) is counted as not IP: the addresses and ports are in the state
/// of the receiver only. One sent whole, to set that state, is a segment.
pub(crate) fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let rest = match cursor.take::<2>() {
        Some((&ADDRESS_CONTROL, rest)) => rest,
        Some((&[CISCO_UNICAST | CISCO_MULTICAST, 0], rest)) => {
            let (ether_type, rest) = rest.take::<2>().ok_or(SkipReason::BadLinkHeader)?;
            return Ok(Next::new(Inside::EtherType(u16::from_be_bytes(*ether_type)), rest));
        }
        _ => cursor,
    };
    let first = rest.u8(0).ok_or(SkipReason::BadLinkHeader)?;
    // The last byte of a protocol number is odd and no other is (RFC 1661 section 2).
    let (protocol, len) = match first & 1 {
        1 => (u16::from(first), 1),
        _ => (rest.u16(0).ok_or(SkipReason::BadLinkHeader)?, 2),
    };
    let rest = rest.skip(len).ok_or(SkipReason::BadLinkHeader)?;
    let inside = match protocol {
        IPV4 => Inside::EtherType(ether::IPV4),
        IPV6 => Inside::EtherType(ether::IPV6),
        MPLS => Inside::EtherType(ether::MPLS),
        VJ_UNCOMPRESSED => Inside::TcpInIpv4,
        ENCRYPTED | LINK_ENCRYPTED => return Err(SkipReason::Encrypted),
        _ => return Err(SkipReason::NotIp),
    };
    Ok(Next::new(inside, rest))
}
