//! Token ring (IEEE 802.5): access and frame control, two addresses, perhaps a route, LLC.

use super::{LinkLayer, llc};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::walk::Next;

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[6], name: "Token ring", strip: |cursor, _| strip(cursor) };

/// Frame type bits of frame control: LLC.
const FRAME_TYPE: u8 = 0xc0;
const LLC: u8 = 0x40;
/// In the first byte of the source address: a route follows.
const ROUTED: u8 = 0x80;
/// Length bits of the route, which counts itself.
const ROUTE_LENGTH: u8 = 0x1f;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<14>().ok_or(SkipReason::BadLinkHeader)?;
    if header[1] & FRAME_TYPE != LLC {
        return Err(SkipReason::NotIp);
    }
    let route = match header[8] & ROUTED {
        0 => 0,
        _ => rest.u8(0).ok_or(SkipReason::BadLinkHeader)? & ROUTE_LENGTH,
    };
    llc::strip(rest.skip(usize::from(route)).ok_or(SkipReason::BadLinkHeader)?)
}
