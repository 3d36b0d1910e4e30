//! Provider backbone bridge (IEEE 802.1ah): a service tag, then a whole Ethernet frame.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::encap::EncapLayer;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    over: &[Over::EtherType(0x88e7)],
    name: "PBB",
    open: |cursor, _, path| {
        let (&[_, i0, i1, i2], rest) = cursor.take::<4>().ok_or(SkipReason::BadLinkHeader)?;
        path.push(EncapLayer::Pbb(u32::from_be_bytes([0, i0, i1, i2])))?;
        Ok(Next::new(Inside::Ethernet, rest))
    },
};
