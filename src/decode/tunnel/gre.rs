//! GRE: RFC 1701, 2784, 2890; version 1 for PPTP, RFC 2637; NVGRE, RFC 7637; ERSPAN, draft-foschiano-erspan.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::ether;
use crate::decode::link::ppp;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel =
    Tunnel { over: &[Over::IpProtocol(47)], name: "GRE", open: |cursor, _, path| open(cursor, path) };

/// Ethernet where an `EtherType` is expected.
pub(super) const TRANSPARENT_ROW: Tunnel = Tunnel {
    over: &[Over::EtherType(ether::TRANSPARENT)],
    name: "Transparent Ethernet bridging",
    open: |cursor, _, _| Ok(Next::new(Inside::Ethernet, cursor)),
};

/// PPP where an `EtherType` is expected.
pub(super) const PPP_ROW: Tunnel = Tunnel {
    over: &[Over::EtherType(ether::PPP)],
    name: "PPP in GRE",
    open: |cursor, _, _| ppp::strip(cursor),
};

/// A mirrored frame with the header of versions II and III; version I has none and is told in [`open`].
pub(super) const ERSPAN_ROW: Tunnel = Tunnel {
    over: &[Over::EtherType(ERSPAN_2), Over::EtherType(ERSPAN_3)],
    name: "ERSPAN",
    open: |cursor, outer, path| erspan(cursor, outer.over == Over::EtherType(ERSPAN_3), path),
};

const ERSPAN_2: u16 = 0x88be;
const ERSPAN_3: u16 = 0x22eb;

/// Bits of the first 16.
const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGMENT: u16 = 0x0080;
const VERSION: u16 = 0x0007;

/// The first virtual subnet id that may be assigned (RFC 7637 section 3.2): below it a key is just a key.
const FIRST_SUBNET: u32 = 0x1000;

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (&[f0, f1, p0, p1], mut rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
    let flags = u16::from_be_bytes([f0, f1]);
    let protocol = u16::from_be_bytes([p0, p1]);
    let version = flags & VERSION;
    // A list of source routes has long been out of use.
    if version > 1 || flags & ROUTING != 0 {
        return Err(SkipReason::NotIp);
    }
    let mut word = |wanted: bool| -> Result<Option<u32>, SkipReason> {
        if !wanted {
            return Ok(None);
        }
        let (word, after) = rest.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
        rest = after;
        Ok(Some(u32::from_be_bytes(*word)))
    };
    word(flags & CHECKSUM != 0)?;
    let key = word(flags & KEY != 0)?;
    word(flags & SEQUENCE != 0)?;
    word(version == 1 && flags & ACKNOWLEDGMENT != 0)?;
    match (version, protocol, key) {
        // Payload length and call id stand in the place of the key; without a payload it acknowledges only.
        (1, ..) => {
            path.push(EncapLayer::Gre(None))?;
            let payload_len = key.unwrap_or(0) >> 16;
            if flags & SEQUENCE == 0 || payload_len == 0 {
                return Err(SkipReason::NotIp);
            }
            rest = rest.limit(payload_len);
        }
        (_, ERSPAN_2, _) if flags & SEQUENCE == 0 => {
            path.push(EncapLayer::Erspan)?;
            return Ok(Next::new(Inside::Ethernet, rest));
        }
        (_, ERSPAN_2 | ERSPAN_3, _) => {}
        (_, ether::TRANSPARENT, Some(key)) if key >> 8 >= FIRST_SUBNET => {
            path.push(EncapLayer::Nvgre(key >> 8))?;
        }
        (_, _, key) => path.push(EncapLayer::Gre(key))?,
    }
    match protocol {
        0..0x600 => Err(SkipReason::NotIp),
        protocol => Ok(Next::new(Inside::EtherType(protocol), rest)),
    }
}

/// What a version III header says of its payload: bits 10 to 14 of its third word's lower half; the last bit: eight
/// more bytes follow.
const FRAME_TYPE_IP: u32 = 2;
const PLATFORM_HEADER: u32 = 1;

fn erspan<'a>(cursor: Cursor<'a>, third: bool, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    path.push(EncapLayer::Erspan)?;
    if !third {
        let rest = cursor.skip(8).ok_or(SkipReason::BadLinkHeader)?;
        return Ok(Next::new(Inside::Ethernet, rest));
    }
    let word = cursor.u32(8).ok_or(SkipReason::BadLinkHeader)?;
    let len = if word & PLATFORM_HEADER == 0 { 12 } else { 20 };
    let rest = cursor.skip(len).ok_or(SkipReason::BadLinkHeader)?;
    match word >> 10 & 0x1f {
        0 => Ok(Next::new(Inside::Ethernet, rest)),
        FRAME_TYPE_IP => Ok(Next::new(Inside::Ip, rest)),
        _ => Err(SkipReason::NotIp),
    }
}
