//! BSD loopback (`LINKTYPE_NULL` in the byte order of its host, `LINKTYPE_LOOP` in network order).

use super::LinkLayer;
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[0, 108], name: "BSD loopback", strip: |cursor, _| strip(cursor) };

/// The address family, in either order: families are small, so the two never mean the same.
fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    let (header, rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
    let family = u32::from_be_bytes(*header).min(u32::from_le_bytes(*header));
    match family {
        2 => Ok(Next::new(Inside::EtherType(ether::IPV4), rest)),
        // Linux; Windows; NetBSD and OpenBSD; FreeBSD; Darwin.
        10 | 23 | 24 | 28 | 30 => Ok(Next::new(Inside::EtherType(ether::IPV6), rest)),
        _ => Err(SkipReason::NotIp),
    }
}
