//! Link layers: what stands before the IP header on each kind of link.

use super::SkipReason;
use super::cursor::Cursor;
use super::walk::Next;
use crate::capture::LinkType;

mod cisco_hdlc;
pub(crate) mod ethernet;
mod fddi;
mod frame_relay;
mod ipnet;
pub(crate) mod llc;
mod loopback;
mod mpackets;
mod nflog;
mod pktap;
mod ppi;
pub(crate) mod ppp;
mod prism;
mod radiotap;
mod raw_ip;
mod sll;
mod sll2;
mod token_ring;
mod wifi;

/// One kind of link header: the link types that have it, and how it is taken off.
pub struct LinkLayer {
    /// Numbers in tcpdump's `LINKTYPE_` registry, and those that old captures have instead.
    pub codes: &'static [u16],
    /// A name for readers.
    pub name: &'static str,
    pub(crate) strip: for<'a> fn(Cursor<'a>, u16) -> Result<Next<'a>, SkipReason>,
}

/// Every link header that is understood.
pub const LINK_LAYERS: &[LinkLayer] = &[
    ethernet::ROW,
    sll::ROW,
    sll2::ROW,
    raw_ip::ROW,
    loopback::ROW,
    ppp::ROW,
    ppp::PPPOE_ROW,
    wifi::ROW,
    radiotap::ROW,
    ppi::ROW,
    prism::ROW,
    cisco_hdlc::ROW,
    frame_relay::ROW,
    fddi::ROW,
    token_ring::ROW,
    nflog::ROW,
    ipnet::ROW,
    mpackets::ROW,
    pktap::ROW,
];

/// The link type as a reader sees it: its name, or its number where it has no row.
pub fn describe(link: LinkType) -> String {
    find(link.0).map_or_else(|| format!("link type {}", link.0), |row| row.name.to_owned())
}

/// The row of a link type.
pub(crate) fn find(code: u16) -> Option<&'static LinkLayer> {
    LINK_LAYERS.iter().find(|row| row.codes.contains(&code))
}

#[cfg(test)]
mod tests;
