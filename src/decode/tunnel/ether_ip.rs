//! Ethernet in IP: `EtherIP` (RFC 3378), and protocol 143 of segment routing (RFC 8986 section 4.9), bare.

use super::{Over, Tunnel};
use crate::decode::SkipReason;
use crate::decode::encap::EncapLayer;
use crate::decode::walk::{Inside, Next};

pub(super) const ROW: Tunnel = Tunnel {
    over: &[Over::IpProtocol(ETHER_IP), Over::IpProtocol(143)],
    name: "Ethernet in IP",
    open: |cursor, outer, path| {
        let rest = match outer.over {
            Over::IpProtocol(ETHER_IP) => cursor.skip(2).ok_or(SkipReason::BadLinkHeader)?,
            _ => cursor,
        };
        path.push(EncapLayer::EtherIp)?;
        Ok(Next::new(Inside::Ethernet, rest))
    },
};

const ETHER_IP: u8 = 97;
