//! VLAN tags (IEEE 802.1Q), one or several, under the numbers in use.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::cursor::Cursor;
use crate::decode::encap::{EncapLayer, Path};
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    // Customer tag, service tag, and two from before the standard had one.
    over: &[
        Over::EtherType(0x8100),
        Over::EtherType(0x88a8),
        Over::EtherType(0x9100),
        Over::EtherType(0x9200),
    ],
    name: "VLAN",
    open: |cursor, _, path| open(cursor, path),
};

fn open<'a>(cursor: Cursor<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (&[t0, t1, e0, e1], rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
    let id = u16::from_be_bytes([t0, t1]) & 0xfff;
    // A tag with id 0 only gives a priority, often in one direction.
    if id != 0 {
        path.push(EncapLayer::Vlan(id))?;
    }
    Ok(Next::new(Inside::EtherType(u16::from_be_bytes([e0, e1])), rest))
}
