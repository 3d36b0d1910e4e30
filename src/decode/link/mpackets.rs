//! Ethernet from the preamble on (`LINKTYPE_ETHERNET_MPACKET`, IEEE 802.3br).

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[274], name: "Ethernet mPacket", strip: |cursor, _| strip(cursor) };

const PREAMBLE: u8 = 0x55;

/// The first byte behind the preamble says what it is (IEEE 802.3 table 99-1). What was preempted is not put together.
fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let start = cursor.data().iter().take(8).position(|byte| *byte != PREAMBLE);
    let start = start.ok_or(SkipReason::BadLinkHeader)?;
    let rest = cursor.skip(start + 1).ok_or(SkipReason::BadLinkHeader)?;
    match cursor.data()[start] {
        // An express frame, or the start of a preemptable one; its check sequence comes last.
        0xd5 | 0xe6 | 0x4c | 0x7f | 0xb3 => Ok(Next::new(Inside::Ethernet, rest.without_trailer(4))),
        0x61 | 0x52 | 0x9e | 0x2a => Err(SkipReason::Fragment),
        // Verify and respond.
        0x07 | 0x19 => Err(SkipReason::NotIp),
        _ => Err(SkipReason::BadLinkHeader),
    }
}
