//! IP in IP: RFC 2003 (4 in 4), RFC 4213 (6 in 4), RFC 2473 (both in 6).

use super::{Over, Tunnel};
use crate::decode::encap::EncapLayer;
use crate::decode::ether;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    over: &[Over::IpProtocol(IPV4), Over::IpProtocol(IPV6)],
    name: "IP in IP",
    open: |cursor, outer, path| {
        let (layer, ether_type) = match (outer.v6, outer.over == Over::IpProtocol(IPV6)) {
            (false, false) => (EncapLayer::IpIp, ether::IPV4),
            (false, true) => (EncapLayer::SixInFour, ether::IPV6),
            (true, false) => (EncapLayer::FourInSix, ether::IPV4),
            (true, true) => (EncapLayer::SixInSix, ether::IPV6),
        };
        path.push(layer)?;
        Ok(Next::new(Inside::EtherType(ether_type), cursor))
    },
};

const IPV4: u8 = 4;
const IPV6: u8 = 41;
