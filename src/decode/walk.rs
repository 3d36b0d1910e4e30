//! From the first header of a frame inward, layer by layer, to the innermost TCP header.

use super::SkipReason;
use super::cursor::Cursor;
use super::datagram::{Datagram, Piece};
use super::encap::Path;
use super::link;
use super::segment::Segment;
use super::tunnel::{self, Outer, Over};
use super::{ether, ipv4, ipv6, tcp};
use crate::capture::Frame;

/// What a header says comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    /// What an `EtherType` names; below 0x0600 it is the length of an IEEE 802.3 frame.
    EtherType(u16),
    /// An Ethernet header.
    Ethernet,
    /// IPv4 or IPv6, as its first four bits say.
    Ip,
    /// An IPv4 header whose protocol field means something else but which carries TCP (RFC 1144 section 3.2.3).
    TcpInIpv4,
    /// The header of another link type.
    Link(u16),
}

/// What comes next, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next<'a> {
    pub(crate) inside: Inside,
    pub(crate) rest: Cursor<'a>,
}

impl<'a> Next<'a> {
    #[inline]
    pub(crate) const fn new(inside: Inside, rest: Cursor<'a>) -> Self {
        Self { inside, rest }
    }
}

/// Why a walk ended without a segment.
#[derive(Debug)]
pub(crate) enum Stop<'a> {
    Skip(SkipReason),
    Piece(Piece<'a>),
}

impl From<SkipReason> for Stop<'_> {
    #[inline]
    fn from(reason: SkipReason) -> Self {
        Self::Skip(reason)
    }
}

/// Walks from `next` to the segment. Each turn takes bytes off the cursor, so it ends.
#[inline]
pub(crate) fn from_link<'a>(
    mut next: Next<'a>,
    path: &mut Path,
    frame: &Frame<'_>,
) -> Result<Segment<'a>, Stop<'a>> {
    loop {
        let datagram = match next.inside {
            Inside::EtherType(ether::IPV4) => ipv4::open(next.rest)?,
            Inside::EtherType(ether::IPV6) => ipv6::open(next.rest)?,
            Inside::Ip => match next.rest.u8(0).ok_or(SkipReason::BadIpHeader)? >> 4 {
                4 => ipv4::open(next.rest)?,
                6 => ipv6::open(next.rest)?,
                _ => return Err(SkipReason::BadIpHeader.into()),
            },
            Inside::TcpInIpv4 => Datagram { protocol: TCP, ..ipv4::open(next.rest)? },
            Inside::Ethernet => {
                next = link::ethernet::strip(next.rest)?;
                continue;
            }
            Inside::EtherType(length @ ..0x600) => {
                next = link::llc::strip(next.rest.limit(u32::from(length)))?;
                continue;
            }
            Inside::EtherType(ether_type) => {
                let outer = Outer { over: Over::EtherType(ether_type), v6: false };
                next = tunnel::open(next.rest, outer, path, SkipReason::NotIp)?;
                continue;
            }
            Inside::Link(code) => {
                let row = link::find(code).ok_or(SkipReason::UnknownLinkType)?;
                next = (row.strip)(next.rest, code)?;
                continue;
            }
        };
        match from_datagram(datagram, path, frame)? {
            Reached::Segment(segment) => return Ok(segment),
            Reached::Deeper(inner) => next = inner,
        }
    }
}

/// Walks on from a datagram put together from fragments.
pub(crate) fn from_reassembled<'a>(
    datagram: Datagram<'a>,
    path: &mut Path,
    frame: &Frame<'_>,
) -> Result<Segment<'a>, Stop<'a>> {
    match from_datagram(datagram, path, frame)? {
        Reached::Segment(segment) => Ok(segment),
        Reached::Deeper(next) => from_link(next, path, frame),
    }
}

/// What a datagram holds.
enum Reached<'a> {
    Segment(Segment<'a>),
    Deeper(Next<'a>),
}

/// IP protocol numbers that are neither extension headers nor tunnels.
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ESP: u8 = 50;
const ICMPV6: u8 = 58;

#[inline]
fn from_datagram<'a>(
    datagram: Datagram<'a>,
    path: &mut Path,
    frame: &Frame<'_>,
) -> Result<Reached<'a>, Stop<'a>> {
    if datagram.protocol == TCP {
        return Ok(Reached::Segment(tcp::segment(&datagram, frame)?));
    }
    let datagram = ipv6::pass_extensions(datagram)?;
    match datagram.protocol {
        TCP => Ok(Reached::Segment(tcp::segment(&datagram, frame)?)),
        UDP => Ok(Reached::Deeper(from_udp(&datagram, path)?)),
        ICMP | ICMPV6 => Err(SkipReason::Icmp.into()),
        ESP => Err(SkipReason::Encrypted.into()),
        protocol => {
            let outer = Outer { over: Over::IpProtocol(protocol), v6: datagram.v6 };
            Ok(Reached::Deeper(tunnel::open(datagram.rest, outer, path, SkipReason::NotTcp)?))
        }
    }
}

/// A tunnel over UDP (RFC 768), known by either port.
fn from_udp<'a>(datagram: &Datagram<'a>, path: &mut Path) -> Result<Next<'a>, SkipReason> {
    let (header, rest) = datagram.rest.take::<8>().ok_or(SkipReason::NotTcp)?;
    let [source, destination, length] = [0, 2, 4].map(|at| u16::from_be_bytes([header[at], header[at + 1]]));
    // A length of 0 (jumbograms, offload) or one that cannot be leaves the length of the IP packet.
    let rest = if length >= 8 { rest.limit(u32::from(length) - 8) } else { rest };
    for port in [destination, source] {
        if let Some(row) = tunnel::find(Over::UdpPort(port)) {
            return (row.open)(rest, Outer { over: Over::UdpPort(port), v6: datagram.v6 }, path);
        }
    }
    Err(SkipReason::NotTcp)
}
