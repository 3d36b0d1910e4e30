//! Tunnels and tags: what wraps another packet behind an `EtherType`, an IP protocol number or a UDP port.

use super::SkipReason;
use super::cursor::Cursor;
use super::encap::Path;
use super::walk::Next;

mod ether_ip;
mod geneve;
mod gre;
mod gtp;
mod ip_in_ip;
mod l2tp;
mod macsec;
mod mpls;
mod pbb;
mod pppoe;
mod teredo;
mod vlan;
mod vxlan;

/// Where a tunnel announces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// In an Ethernet frame, or what stands for one.
    EtherType(u16),
    /// In an IP packet.
    IpProtocol(u8),
    /// In a UDP datagram, at either end.
    UdpPort(u16),
}

/// What a tunnel header lies in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer {
    pub(crate) over: Over,
    /// Whether the IP packet around it is IPv6.
    pub(crate) v6: bool,
}

/// One kind of tunnel: where it announces itself, and how its header is taken off.
pub struct Tunnel {
    /// Numbers that announce it.
    pub over: &'static [Over],
    /// A name for readers.
    pub name: &'static str,
    pub(crate) open: for<'a> fn(Cursor<'a>, Outer, &mut Path) -> Result<Next<'a>, SkipReason>,
}

/// Every tunnel that is looked into. Over UDP the header must be plausible, since a port proves nothing: what is not is
/// [`SkipReason::NotTcp`].
pub const TUNNELS: &[Tunnel] = &[
    vlan::ROW,
    mpls::ROW,
    pppoe::ROW,
    macsec::ROW,
    pbb::ROW,
    gre::TRANSPARENT_ROW,
    gre::PPP_ROW,
    gre::ERSPAN_ROW,
    ip_in_ip::ROW,
    gre::ROW,
    ether_ip::ROW,
    vxlan::ROW,
    geneve::ROW,
    gtp::ROW,
    teredo::ROW,
    l2tp::ROW,
];

/// The row for a number.
pub(crate) fn find(over: Over) -> Option<&'static Tunnel> {
    TUNNELS.iter().find(|row| row.over.contains(&over))
}

/// Opens the tunnel that `outer` announces; `otherwise` where there is none.
pub(crate) fn open<'a>(
    cursor: Cursor<'a>,
    outer: Outer,
    path: &mut Path,
    otherwise: SkipReason,
) -> Result<Next<'a>, SkipReason> {
    let row = find(outer.over).ok_or(otherwise)?;
    (row.open)(cursor, outer, path)
}

#[cfg(test)]
mod tests;
