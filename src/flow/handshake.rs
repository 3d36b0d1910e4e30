//! The handshake: what each side offered, what came of it, and how long its halves took.

use serde::{Deserialize, Serialize};

use super::{PerSide, Side};
use crate::decode::{FastOpen, OptionLayout, Segment, TcpFlags};
use crate::report::{Ecn, HandshakeReport};
use crate::seq::SeqNumber;
use crate::units::{Span, Timestamp};

/// What the SYN (or SYN/ACK) of one side offered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option that the SYN carries or not")]
pub struct SynOffer {
    /// Initial sequence number.
    pub isn: SeqNumber,
    /// When it was first seen.
    pub at: Timestamp,
    /// How often it was seen.
    pub count: u32,
    /// MSS option, bytes.
    pub mss: Option<u16>,
    /// Window scale option.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: bool,
    /// Fast Open option.
    pub fast_open: Option<FastOpen>,
    /// Payload bytes in it.
    pub payload_len: u32,
    /// Its options in order.
    pub layout: OptionLayout,
    /// TTL or hop limit of its packet.
    pub ttl: u8,
    /// Its options were cut by the snap length: what is missing above is not known.
    pub cut: bool,
    /// AE, CWR and ECE as bits 2, 1 and 0.
    ecn_bits: u8,
    answer: bool,
}

/// Both offers and the completing ACK.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Handshake {
    offers: PerSide<Option<SynOffer>>,
    completed: Option<Timestamp>,
    agreed: Agreed,
}

/// What follows from the offers and is asked for at every segment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Agreed {
    sack: bool,
    /// The smaller MSS.
    mss: Option<u16>,
    /// By how much windows are shifted, of each side.
    shifts: PerSide<Option<u8>>,
    /// Seen from either side, marks are counted in the header's flags.
    counts_marks: bool,
}

impl Default for Agreed {
    /// Without any SYN all is possible.
    fn default() -> Self {
        Self { sack: true, mss: None, shifts: PerSide::default(), counts_marks: false }
    }
}

impl SynOffer {
    fn of(segment: &Segment<'_>) -> Self {
        let (options, flags) = (&segment.options, segment.flags.0);
        let bit = |mask: u16, place: u8| u8::from(flags & mask != 0) << place;
        Self {
            isn: segment.seq,
            at: segment.at,
            count: 1,
            mss: options.mss,
            // RFC 7323 section 2.3: a shift above 14 is used as 14.
            window_scale: options.window_scale.map(|shift| shift.min(14)),
            sack_permitted: options.sack_permitted,
            timestamps: options.timestamps.is_some(),
            fast_open: options.fast_open,
            payload_len: segment.payload_len,
            layout: options.layout,
            ttl: segment.ip.ttl,
            cut: options.cut,
            ecn_bits: bit(TcpFlags::AE, 2) | bit(TcpFlags::CWR, 1) | bit(TcpFlags::ECE, 0),
            answer: segment.flags.is_open_answer(),
        }
    }
}

impl Handshake {
    /// Takes note of a SYN or SYN/ACK. One with another number than the first is counted but changes nothing.
    pub fn on_syn(&mut self, segment: &Segment<'_>, from: Side) {
        match &mut self.offers[from] {
            Some(offer) => {
                offer.count = offer.count.saturating_add(1);
                // A simultaneous open repeats its SYN with an ACK.
                offer.answer |= segment.flags.is_open_answer() && offer.isn == segment.seq;
            }
            empty @ None => *empty = Some(SynOffer::of(segment)),
        }
        self.agreed = self.agree();
    }

    fn agree(&self) -> Agreed {
        let both = [Side::Low, Side::High];
        let [low, high] = both.map(|side| self.offer(side));
        let sack = match (low, high) {
            (Some(low), Some(high)) => low.sack_permitted && high.sack_permitted,
            (one, other) => one.or(other).is_none_or(|offer| offer.sack_permitted),
        };
        let mss = match [low, high].map(|offer| offer.and_then(|offer| offer.mss)) {
            [Some(mine), Some(theirs)] => Some(mine.min(theirs)),
            [one, other] => one.or(other),
        };
        let [low, high] = both.map(|side| self.shift_of(side));
        let counts_marks = both.into_iter().any(|side| self.ecn(side) == Some(Ecn::Accurate));
        Agreed { sack, mss, shifts: PerSide { low, high }, counts_marks }
    }

    /// Takes note of a segment without SYN that may complete the handshake.
    #[inline]
    pub fn on_ack(&mut self, segment: &Segment<'_>, from: Side) {
        if self.completed.is_none()
            && let (Some(_), Some(answer)) = (&self.offers[from], &self.offers[from.other()])
            && answer.answer
            && segment.flags.has(TcpFlags::ACK)
            && !segment.flags.has(TcpFlags::RST)
            && segment.ack.is_after(answer.isn)
        {
            self.completed = Some(segment.at);
        }
    }

    /// What a side offered; `None` without its SYN.
    pub const fn offer(&self, side: Side) -> Option<&SynOffer> {
        match side {
            Side::Low => self.offers.low.as_ref(),
            Side::High => self.offers.high.as_ref(),
        }
    }

    /// Whether both SYNs and the ACK were seen.
    pub const fn is_complete(&self) -> bool {
        self.completed.is_some()
    }

    /// Whether no segment without SYN can change it any more.
    pub const fn is_settled(&self) -> bool {
        self.completed.is_some() || self.offers.low.is_none() || self.offers.high.is_none()
    }

