//! LLC (IEEE 802.2) with SNAP (RFC 1042): what FDDI, token ring, Wi-Fi and IEEE 802.3 frames with a length carry.

use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

/// Service access points.
const SNAP: u8 = 0xaa;
const IP: u8 = 0x06;
/// Unnumbered information.
const UI: u8 = 0x03;

/// Organizations whose protocol ids are `EtherType`s: RFC 1042 encapsulation, and the bridge tunnel of IEEE 802.1H.
const ENCAPSULATED_ETHERNET: [u8; 3] = [0, 0, 0];
const BRIDGE_TUNNEL: [u8; 3] = [0, 0, 0xf8];
/// IEEE 802.1 for whole frames bridged (RFC 2684 section 5.2): with and without FCS.
const BRIDGED: [u8; 3] = [0, 0x80, 0xc2];

pub(crate) fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (&[to, from, control], rest) = cursor.take::<3>().ok_or(SkipReason::BadLinkHeader)?;
    match (to & 0xfe, from & 0xfe, control) {
        (SNAP, SNAP, UI) => snap(rest),
        (IP, IP, UI) => Ok(Next::new(Inside::Ip, rest)),
        _ => Err(SkipReason::NotIp),
    }
}

/// Organization and protocol id.
pub(crate) fn snap(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (&[o0, o1, o2, p0, p1], rest) = cursor.take::<5>().ok_or(SkipReason::BadLinkHeader)?;
    match ([o0, o1, o2], u16::from_be_bytes([p0, p1])) {
        (ENCAPSULATED_ETHERNET | BRIDGE_TUNNEL, id @ 0x600..) => Ok(Next::new(Inside::EtherType(id), rest)),
        (BRIDGED, 1) => Ok(Next::new(Inside::Ethernet, rest.without_trailer(4))),
        (BRIDGED, 7) => Ok(Next::new(Inside::Ethernet, rest)),
        _ => Err(SkipReason::NotIp),
    }
}
