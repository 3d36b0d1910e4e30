//! MACsec (IEEE 802.1AE section 9) that protects integrity only. It is no layer of the path: it goes hop by hop.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::EtherType(0x88e5)], name: "MACsec", open: |cursor, _, _| open(cursor) };

/// Bits of the first byte: a channel identifier follows; the payload is encrypted; it is changed.
const CHANNEL: u8 = 0x20;
const ENCRYPTED: u8 = 0x08;
const CHANGED: u8 = 0x04;
/// Bytes of the check value after the payload.
const CHECK_LEN: u32 = 16;

fn open(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<6>().ok_or(SkipReason::BadLinkHeader)?;
    if header[0] & (ENCRYPTED | CHANGED) != 0 {
        return Err(SkipReason::Encrypted);
    }
    let rest = if header[0] & CHANNEL == 0 { Some(rest) } else { rest.skip(8) };
    let (ether_type, rest) = rest.and_then(Cursor::take::<2>).ok_or(SkipReason::BadLinkHeader)?;
    Ok(Next::new(Inside::EtherType(u16::from_be_bytes(*ether_type)), rest.without_trailer(CHECK_LEN)))
}
