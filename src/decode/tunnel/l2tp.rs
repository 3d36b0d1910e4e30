//! L2TP version 2 data messages (RFC 2661 section 3.1), which carry PPP.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::link::ppp;
use crate::decode::walk::Next;

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::UdpPort(1701)], name: "L2TP", open: |cursor, _, path| open(cursor, path) };

/// Bits of the first 16; control messages and the reserved bits must be 0 here.
const CONTROL: u16 = 0x8000;
const LENGTH: u16 = 0x4000;
const SEQUENCE: u16 = 0x0800;
const OFFSET: u16 = 0x0200;
const RESERVED: u16 = 0x34f0;
const VERSION: u16 = 0x000f;

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let rest = data_message(cursor).ok_or(SkipReason::NotTcp)?;
    path.push(EncapLayer::L2tp)?;
    ppp::strip(rest)
}

fn data_message(cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let flags = cursor.u16(0)?;
    if flags & (CONTROL | RESERVED) != 0 || flags & VERSION != 2 {
        return None;
    }
    let mut at = 2;
    let mut whole = cursor;
    if flags & LENGTH != 0 {
        whole = cursor.limit(u32::from(cursor.u16(at)?));
        at += 2;
    }
    // Tunnel and session.
    at += 4;
    if flags & SEQUENCE != 0 {
        at += 4;
    }
    if flags & OFFSET != 0 {
        at += 2 + usize::from(whole.u16(at)?);
    }
    whole.skip(at)
}
