//! A TCP segment as the layers behind `decode` see it.

use super::multipath::Multipath;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::seq::SeqNumber;
use crate::units::Timestamp;

/// An IP address in 16 bytes, IPv4 as `::ffff:a.b.c.d`: one comparison, one hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address(u128);

/// Address and port of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Endpoint {
    /// The address.
    pub ip: Address,
    /// The TCP port.
    pub port: u16,
}

/// Names the stack of VLANs and tunnels around a segment; 0 is none. [`super::Decoder::encapsulation`] spells it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EncapId(pub u32);

/// The flags of RFC 9293 section 3.1, with AE (once NS) as bit 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TcpFlags(pub u16);

/// What the innermost IP header says beside the addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IpMeta {
    /// Time to live or hop limit.
    pub ttl: u8,
    /// IPv4 identification; `None` for IPv6.
    pub id: Option<u16>,
    /// Don't Fragment; false for IPv6.
    pub dont_fragment: bool,
    /// The ECN field (RFC 3168 section 5): 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// Put together from fragments.
    pub reassembled: bool,
}

/// SACK blocks (RFC 2018), at most four, as they stand in the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    count: u8,
    blocks: [(SeqNumber, SeqNumber); 4],
}

/// Fast Open option (RFC 7413).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FastOpen {
    /// Empty: a request for a cookie.
    Request,
    /// A cookie of so many bytes.
    Cookie(u8),
}

/// The kinds of the first eight options of a header in order, four bits each; kinds above 14 as 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionLayout(u32);

/// The options of one header. A header cut by the snap length gives those that were captured whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each option that is only there or not")]
pub struct TcpOptions {
    /// Maximum segment size (RFC 9293 section 3.7.1), bytes.
    pub mss: Option<u16>,
    /// Window scale shift (RFC 7323 section 2), as sent; values above 14 count as 14.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018).
    pub sack_permitted: bool,
    /// `TSval` and `TSecr` (RFC 7323 section 3).
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks.
    pub sack: SackBlocks,
    /// Fast Open.
    pub fast_open: Option<FastOpen>,
    /// Multipath TCP (RFC 8684): bit n is set where subtype n was present.
    pub mptcp: u16,
    /// What of it tells of connections and their data.
    pub multipath: Option<Multipath>,
    /// Accurate ECN option (RFC 9768), kind 172 or 174.
    pub accurate_ecn: bool,
    /// Authentication: MD5 (RFC 2385) or TCP-AO (RFC 5925).
    pub authenticated: bool,
    /// The kinds in their order; of a header with nothing but padded timestamps, as nearly all have, it is not kept.
    pub layout: OptionLayout,
    /// Some of the options were not captured.
    pub cut: bool,
    /// An option's length contradicts the header.
    pub malformed: bool,
}

/// One segment. Lengths come from the IP header, never from what was captured.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// Position of its frame in the file, from 1.
    pub frame: u64,
    /// Which file of the run.
    pub file: u32,
    /// When it was captured.
    pub at: Timestamp,
    /// Sender.
    pub src: Endpoint,
    /// Receiver.
    pub dst: Endpoint,
    /// VLANs and tunnels around it.
    pub encap: EncapId,
    /// From the innermost IP header.
    pub ip: IpMeta,
    /// Sequence number of the first byte (of the SYN, if there is one).
    pub seq: SeqNumber,
    /// Acknowledgment number; has a meaning only with the ACK flag.
    pub ack: SeqNumber,
    /// Flags.
    pub flags: TcpFlags,
    /// Window as it stands in the header, not scaled.
    pub window: u16,
    /// Urgent pointer.
    pub urgent: u16,
    /// TCP checksum as it stands in the header (often not yet filled in at a sender's tap).
    pub checksum: u16,
    /// Options.
    pub options: TcpOptions,
    /// Payload bytes on the wire.
    pub payload_len: u32,
    /// Payload bytes that were captured, from the first on.
    pub payload: &'a [u8],
    /// Bytes of the whole frame on the wire.
    pub wire_len: u32,
}

impl Address {
    /// From an IPv4 address.
    pub const fn v4(octets: [u8; 4]) -> Self {
        Self(0xffff_0000_0000 | u32::from_be_bytes(octets) as u128)
    }

    /// From an IPv6 address.
    pub const fn v6(octets: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(octets))
    }

    /// What tells most addresses of one network apart.
    #[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
    #[inline]
    pub(crate) const fn low_bits(self) -> u64 {
        self.0 as u64
    }

    /// As the standard library has it.
    #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are the IPv4 address")]
    pub fn to_ip(self) -> IpAddr {
        if self.0 >> 32 == 0xffff {
            IpAddr::V4(Ipv4Addr::from(self.0 as u32))
        } else {
            IpAddr::V6(Ipv6Addr::from(self.0))
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_ip().fmt(f)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ip.to_ip() {
            IpAddr::V4(ip) => write!(f, "{ip}:{}", self.port),
            IpAddr::V6(ip) => write!(f, "[{ip}]:{}", self.port),
        }
    }
}

