//! A frame to a TCP segment, or to a counted reason why it holds none. Nothing here fails and nothing panics.
//!
//! [`Decoder::decode`] walks inward from the link header ([`link`]) through tags and tunnels ([`tunnel`]), fragments
//! and extension headers to the innermost TCP header. Lengths come from the IP header at each step, so that neither
//! padding nor the snap length changes them. A TCP header that an ICMP message quotes is not a segment.

mod cursor;
mod datagram;
mod decoder;
mod defrag;
mod encap;
mod ether;
mod ipv4;
mod ipv6;
pub(crate) mod kind;
pub mod link;
mod multipath;
mod print;
mod segment;
mod skip;
mod tcp;
mod tcp_options;
pub mod tunnel;
mod walk;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use decoder::{DecodeOptions, Decoder};
pub use encap::{EncapLayer, EncapPath};
pub use multipath::{Mapping, Multipath};
pub use print::Print;
pub use segment::{
    Address, EncapId, Endpoint, FastOpen, IpMeta, OptionLayout, SackBlocks, Segment, TcpFlags, TcpOptions,
};
pub use skip::{SKIP_REASONS, SkipReason};
