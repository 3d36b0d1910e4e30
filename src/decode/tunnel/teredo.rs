//! Teredo (RFC 4380 section 5.1): IPv6 in UDP, perhaps behind an authentication and an origin indication.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::UdpPort(3544)], name: "Teredo", open: |cursor, _, path| open(cursor, path) };

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let rest = ipv6_packet(cursor).ok_or(SkipReason::NotTcp)?;
    path.push(EncapLayer::Teredo)?;
    Ok(Next::new(Inside::EtherType(ether::IPV6), rest))
}

fn ipv6_packet(cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let mut rest = cursor;
    if rest.u16(0)? == 1 {
        // Client id and authentication value of the lengths given, a nonce of 8 bytes, a confirmation byte.
        let len = 4 + usize::from(rest.u8(2)?) + usize::from(rest.u8(3)?) + 9;
        rest = rest.skip(len)?;
    }
    if rest.u16(0)? == 0 {
        rest = rest.skip(8)?;
    }
    (rest.u8(0)? >> 4 == 6 && u32::from(rest.u16(4)?) + 40 <= rest.wire()).then_some(rest)
}