impl TcpFlags {
    /// No more data from the sender.
    pub const FIN: u16 = 1;
    /// Synchronize sequence numbers.
    pub const SYN: u16 = 2;
    /// Reset the connection.
    pub const RST: u16 = 4;
    /// Push.
    pub const PSH: u16 = 8;
    /// The acknowledgment field is significant.
    pub const ACK: u16 = 16;
    /// The urgent pointer is significant.
    pub const URG: u16 = 32;
    /// ECN echo (RFC 3168).
    pub const ECE: u16 = 64;
    /// Congestion window reduced (RFC 3168).
    pub const CWR: u16 = 128;
    /// Accurate ECN (RFC 9768), once the nonce sum.
    pub const AE: u16 = 256;

    /// Whether any of `mask` is set.
    pub const fn has(self, mask: u16) -> bool {
        self.0 & mask != 0
    }

    /// SYN without ACK: opens a connection.
    pub const fn is_open(self) -> bool {
        self.0 & (Self::SYN | Self::ACK | Self::RST) == Self::SYN
    }

    /// SYN with ACK: answers one.
    pub const fn is_open_answer(self) -> bool {
        self.0 & (Self::SYN | Self::ACK | Self::RST) == Self::SYN | Self::ACK
    }
}

impl TcpOptions {
    /// None at all.
    pub(crate) const NONE: Self = Self {
        mss: None,
        window_scale: None,
        sack_permitted: false,
        timestamps: None,
        sack: SackBlocks { count: 0, blocks: [(SeqNumber::new(0), SeqNumber::new(0)); 4] },
        fast_open: None,
        mptcp: 0,
        multipath: None,
        accurate_ecn: false,
        authenticated: false,
        layout: OptionLayout(0),
        cut: false,
        malformed: false,
    };
}

impl OptionLayout {
    /// Of these kinds.
    pub fn of(kinds: &[u8]) -> Self {
        let mut layout = Self::default();
        for &kind in kinds {
            layout.push(kind);
        }
        layout
    }

    /// The next option is of this kind.
    pub fn push(&mut self, kind: u8) {
        if self.0 >> 28 == 0 {
            self.0 = self.0 << 4 | u32::from(kind.min(15));
        }
    }
}

impl SackBlocks {
    /// Adds a block; a fifth is not kept, since a header has room for four.
    pub fn push(&mut self, start: SeqNumber, end: SeqNumber) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.count)) {
            *slot = (start, end);
            self.count += 1;
        }
    }

    /// The blocks in the order of the header.
    pub fn iter(&self) -> impl Iterator<Item = (SeqNumber, SeqNumber)> + '_ {
        self.blocks[..usize::from(self.count)].iter().copied()
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Segment<'static> {
    /// A pure acknowledgment from `src` to `dst`, all of it zero: what those who push segments of their own making start from.
    pub fn between(src: Endpoint, dst: Endpoint) -> Self {
        Self {
            frame: 0,
            file: 0,
            at: Timestamp::ZERO,
            src,
            dst,
            encap: EncapId::default(),
            ip: IpMeta::default(),
            seq: SeqNumber::default(),
            ack: SeqNumber::default(),
            flags: TcpFlags(TcpFlags::ACK),
            window: 0,
            urgent: 0,
            checksum: 0,
            options: TcpOptions::default(),
            payload_len: 0,
            payload: &[],
            wire_len: 0,
        }
    }
}

impl Segment<'_> {
    /// Sequence space it takes: its payload, and one each for SYN and FIN (RFC 9293 section 3.4).
    pub const fn seq_len(&self) -> u32 {
        let mut len = self.payload_len;
        if self.flags.has(TcpFlags::SYN) {
            len += 1;
        }
        if self.flags.has(TcpFlags::FIN) {
            len += 1;
        }
        len
    }

    /// Sequence number of its first payload byte.
    pub const fn data_seq(&self) -> SeqNumber {
        if self.flags.has(TcpFlags::SYN) { self.seq.add(1) } else { self.seq }
    }

    /// An acknowledgment and nothing else: no data, no SYN, FIN or RST.
    pub const fn is_pure_ack(&self) -> bool {
        self.payload_len == 0
            && self.flags.has(TcpFlags::ACK)
            && !self.flags.has(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST)
    }
}
