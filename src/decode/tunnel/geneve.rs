//! Geneve (RFC 8926 section 3.4).

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::UdpPort(6081)], name: "Geneve", open: |cursor, _, path| open(cursor, path) };

/// Options in words of four bytes; the two bits before them are the version, 0.
const OPTION_WORDS: u8 = 0x3f;
/// Set on messages between the tunnel's ends.
const CONTROL: u8 = 0x80;

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (&[first, flags, p0, p1, v0, v1, v2, reserved], rest) =
        cursor.take::<8>().ok_or(SkipReason::NotTcp)?;
    let protocol = u16::from_be_bytes([p0, p1]);
    if first & !OPTION_WORDS != 0 || flags & CONTROL != 0 || reserved != 0 || protocol < 0x600 {
        return Err(SkipReason::NotTcp);
    }
    let rest = rest.skip(usize::from(first) * 4).ok_or(SkipReason::NotTcp)?;
    path.push(EncapLayer::Geneve(u32::from_be_bytes([0, v0, v1, v2])))?;
    Ok(Next::new(Inside::EtherType(protocol), rest))
}
