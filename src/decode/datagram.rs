//! What an IP header yields, whole or as one fragment of it.

use super::cursor::Cursor;
use super::segment::{Address, IpMeta};

/// Largest datagram whose header does not say its length, with room to spare.
pub(crate) const LARGEST: u32 = 1 << 20;

/// An IP packet behind its header: lengths are settled, padding is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram<'a> {
    /// Source, or the home address of a mobile node.
    pub(crate) src: Address,
    /// Destination, the last one where there is a routing header.
    pub(crate) dst: Address,
    /// What the header says beside.
    pub(crate) meta: IpMeta,
    /// Whether it is IPv6.
    pub(crate) v6: bool,
    /// What is in it: an IP protocol number.
    pub(crate) protocol: u8,
    /// Its payload.
    pub(crate) rest: Cursor<'a>,
}

/// One fragment of a datagram; its `rest` is the piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) datagram: Datagram<'a>,
    /// Identification: 16 bits in IPv4, 32 in IPv6.
    pub(crate) id: u32,
    /// Where the piece starts, bytes.
    pub(crate) offset: u32,
    /// Whether more follow.
    pub(crate) more: bool,
}
