//! `PPPoE` session (RFC 2516 section 4).

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::link::ppp;
use crate::decode::walk::Next;

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::EtherType(0x8864)], name: "PPPoE", open: |cursor, _, path| open(cursor, path) };

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (&[version_type, code, s0, s1, l0, l1], rest) =
        cursor.take::<6>().ok_or(SkipReason::BadLinkHeader)?;
    if version_type != 0x11 || code != 0 {
        return Err(SkipReason::BadLinkHeader);
    }
    path.push(EncapLayer::Pppoe(u16::from_be_bytes([s0, s1])))?;
    // Offload leaves 0 here as it does in the IP header.
    match u16::from_be_bytes([l0, l1]) {
        0 => ppp::strip(rest),
        length => ppp::strip(rest.limit(u32::from(length))),
    }
}
