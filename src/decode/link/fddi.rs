//! FDDI (ANSI X3.139): frame control, two addresses, LLC.

use super::{LinkLayer, llc};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer = LinkLayer { codes: &[10], name: "FDDI", strip: |cursor, _| strip(cursor) };

/// Asynchronous and synchronous LLC frames: the format bits of frame control.
const FORMAT: u8 = 0x30;
const LLC: u8 = 0x10;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<13>().ok_or(SkipReason::BadLinkHeader)?;
    if header[0] & FORMAT == LLC { llc::strip(rest) } else { Err(SkipReason::NotIp) }
}
