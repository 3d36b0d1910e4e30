//! Linux cooked capture, version 1 (`LINKTYPE_LINUX_SLL`), of the `any` device.

use super::{LinkLayer, llc};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[113], name: "Linux cooked v1", strip: |cursor, _| strip(cursor) };

/// Devices whose protocol field is no `EtherType` (`ARPHRD_` numbers of the kernel's `if_arp.h`).
const NETLINK: u16 = 824;
const CAN: u16 = 280;
const RADIOTAP: u16 = 803;
/// Protocol field: an LLC frame (`ETH_P_802_2`).
const LLC: u16 = 4;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<16>().ok_or(SkipReason::BadLinkHeader)?;
    let u16_at = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    payload(u16_at(2), u16_at(14), rest)
}

/// What a device of this hardware type carries under this protocol.
pub(super) fn payload(hardware: u16, protocol: u16, rest: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    match (hardware, protocol) {
        (NETLINK | CAN, _) => Err(SkipReason::NotIp),
        (RADIOTAP, _) => Ok(Next::new(Inside::Link(127), rest)),
        (_, LLC) => llc::strip(rest),
        (_, 0..0x600) => Err(SkipReason::NotIp),
        (_, ether_type) => Ok(Next::new(Inside::EtherType(ether_type), rest)),
    }
}
