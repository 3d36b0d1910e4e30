//! Per-packet information (`CACE` PPI 1.0.10): a header that names another link type.

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer = LinkLayer { codes: &[192], name: "PPI", strip: |cursor, _| strip(cursor) };

/// Field with what is common to Wi-Fi frames (section 4.1.1); in its flags at byte 8: the frame ends in its FCS.
const COMMON: u16 = 2;
const FCS: u16 = 1;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let len = usize::from(cursor.u16_le(2).ok_or(SkipReason::BadLinkHeader)?);
    let link = cursor.u32_le(4).and_then(|link| u16::try_from(link).ok()).ok_or(SkipReason::BadLinkHeader)?;
    if len < 8 {
        return Err(SkipReason::BadLinkHeader);
    }
    let rest = cursor.skip(len).ok_or(SkipReason::BadLinkHeader)?;
    let common = len >= 8 + 4 + 10 && cursor.u16_le(8) == Some(COMMON);
    let fcs = common && cursor.u16_le(8 + 4 + 8).is_some_and(|flags| flags & FCS != 0);
    Ok(Next::new(Inside::Link(link), if fcs { rest.without_trailer(4) } else { rest }))
}
