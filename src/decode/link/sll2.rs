//! Linux cooked capture, version 2 (`LINKTYPE_LINUX_SLL2`).

use super::{LinkLayer, sll};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[276], name: "Linux cooked v2", strip: |cursor, _| strip(cursor) };

/// The protocol comes first, the hardware type at byte 8.
fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<20>().ok_or(SkipReason::BadLinkHeader)?;
    let u16_at = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    sll::payload(u16_at(8), u16_at(0), rest)
}
