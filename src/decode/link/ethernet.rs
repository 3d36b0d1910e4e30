//! Ethernet (IEEE 802.3 clause 3).

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[1], name: "Ethernet", strip: |cursor, _| strip(cursor) };

/// Two addresses, then an `EtherType` or a length.
#[inline]
pub(crate) fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<14>().ok_or(SkipReason::BadLinkHeader)?;
    Ok(Next::new(Inside::EtherType(u16::from_be_bytes([header[12], header[13]])), rest))
}
