//! VXLAN (RFC 7348), also on the port Linux had before there was one, and its generic extension
//! (draft-ietf-nvo3-vxlan-gpe).

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    over: &[Over::UdpPort(4789), Over::UdpPort(8472), Over::UdpPort(GPE_PORT)],
    name: "VXLAN",
    open: |cursor, outer, path| open(cursor, outer.over == Over::UdpPort(GPE_PORT), path),
};

const GPE_PORT: u16 = 4790;

/// Flags: a network identifier is there; with the extension: a protocol number is, and the version.
const HAS_VNI: u8 = 0x08;
const HAS_PROTOCOL: u8 = 0x04;
const GPE_VERSION: u8 = 0x30;

fn open<'a>(cursor: Cursor<'a>, gpe: bool, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (&[flags, _, _, protocol, v0, v1, v2, reserved], rest) =
        cursor.take::<8>().ok_or(SkipReason::NotTcp)?;
    if flags & HAS_VNI == 0 || reserved != 0 {
        return Err(SkipReason::NotTcp);
    }
    let inside = match (gpe && flags & HAS_PROTOCOL != 0, protocol) {
        _ if gpe && flags & GPE_VERSION != 0 => return Err(SkipReason::NotTcp),
        (false, _) | (true, 3) => Inside::Ethernet,
        (true, 1) => Inside::EtherType(ether::IPV4),
        (true, 2) => Inside::EtherType(ether::IPV6),
        (true, 5) => Inside::EtherType(ether::MPLS),
        (true, _) => return Err(SkipReason::NotTcp),
    };
    path.push(EncapLayer::Vxlan(u32::from_be_bytes([0, v0, v1, v2])))?;
    Ok(Next::new(inside, rest))
}
