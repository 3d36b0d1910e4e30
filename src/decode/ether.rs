//! `EtherType` numbers (IEEE 802 numbers registry) that more than one file needs.

/// IPv4.
pub(crate) const IPV4: u16 = 0x0800;
/// IPv6.
pub(crate) const IPV6: u16 = 0x86dd;
/// MPLS unicast (RFC 5332).
pub(crate) const MPLS: u16 = 0x8847;
/// Transparent Ethernet bridging (RFC 1701).
pub(crate) const TRANSPARENT: u16 = 0x6558;
/// PPP in GRE (RFC 2637).
pub(crate) const PPP: u16 = 0x880b;

/// Whether a frame of an unknown kind has this number in the place of an `EtherType`: one that leads to IP, ARP, or a
/// length that the frame has room for.
pub(crate) const fn is_plausible(number: u16, room: u32) -> bool {
    matches!(
        number,
        IPV4 | IPV6 | MPLS | 0x8848 | 0x0806 | 0x8100 | 0x88a8 | 0x9100 | 0x8863 | 0x8864 | 0x88cc | 0x9000
    ) || (number >= 3 && number < 0x600 && number as u32 <= room)
}
