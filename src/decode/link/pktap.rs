//! Apple's packet tap (`LINKTYPE_PKTAP`): a header that names another link type.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[258], name: "Apple PKTAP", strip: |cursor, _| strip(cursor) };

/// Shortest header that has the link type.
const MIN_LEN: u32 = 12;

/// Length at byte 0 and link type at byte 8, in the order of the hosts that write it, all little-endian.
fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let len = cursor.u32_le(0).filter(|len| *len >= MIN_LEN).ok_or(SkipReason::BadLinkHeader)?;
    let link = cursor.u32_le(8).and_then(|link| u16::try_from(link).ok()).ok_or(SkipReason::BadLinkHeader)?;
    Ok(Next::new(Inside::Link(link), cursor.skip(len as usize).ok_or(SkipReason::BadLinkHeader)?))
}
