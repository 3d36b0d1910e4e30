//! How a connection opens and closes, who is the client, and when a segment belongs to a new one instead.

use serde::{Deserialize, Serialize};

use super::{FlowKey, Handshake, PerSide, Side, Stream};
use crate::decode::{Segment, TcpFlags};
use crate::report::{ClosedBy, ConnectionState, RoleBasis};
use crate::seq::StreamOffset;
use crate::units::{Span, Timestamp};

/// Silence after which a SYN with the old number opens a new connection: 2 MSL (RFC 9293 section 3.4.2).
const REUSE_IDLE: Span = Span::from_secs(240);

/// How near a SYN's number must be to what a live connection sends to be taken for a stray of it. A random number
/// falls in there once in 2,000 times.
const NEAR: i64 = 1 << 20;

/// Ports from here on are given to clients by default (Linux' `ip_local_port_range`; IANA begins at 49152).
const EPHEMERAL: u16 = 32_768;

/// Packets from one side alone that show a connection without a handshake to be one. Fewer may be a flood from made-up addresses.
const CONFIRMED: u8 = 3;

/// What the table needs to know of a connection's age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A SYN that has no complete answer yet.
    HalfOpen,
    /// A packet or two out of nowhere that nothing answers.
    Unconfirmed,
    /// Open, or seen from its middle on.
    Open,
    /// Closed by both sides, or reset.
    Closed,
}

/// The state machine of one connection as seen from the wire.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Lifecycle {
    client: Side,
    role_basis: RoleBasis,
    handshake: Handshake,
    fins: PerSide<Option<StreamOffset>>,
    fin_acked: PerSide<bool>,
    first_fin: Option<Side>,
    reset: Option<Side>,
    refused: bool,
    /// A segment that only follows a handshake was seen, whether or not the handshake was.
    past_handshake: bool,
    /// Of one that began without a SYN: packets of that side that are still wanted before it counts as open.
    unconfirmed: (Side, u8),
    last: Timestamp,
}

impl Lifecycle {
    /// The connection that this segment is the first of.
    pub fn starting_with(segment: &Segment<'_>, key: &FlowKey, from: Side) -> Self {
        let (client, role_basis) = if segment.flags.is_open() {
            (from, RoleBasis::Syn)
        } else if segment.flags.is_open_answer() {
            (from.other(), RoleBasis::SynAck)
        } else {
            let score = |side| service_score(key.endpoint(side).port);
            match score(from).cmp(&score(from.other())) {
                std::cmp::Ordering::Less => (from, RoleBasis::Port),
                std::cmp::Ordering::Greater => (from.other(), RoleBasis::Port),
                std::cmp::Ordering::Equal => (from, RoleBasis::FirstSeen),
            }
        };
        Self {
            client,
            role_basis,
            handshake: Handshake::default(),
            fins: PerSide::default(),
            fin_acked: PerSide::default(),
            first_fin: None,
            reset: None,
            refused: false,
            past_handshake: false,
            unconfirmed: (from, if segment.flags.has(TcpFlags::SYN) { 0 } else { CONFIRMED }),
            last: segment.at,
        }
    }

    /// The client's side.
    pub const fn client(&self) -> Side {
        self.client
    }

    /// Why it is the client.
    pub const fn role_basis(&self) -> RoleBasis {
        self.role_basis
    }

    /// The handshake.
    pub const fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// Where the FIN of a side stands, after its last byte.
    pub fn fin(&self, side: Side) -> Option<StreamOffset> {
        self.fins[side]
    }

    /// Whether the segment opens a new connection between the same endpoints rather than going on with this one.
    #[inline]
    pub fn is_over_for(&self, segment: &Segment<'_>, from: Side, streams: &PerSide<Option<Stream>>) -> bool {
        if segment.flags.has(TcpFlags::SYN) {
            return self.is_over_for_syn(segment, from, streams);
        }
        self.is_over() && segment.at.since(self.last) >= REUSE_IDLE
    }

    fn is_over_for_syn(&self, segment: &Segment<'_>, from: Side, streams: &PerSide<Option<Stream>>) -> bool {
        let idle = segment.at.since(self.last) >= REUSE_IDLE;
        if segment.flags.is_open_answer() && self.asked_for(segment, from) {
            // Also a second answer to the same SYN (a proxy's, or one after a forged RST), however late.
            return false;
        }
        let Some(offer) = self.handshake.offer(from) else {
            return match &streams[from] {
                // Nothing of this side yet: the answer, or the other half of a simultaneous open.
                None => idle || self.stage() == Stage::Closed,
                // Its SYN was captured after its first data, or the capture began in the middle and this is another.
                Some(stream) => {
                    let first_data = stream.offset(segment.data_seq());
                    idle || first_data.get().unsigned_abs() > u64::from(u16::MAX)
                }
            };
        };
        if offer.isn == segment.seq {
            return idle;
        }
        if idle || self.stage() == Stage::Closed {
            return true;
        }
        if self.stage() == Stage::HalfOpen || segment.flags.is_open_answer() {
            return true;
        }
        streams[from].as_ref().is_none_or(|stream| {
            let at = stream.offset(segment.seq);
            let low = stream.acked().unwrap_or_else(|| stream.next());
            at < low.plus(-NEAR) || at > stream.next().plus(NEAR)
        })
    }

