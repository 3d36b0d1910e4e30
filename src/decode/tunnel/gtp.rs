//! GTP-U version 1 (3GPP TS 29.281 section 5): user packets only.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::UdpPort(2152)], name: "GTP-U", open: |cursor, _, path| open(cursor, path) };

/// Version 1 and protocol type GTP, in the first four bits.
const VERSION_AND_TYPE: u8 = 0x30;
/// Any of the optional fields, of which all four bytes are then there; an extension header follows.
const OPTIONAL: u8 = 0x07;
const EXTENSION: u8 = 0x04;
/// Message type of a user packet (G-PDU).
const USER_PACKET: u8 = 255;

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let next = user_packet(cursor).ok_or(SkipReason::NotTcp)?;
    path.push(EncapLayer::GtpU)?;
    Ok(next)
}

fn user_packet(cursor: Cursor<'_>) -> Option<Next<'_>> {
    let (&[flags, message, l0, l1, ..], rest) = cursor.take::<8>()?;
    if flags & 0xf0 != VERSION_AND_TYPE || message != USER_PACKET {
        return None;
    }
    let mut rest = match u16::from_be_bytes([l0, l1]) {
        0 => rest,
        length => rest.limit(u32::from(length)),
    };
    if flags & OPTIONAL != 0 {
        let (&[_, _, _, mut next], after) = rest.take::<4>()?;
        rest = after;
        // Each extension says its own length in words of four bytes, and ends in the type of the next.
        while flags & EXTENSION != 0 && next != 0 {
            let len = usize::from(rest.u8(0)?) * 4;
            next = rest.u8(len.checked_sub(1)?)?;
            rest = rest.skip(len)?;
        }
    }
    matches!(rest.u8(0)? >> 4, 4 | 6).then_some(Next::new(Inside::Ip, rest))
}
