//! Radiotap (radiotap.org) before a Wi-Fi frame.

use super::{LinkLayer, wifi};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[127], name: "Radiotap", strip: |cursor, _| strip(cursor) };

/// Bits of the presence word.
const TIMER: u32 = 1;
const FLAGS: u32 = 1 << 1;
const MORE_WORDS: u32 = 1 << 31;
/// Bits of the flags field: the frame ends in its FCS; the header is padded.
const FCS: u8 = 0x10;
const PADDED: u8 = 0x20;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let len = usize::from(cursor.u16_le(2).ok_or(SkipReason::BadLinkHeader)?);
    if len < 8 {
        return Err(SkipReason::BadLinkHeader);
    }
    let rest = cursor.skip(len).ok_or(SkipReason::BadLinkHeader)?;
    let flags = flags(Cursor::new(&cursor.data()[..len], 0)).unwrap_or(0);
    let rest = if flags & FCS == 0 { rest } else { rest.without_trailer(4) };
    wifi::strip(rest, flags & PADDED != 0)
}

/// The flags field, which only the timer can come before.
fn flags(header: Cursor<'_>) -> Option<u8> {
    let present = header.u32_le(4)?;
    let mut at = 8;
    let mut word = present;
    while word & MORE_WORDS != 0 {
        word = header.u32_le(at)?;
        at += 4;
    }
    if present & FLAGS == 0 {
        return None;
    }
    if present & TIMER != 0 {
        at = at.next_multiple_of(8) + 8;
    }
    header.u8(at)
}
