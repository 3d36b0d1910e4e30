//! MPLS label stack (RFC 3032), also in UDP (RFC 7510), IP and GRE (RFC 4023), with IP or Ethernet (RFC 4448) behind it.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    over: &[
        Over::EtherType(ether::MPLS),
        Over::EtherType(0x8848),
        Over::IpProtocol(137),
        Over::UdpPort(6635),
    ],
    name: "MPLS",
    open: |cursor, outer, path| match outer.over {
        // A port proves nothing; that IP or Ethernet is found behind the labels does.
        Over::UdpPort(_) => open(cursor, path).map_err(|reason| match reason {
            SkipReason::TooDeep => reason,
            _ => SkipReason::NotTcp,
        }),
        _ => open(cursor, path),
    },
};

/// Bottom of the stack, in the third byte of a label entry.
const BOTTOM: u8 = 1;

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let mut rest = cursor;
    loop {
        let (label, after) = rest.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
        rest = after;
        if label[2] & BOTTOM != 0 {
            break;
        }
    }
    let next = payload(rest).ok_or(SkipReason::NotIp)?;
    path.push(EncapLayer::Mpls)?;
    Ok(next)
}

/// Nothing in the header names the payload: it is told from how it begins (RFC 4928 section 3).
fn payload(rest: Cursor<'_>) -> Option<Next<'_>> {
    let ethernet_at = |at: usize| {
        let number = rest.u16(at + 12)?;
        let room = rest.wire().saturating_sub(u32::try_from(at).ok()? + 14);
        ether::is_plausible(number, room).then_some(())?;
        Some(Next::new(Inside::Ethernet, rest.skip(at)?))
    };
    match rest.u8(0)? >> 4 {
        4 if is_ipv4(rest) => Some(Next::new(Inside::EtherType(ether::IPV4), rest)),
        6 if is_ipv6(rest) => Some(Next::new(Inside::EtherType(ether::IPV6), rest)),
        // A control word of four bytes (RFC 4385) starts with a 0, as most Ethernet addresses do.
        0 => ethernet_at(4).or_else(|| ethernet_at(0)),
        _ => ethernet_at(0),
    }
}

fn is_ipv4(rest: Cursor<'_>) -> bool {
    let header_len = u32::from(rest.u8(0).unwrap_or(0) & 0xf) * 4;
    let total = u32::from(rest.u16(2).unwrap_or(0));
    header_len >= 20 && (total == 0 || (header_len..=rest.wire()).contains(&total))
}

fn is_ipv6(rest: Cursor<'_>) -> bool {
    rest.u16(4).is_some_and(|length| u32::from(length) + 40 <= rest.wire())
}
