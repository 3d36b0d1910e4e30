//! Prism II and AVS headers before a Wi-Fi frame (`LINKTYPE_IEEE802_11_PRISM`, `LINKTYPE_IEEE802_11_AVS`).

use super::{LinkLayer, wifi};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[119, 163], name: "Prism", strip: |cursor, _| strip(cursor) };

/// AVS starts with this and a version in the last four bits.
const AVS_MAGIC: u32 = 0x8021_1000;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let magic = cursor.u32(0).ok_or(SkipReason::BadLinkHeader)?;
    let big = cursor.u32(4).ok_or(SkipReason::BadLinkHeader)?;
    // AVS is in network order, Prism in that of its host; lengths are below 65,536, so the lesser reading is right.
    let len = if magic & 0xffff_f000 == AVS_MAGIC { big } else { big.min(big.swap_bytes()) };
    if len < 8 {
        return Err(SkipReason::BadLinkHeader);
    }
    wifi::strip(cursor.skip(len as usize).ok_or(SkipReason::BadLinkHeader)?, false)
}