    /// How far windows sent by `side` are shifted, SYNs aside: `None` where that cannot be known.
    ///
    /// RFC 7323 section 2.2: scaling is in force only if both SYNs carried the option.
    pub fn window_shift(&self, side: Side) -> Option<u8> {
        self.agreed.shifts[side]
    }

    fn shift_of(&self, side: Side) -> Option<u8> {
        let (mine, theirs) = (self.offer(side)?, self.offer(side.other()));
        match (mine.window_scale, theirs) {
            (None, _) if !mine.cut => Some(0),
            (_, Some(theirs)) if theirs.window_scale.is_none() && !theirs.cut => Some(0),
            (Some(shift), Some(theirs)) if theirs.window_scale.is_some() => Some(shift),
            // An answer may only carry the option if the SYN did (section 2.2), so one side is enough here.
            (Some(shift), None) if mine.answer => Some(shift),
            _ => None,
        }
    }

    /// What became of ECN; `None` without any SYN.
    ///
    /// RFC 3168 section 6.1.1 and RFC 9768 section 3.1.2, table 2: bits are AE, CWR, ECE.
    pub fn ecn(&self, client: Side) -> Option<Ecn> {
        let ask = self.offer(client).map(|offer| offer.ecn_bits);
        let answer = self.offer(client.other()).filter(|offer| offer.answer).map(|offer| offer.ecn_bits);
        Some(match (ask, answer) {
            (None, None) => return None,
            (Some(0b111), Some(0b010 | 0b011 | 0b100 | 0b110)) => Ecn::Accurate,
            (Some(0b111 | 0b011), Some(0b001 | 0b101)) | (None, Some(0b001)) => Ecn::Classic,
            (Some(0b111 | 0b011), None) => Ecn::Requested,
            _ => Ecn::Off,
        })
    }

    /// Whether both ends agreed on SACK, or the one whose SYN was seen offered it.
    pub const fn sack_agreed(&self) -> bool {
        self.agreed.sack
    }

    /// Whether marks are counted in the header's flags (RFC 9768): ECE is then a bit of a number.
    pub const fn counts_marks(&self) -> bool {
        self.agreed.counts_marks
    }

    /// When the first SYN passed and when the handshake was complete; `None` where either was not seen.
    pub fn opening(&self) -> Option<(Timestamp, Timestamp)> {
        let first = [Side::Low, Side::High]
            .into_iter()
            .filter_map(|side| self.offer(side))
            .map(|offer| offer.at)
            .min()?;
        Some((first, self.completed?))
    }

    /// Payload of a full packet: the smaller MSS of both, less the timestamps, which the option does not count (RFC 6691);
    /// `None` without any SYN that tells.
    #[inline]
    pub fn full_size(&self, stamped: bool) -> Option<u32> {
        let least = self.agreed.mss?;
        Some(u32::from(least).saturating_sub(if stamped { 12 } else { 0 }).max(1))
    }

    /// The round trip of the handshake from the tap to `side`: `None` where what it answers was repeated (Karn), and where both answered.
    pub fn half(&self, side: Side) -> Option<Span> {
        match (self.offer(side)?.answer, self.offer(side.other())?.answer) {
            (true, false) => self.legs(side.other()).0,
            (false, true) => self.legs(side).1,
            _ => None,
        }
    }

    /// The round trips from the tap to the server and to `client`, each where what it answers was not repeated (Karn) and the stamps are
    /// possible.
    fn legs(&self, client: Side) -> (Option<Span>, Option<Span>) {
        let Some(answer) = self.offer(client.other()).filter(|offer| offer.answer) else {
            return (None, None);
        };
        let server = self.offer(client).filter(|syn| syn.count == 1).map(|syn| answer.at.since(syn.at));
        let back = self.completed.filter(|_| answer.count == 1).map(|completed| completed.since(answer.at));
        let possible = |span: &Span| !span.is_negative();
        (server.filter(possible), back.filter(possible))
    }

    /// The round trips of the handshake from the tap to `side` and to the other: `None` without a clean handshake.
    pub fn halves(&self, side: Side) -> Option<(Span, Span)> {
        let completed = self.completed?;
        let client =
            if self.offer(Side::Low).is_some_and(|offer| !offer.answer) { Side::Low } else { Side::High };
        let (syn, answer) = (self.offer(client)?, self.offer(client.other())?);
        if syn.count > 1 || answer.count > 1 || !answer.answer {
            return None;
        }
        let (to_server, to_client) = (answer.at.since(syn.at), completed.since(answer.at));
        if to_server.is_negative() || to_client.is_negative() {
            return None;
        }
        Some(if side == client { (to_client, to_server) } else { (to_server, to_client) })
    }

    /// The report's part. Halves are left out where a repeated SYN makes them ambiguous (Karn).
    pub fn report(&self, client: Side) -> HandshakeReport {
        let (syn, answer) = (self.offer(client), self.offer(client.other()).filter(|offer| offer.answer));
        let (server_rtt, client_rtt) = self.legs(client);
        let micros = |span: Span| span.as_micros_f64();
        HandshakeReport {
            server_rtt_us: server_rtt.map(micros),
            client_rtt_us: client_rtt.map(micros),
            rtt_us: server_rtt.zip(client_rtt).map(|(server, client)| micros(server + client)),
            syn_retransmissions: syn.map_or(0, |offer| offer.count - 1),
            syn_ack_retransmissions: answer.map_or(0, |offer| offer.count - 1),
        }
    }
}
