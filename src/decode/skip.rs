//! Why a frame yields no segment. Every frame that yields none is counted under one of these.

/// The reason; each has a stable name that the report uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The link type has no row in [`super::link::LINK_LAYERS`].
    UnknownLinkType,
    /// The link header is cut or contradicts itself.
    BadLinkHeader,
    /// The link or tunnel carries something else than IP: ARP, STP, LLC, ...
    NotIp,
    /// An encrypted or otherwise opaque payload: MACsec with encryption, ESP, WEP.
    Encrypted,
    /// The IP header is cut or contradicts itself.
    BadIpHeader,
    /// IP, but neither TCP nor a tunnel that is looked into: UDP, ICMP, ...
    NotTcp,
    /// ICMP, whose quoted header is not a segment.
    Icmp,
    /// A fragment, kept until its datagram is complete or given up.
    Fragment,
    /// The TCP header's fixed 20 bytes are not all there.
    CutTcpHeader,
    /// The TCP header length is impossible, or the IP length ends within it.
    BadTcpHeader,
    /// More tunnels inside each other than are looked into.
    TooDeep,
    /// Frames with no byte captured.
    NoBytes,
}

/// Every reason in the order of the report, with its stable name and what it means to a reader.
pub const SKIP_REASONS: &[(SkipReason, &str, &str)] = &[
    (SkipReason::UnknownLinkType, "unknown_link_type", "link type without a decoder"),
    (SkipReason::BadLinkHeader, "bad_link_header", "link or tunnel header cut or contradictory"),
    (SkipReason::NotIp, "not_ip", "no IP inside: ARP, STP, LLC and the like"),
    (SkipReason::Encrypted, "encrypted", "payload is encrypted"),
    (SkipReason::BadIpHeader, "bad_ip_header", "IP header cut or contradictory"),
    (SkipReason::NotTcp, "not_tcp", "IP without TCP: UDP and the like"),
    (SkipReason::Icmp, "icmp", "ICMP; a TCP header it quotes is not a segment"),
    (SkipReason::Fragment, "fragment", "fragment of a datagram that was not complete with it"),
    (SkipReason::CutTcpHeader, "cut_tcp_header", "fewer than 20 bytes of the TCP header captured"),
    (SkipReason::BadTcpHeader, "bad_tcp_header", "impossible TCP header length"),
    (SkipReason::TooDeep, "too_deep", "too many tunnels inside each other"),
    (SkipReason::NoBytes, "no_bytes", "frame without a captured byte"),
];

impl SkipReason {
    /// The stable name.
    pub fn name(self) -> &'static str {
        SKIP_REASONS.iter().find(|row| row.0 == self).map_or("unknown", |row| row.1)
    }

    /// Place in [`SKIP_REASONS`], for counting.
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_reason_at_its_index() {
        for (place, (reason, name, meaning)) in SKIP_REASONS.iter().enumerate() {
            assert_eq!(reason.index(), place, "{name}");
            assert_eq!(reason.name(), *name);
            assert!(!meaning.is_empty());
        }
        assert_eq!(SKIP_REASONS.len(), SkipReason::NoBytes.index() + 1);
    }
}