    /// Whether a SYN/ACK answers the SYN of this connection: it acknowledges the SYN, or the SYN and its data.
    fn asked_for(&self, answer: &Segment<'_>, from: Side) -> bool {
        self.handshake.offer(from.other()).is_some_and(|syn| {
            answer.ack == syn.isn.add(1) || answer.ack == syn.isn.add(syn.payload_len.wrapping_add(1))
        })
    }

    /// Whether it is open and neither opens nor closes, so that a segment without SYN, FIN or RST changes nothing in it but
    /// [`Self::heard_at`].
    pub const fn is_calm(&self) -> bool {
        self.past_handshake
            && self.unconfirmed.1 == 0
            && self.first_fin.is_none()
            && self.reset.is_none()
            && self.handshake.is_settled()
    }

    /// Takes note of when such a segment came.
    #[inline]
    pub fn heard_at(&mut self, at: Timestamp) {
        self.last = self.last.max(at);
    }

    /// Takes note of a segment; `start` is where its sequence number stands and `ack` what it acknowledges.
    #[inline]
    pub fn observe(
        &mut self,
        segment: &Segment<'_>,
        from: Side,
        start: StreamOffset,
        ack: Option<StreamOffset>,
    ) {
        self.last = self.last.max(segment.at);
        if self.unconfirmed.1 > 0 {
            self.unconfirmed.1 = if from == self.unconfirmed.0 { self.unconfirmed.1 - 1 } else { 0 };
        }
        let flags = segment.flags;
        if !flags.has(TcpFlags::SYN) {
            self.handshake.on_ack(segment, from);
            self.past_handshake |= !flags.has(TcpFlags::RST);
        }
        if self.first_fin.is_some()
            && let (Some(ack), Some(fin)) = (ack, self.fins[from.other()])
            && ack > fin
        {
            self.fin_acked[from.other()] = true;
        }
        if flags.has(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST) {
            self.observe_control(segment, from, start);
        }
    }

    fn observe_control(&mut self, segment: &Segment<'_>, from: Side, start: StreamOffset) {
        let flags = segment.flags;
        if flags.has(TcpFlags::SYN) && !flags.has(TcpFlags::RST) {
            self.handshake.on_syn(segment, from);
            if flags.is_open() && from != self.client && self.role_basis == RoleBasis::Syn {
                self.role_basis = RoleBasis::SimultaneousOpen;
            }
        }
        if flags.has(TcpFlags::FIN) && self.fins[from].is_none() {
            self.fins[from] = Some(start + segment.payload_len);
            self.first_fin.get_or_insert(from);
        }
        if flags.has(TcpFlags::RST) && self.reset.is_none() && !self.both_fins_acked() {
            self.refused = self.handshake.offer(from.other()).is_some()
                && self.handshake.offer(from).is_none()
                && !self.past_handshake;
            self.reset = Some(from);
        }
    }

    const fn both_fins_acked(&self) -> bool {
        self.fin_acked.low && self.fin_acked.high
    }

    /// Whether it is closed by both sides, or reset.
    #[inline]
    pub const fn is_over(&self) -> bool {
        self.reset.is_some() || self.both_fins_acked()
    }

    /// How far along it is, for the table.
    #[inline]
    pub fn stage(&self) -> Stage {
        if self.past_handshake && self.unconfirmed.1 == 0 && !self.is_over() {
            return Stage::Open;
        }
        self.stage_otherwise()
    }

    fn stage_otherwise(&self) -> Stage {
        if self.is_over() {
            Stage::Closed
        } else if matches!(self.state(), ConnectionState::SynSent | ConnectionState::SynReceived) {
            Stage::HalfOpen
        } else if self.unconfirmed.1 > 0 {
            Stage::Unconfirmed
        } else {
            Stage::Open
        }
    }

    /// How far it had come, for the report.
    pub fn state(&self) -> ConnectionState {
        if self.both_fins_acked() && self.reset.is_none() {
            return ConnectionState::Closed;
        }
        if self.reset.is_some() {
            return if self.refused { ConnectionState::Refused } else { ConnectionState::Reset };
        }
        if self.first_fin.is_some() {
            return ConnectionState::HalfClosed;
        }
        let (client, server) = (self.handshake.offer(self.client), self.handshake.offer(self.client.other()));
        match (client, server) {
            _ if self.past_handshake => ConnectionState::Established,
            (Some(_), None) if self.role_basis == RoleBasis::Syn => ConnectionState::SynSent,
            (_, Some(_)) => ConnectionState::SynReceived,
            _ => ConnectionState::Established,
        }
    }

    /// What ended it.
    pub fn closed_by(&self) -> Option<ClosedBy> {
        let by = |side, client, server| if side == self.client { client } else { server };
        if let Some(side) = self.reset {
            return Some(by(side, ClosedBy::ClientRst, ClosedBy::ServerRst));
        }
        self.first_fin.map(|side| by(side, ClosedBy::ClientFin, ClosedBy::ServerFin))
    }
}

/// How likely a port is a service's: the higher, the likelier.
const fn service_score(port: u16) -> u8 {
    match port {
        1..1024 => 2,
        1024..EPHEMERAL => 1,
        _ => 0,
    }
}
