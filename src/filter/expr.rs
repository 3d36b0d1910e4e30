//! A filter as a tree, and what it says of a segment.

use std::cmp::Ordering;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

use crate::decode::{Address, Endpoint, Segment};

/// An expression. It nests only by parentheses and `not`, whose depth the parser bounds: a chain of a thousand `or`
/// is a list, so that neither matching nor dropping it can exhaust the stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Test(Test),
    Not(Box<Self>),
    Chain(Box<Self>, Vec<(Joint, Self)>),
}

/// What joins two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
}

/// One primitive.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    /// Every segment is one: `tcp`.
    Tcp,
    /// The innermost header is IPv4 (`ip`) or IPv6 (`ip6`).
    Family(Family),
    /// `host` and `net`.
    Net(Side, Net),
    /// `port` and `portrange`.
    Port(Side, RangeInclusive<u16>),
    /// `len`, `less` and `greater`: bytes of the frame on the wire.
    Len(Relation, u32),
}

/// Version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
}

/// Which ends a primitive looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Src,
    Dst,
    Either,
    Both,
}

/// Addresses that agree with `bits` where `mask` has ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Net {
    V4 { bits: u32, mask: u32 },
    V6 { bits: u128, mask: u128 },
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Greater,
    AtLeast,
    Less,
    AtMost,
    Equal,
    Unequal,
}

impl Expr {
    pub(super) fn matches(&self, segment: &Segment<'_>) -> bool {
        match self {
            Self::Test(test) => test.matches(segment),
            Self::Not(inner) => !inner.matches(segment),
            Self::Chain(first, rest) => {
                rest.iter().fold(first.matches(segment), |so_far, (joint, next)| match joint {
                    Joint::And => so_far && next.matches(segment),
                    Joint::Or => so_far || next.matches(segment),
                })
            }
        }
    }
}

impl Test {
    fn matches(&self, segment: &Segment<'_>) -> bool {
        match self {
            Self::Tcp => true,
            Self::Family(family) => Family::of(segment.src.ip) == *family,
            Self::Net(side, net) => side.holds(segment, |end| net.contains(end.ip)),
            Self::Port(side, range) => side.holds(segment, |end| range.contains(&end.port)),
            Self::Len(relation, len) => relation.holds(segment.wire_len.cmp(len)),
        }
    }
}

impl Family {
    fn of(address: Address) -> Self {
        match address.to_ip() {
            IpAddr::V4(_) => Self::V4,
            IpAddr::V6(_) => Self::V6,
        }
    }
}

impl Side {
    fn holds(self, segment: &Segment<'_>, test: impl Fn(&Endpoint) -> bool) -> bool {
        match self {
            Self::Src => test(&segment.src),
            Self::Dst => test(&segment.dst),
            Self::Either => test(&segment.src) || test(&segment.dst),
            Self::Both => test(&segment.src) && test(&segment.dst),
        }
    }
}

impl Net {
    pub(super) const fn host_v4(ip: Ipv4Addr) -> Self {
        Self::V4 { bits: ip.to_bits(), mask: u32::MAX }
    }

    pub(super) const fn host_v6(ip: Ipv6Addr) -> Self {
        Self::V6 { bits: ip.to_bits(), mask: u128::MAX }
    }

    /// Whether the address has no ones outside the mask, as pcap-filter demands.
    pub(super) const fn is_network(self) -> bool {
        match self {
            Self::V4 { bits, mask } => bits & !mask == 0,
            Self::V6 { bits, mask } => bits & !mask == 0,
        }
    }

    pub(super) const fn family(self) -> Family {
        match self {
            Self::V4 { .. } => Family::V4,
            Self::V6 { .. } => Family::V6,
        }
    }

    fn contains(self, address: Address) -> bool {
        match (self, address.to_ip()) {
            (Self::V4 { bits, mask }, IpAddr::V4(ip)) => ip.to_bits() & mask == bits,
            (Self::V6 { bits, mask }, IpAddr::V6(ip)) => ip.to_bits() & mask == bits,
            _ => false,
        }
    }
}

impl Relation {
    pub(super) fn from_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            ">" => Self::Greater,
            ">=" => Self::AtLeast,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            "=" | "==" => Self::Equal,
            "!=" => Self::Unequal,
            _ => return None,
        })
    }

    const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
        }
    }
}
