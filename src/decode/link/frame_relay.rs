//! Frame relay (RFC 2427, and Cisco's own encapsulation).

use super::{LinkLayer, llc};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: LinkLayer =
    LinkLayer { codes: &[107], name: "Frame relay", strip: |cursor, _| strip(cursor) };

/// Network layer protocol ids (RFC 2427 section 3).
const NLPID_SNAP: u8 = 0x80;
const NLPID_IPV6: u8 = 0x8e;
const NLPID_IPV4: u8 = 0xcc;
/// Unnumbered information.
const UI: u8 = 0x03;

fn strip(cursor: Cursor<'_>) -> Result<Next<'_>, SkipReason> {
    // The last byte of the address, the second at the earliest, is odd (Q.922 section 3.3).
    let last =
        cursor.data().iter().take(4).position(|byte| byte & 1 == 1).ok_or(SkipReason::BadLinkHeader)?;
    let rest = cursor.skip(last.max(1) + 1).ok_or(SkipReason::BadLinkHeader)?;
    let Some((&[UI, id], after)) = rest.take::<2>() else {
        let (ether_type, rest) = rest.take::<2>().ok_or(SkipReason::BadLinkHeader)?;
        return Ok(Next::new(Inside::EtherType(u16::from_be_bytes(*ether_type)), rest));
    };
    // A padding byte may come before the id.
    let (id, rest) = match id {
        0 => (after.u8(0).ok_or(SkipReason::BadLinkHeader)?, after.skip(1).ok_or(SkipReason::BadLinkHeader)?),
        id => (id, after),
    };
    match id {
        NLPID_IPV4 => Ok(Next::new(Inside::EtherType(ether::IPV4), rest)),
        NLPID_IPV6 => Ok(Next::new(Inside::EtherType(ether::IPV6), rest)),
        NLPID_SNAP => llc::snap(rest),
        _ => Err(SkipReason::NotIp),
    }
}
