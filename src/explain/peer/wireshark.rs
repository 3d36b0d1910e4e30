//! The sequence analysis of Wireshark 4.0 (`tcp_analyze_sequence_number` in `epan/dissectors/packet-tcp.c`, described in
//! its User's Guide, section 7.5), at its default preferences.
//!
//! It looks at one direction's highest sequence number and the other's last acknowledgment, never at SACK or
//! timestamps. Names are those of the `tcp.analysis` fields. Two rules carry state that is left out here: MPTCP
//! operations, and the cap of the list of unacknowledged segments.

use super::{Conversations, Peer, is_plain};
use crate::decode::{Segment, TcpFlags};
use crate::flow::{PerSide, Side};
use crate::human;
use crate::report::explanation::PeerCall;
use crate::seq::SeqNumber;
use crate::units::{Span, Timestamp};

/// After a duplicate acknowledgment a fast retransmission comes within this.
const FAST: Span = Span::from_millis(20);

/// Stands in the counter of duplicate acknowledgments once bytes were acknowledged that had not been seen. It is as large
/// as the counter gets, so that the rule of fast retransmissions takes it for many.
const MARK: u32 = u32::MAX;

/// What counts as close behind the highest segment where no handshake was seen.
const NO_HANDSHAKE: Span = Span::from_millis(3);

/// The program.
#[derive(Debug, Default)]
pub struct Wireshark(Conversations<Conversation>);

/// What it keeps of a conversation.
#[derive(Clone, Debug, Default)]
struct Conversation {
    sides: PerSide<Half>,
    last_syn: Option<Timestamp>,
    /// SYN to the first segment with ACK alone.
    first_rtt: Option<Span>,
}

/// What it keeps of one direction. A number of 0 means "none yet", as there.
#[derive(Clone, Copy, Debug, Default)]
struct Half {
    base: Option<SeqNumber>,
    next: u32,
    next_at: Timestamp,
    highest_in_order: u32,
    last_ack: u32,
    last_ack_at: Timestamp,
    window: u16,
    duplicate_acks: u32,
    /// The window scale; `None` where it is not known.
    shift: Option<u8>,
    /// The last segment said that the window is that of a SYN, which is not scaled.
    unscaled: bool,
    last: Labels,
}

/// Labels of a segment that others' rules ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Labels {
    keep_alive: bool,
    window_probe: bool,
}

/// All that a rule may look at.
struct Moment<'a> {
    segment: &'a Segment<'a>,
    fwd: &'a Half,
    rev: &'a Half,
    first_rtt: Option<Span>,
}

/// One rule: its name, what it asks, and why it holds.
struct Rule {
    name: &'static str,
    /// If it holds, the rules after it in its table are not asked.
    ends: bool,
    holds: fn(&Moment<'_>) -> bool,
    why: fn(&Moment<'_>) -> String,
}

const ZERO_WINDOW_PROBE: &str = "zero_window_probe";
const KEEP_ALIVE: &str = "keep_alive";
const DUPLICATE_ACK: &str = "duplicate_ack";
const LOST_SEGMENT: &str = "lost_segment";

/// Asked of every segment, in this order.
const LABELS: &[Rule] = &[
    Rule {
        name: ZERO_WINDOW_PROBE,
        ends: true,
        holds: |now| now.len() == 1 && now.seq() == now.fwd.next && now.rev.window == 0,
        why: |_| "one byte at the next sequence number, against a closed window".to_owned(),
    },
    Rule {
        name: "zero_window",
        ends: false,
        holds: |now| now.segment.window == 0 && is_plain(now.segment),
        why: |_| "it advertises a window of 0".to_owned(),
    },
    Rule {
        name: LOST_SEGMENT,
        ends: false,
        holds: |now| {
            now.fwd.next != 0 && after(now.seq(), now.fwd.next) && !now.segment.flags.has(TcpFlags::RST)
        },
        why: |now| {
            let missing = u64::from(now.seq().wrapping_sub(now.fwd.next));
            format!("it begins {} beyond the highest byte seen", human::exact_bytes(missing))
        },
    },
    Rule {
        name: KEEP_ALIVE,
        ends: false,
        holds: |now| now.len() <= 1 && now.seq() == now.fwd.next.wrapping_sub(1) && is_plain(now.segment),
        why: |_| "at most one byte, one before the next sequence number".to_owned(),
    },
    Rule {
        name: "window_update",
        ends: false,
        holds: |now| now.repeats() && now.segment.window != 0 && now.segment.window != now.fwd.window,
        why: |_| "nothing but its window differs from the segment before".to_owned(),
    },
    Rule {
        name: "window_full",
        ends: false,
        holds: |now| now.len() > 0 && is_plain(now.segment) && now.rev.edge() == Some(now.end()),
        why: |_| "it goes to the very edge of the advertised window".to_owned(),
    },
    Rule {
        name: "keep_alive_ack",
        ends: true,
        holds: |now| now.repeats_window() && now.segment.window != 0 && now.rev.last.keep_alive,
        why: |_| "it repeats an acknowledgment after a keep-alive".to_owned(),
    },
    Rule {
        name: "zero_window_probe_ack",
        ends: true,
        holds: |now| now.repeats_window() && now.segment.window == 0 && now.rev.last.window_probe,
        why: |_| "it repeats an acknowledgment with window 0 after a probe".to_owned(),
    },
    Rule {
        name: DUPLICATE_ACK,
        ends: true,
        holds: |now| now.repeats_window() && now.segment.window != 0,
        why: |_| "no data, and the same sequence number, acknowledgment and window as before".to_owned(),
    },
];

/// Asked of segments that take sequence space and do not begin beyond the highest: the first that holds is the verdict.
const REPEATS: &[Rule] = &[
    Rule {
        name: "spurious_retransmission",
        ends: true,
        holds: |now| now.len() > 0 && now.rev.last_ack != 0 && !after(now.end(), now.rev.last_ack),
        why: |_| "all of it had been acknowledged when it passed".to_owned(),
    },
    Rule {
        name: "fast_retransmission",
        ends: true,
        holds: |now| {
            now.is_below()
                && now.rev.duplicate_acks >= 2
                && now.rev.last_ack == now.seq()
                && within(now.since(now.rev.last_ack_at), FAST)
        },
        why: |now| {
            format!(
                "{} for it, the last acknowledgment {} before it (the limit is 20 ms)",
                now.duplicate_acks(),
                human::span_ns(now.since(now.rev.last_ack_at).as_nanos())
            )
        },
    },
    Rule {
        name: "out_of_order",
        ends: true,
        holds: |now| {
            now.is_below()
                && within(now.since(now.fwd.next_at), now.closeness())
                && now.seq_end() != now.fwd.next
        },
        why: |now| {
            let limit =
                if now.first_rtt.is_some() { "the handshake's round trip" } else { "without a handshake" };
            format!(
                "it came {} after the highest segment; the limit is {} ({limit})",
                human::span_ns(now.since(now.fwd.next_at).as_nanos()),
                human::span_ns(now.closeness().as_nanos()),
            )
        },
    },
    Rule {
        name: "retransmission",
        ends: true,
        holds: |now| now.is_below(),
        why: |now| {
            let since = human::span_ns(now.since(now.fwd.next_at).as_nanos());
            format!(
                "below the highest byte seen, {since} after it and with {} before it, so neither fast nor out of order",
                now.duplicate_acks()
            )
        },
    },
];

impl Moment<'_> {
    const fn seq(&self) -> u32 {
        self.segment.seq.raw()
    }

    const fn ack(&self) -> u32 {
        self.segment.ack.raw()
    }

    const fn len(&self) -> u32 {
        self.segment.payload_len
    }

    const fn end(&self) -> u32 {
        self.seq().wrapping_add(self.len())
    }

    /// With one for SYN or FIN.
    const fn seq_end(&self) -> u32 {
        let flag = if self.segment.flags.has(TcpFlags::SYN | TcpFlags::FIN) { 1 } else { 0 };
        self.end().wrapping_add(flag)
    }

    fn since(&self, then: Timestamp) -> Span {
        self.segment.at.since(then)
    }

    /// As they are counted, in words.
    fn duplicate_acks(&self) -> String {
        match self.rev.duplicate_acks {
            MARK => "an acknowledgment of unseen bytes, which counts as many duplicate ACKs,".to_owned(),
            number => human::counted(number.into(), "duplicate ACK"),
        }
    }

    fn closeness(&self) -> Span {
        self.first_rtt.unwrap_or(NO_HANDSHAKE)
    }

    /// Neither data nor a new number.
    fn repeats(&self) -> bool {
        self.len() == 0
            && self.seq() == self.fwd.next
            && self.ack() == self.fwd.last_ack
            && is_plain(self.segment)
    }

    fn repeats_window(&self) -> bool {
        self.repeats() && self.segment.window == self.fwd.window
    }

    /// It begins below the highest number. One that begins with the byte of a window probe is new data.
    fn is_below(&self) -> bool {
        self.fwd.next != 0
            && after(self.fwd.next, self.seq())
            && !(self.len() > 1 && self.fwd.next.wrapping_sub(1) == self.seq())
    }
}

impl Half {
    /// The edge of the window it offers.
    fn edge(&self) -> Option<u32> {
        let shift = self.shift.map(|shift| if self.unscaled { 0 } else { shift })?;
        Some(self.last_ack.wrapping_add(u32::from(self.window) << shift))
    }
}

impl Conversation {
    fn observe(&mut self, segment: &Segment<'_>, from: Side, asked: bool) -> Vec<PeerCall> {
        let mut calls = Vec::new();
        let flags = segment.flags;
        if flags.has(TcpFlags::SYN) {
            self.on_syn(segment, from, &mut calls);
        }
        let (fwd, rev) = self.sides.split(from);
        let unseen = acks_unseen(segment, rev) && rev.on_unseen();
        // The number before the first byte, as if a SYN had been seen.
        fwd.base.get_or_insert_with(|| segment.seq.add(u32::MAX));
        if flags.has(TcpFlags::ACK) {
            rev.base.get_or_insert_with(|| segment.ack.add(u32::MAX));
        }
        let call = |rule: &Rule, now: &Moment<'_>| PeerCall {
            name: rule.name,
            why: if asked { (rule.why)(now) } else { String::new() },
        };
        let now = Moment { segment, fwd, rev, first_rtt: self.first_rtt };
        for rule in LABELS {
            if (rule.holds)(&now) {
                calls.push(call(rule, &now));
                if rule.ends {
                    break;
                }
            }
        }
        let has = |calls: &[PeerCall], name| calls.iter().any(|call| call.name == name);
        let labels =
            Labels { keep_alive: has(&calls, KEEP_ALIVE), window_probe: has(&calls, ZERO_WINDOW_PROBE) };
        if unseen {
            let why = "it acknowledges bytes that were not seen in order".to_owned();
            calls.push(PeerCall { name: "ack_lost_segment", why });
        }
        if (now.len() > 0 || flags.has(TcpFlags::SYN | TcpFlags::FIN)) && !labels.keep_alive {
            let verdict = REPEATS.iter().find(|rule| (rule.holds)(&now));
            calls.extend(verdict.map(|rule| call(rule, &now)));
        }
        let seq_end = now.seq_end();
        let duplicate = has(&calls, DUPLICATE_ACK);
        if duplicate {
            fwd.duplicate_acks =
                if fwd.duplicate_acks == MARK { 1 } else { fwd.duplicate_acks.saturating_add(1) };
        }
        if segment.ack.raw() != fwd.last_ack {
            fwd.duplicate_acks = 0;
        }
        fwd.on_sent(segment, seq_end, labels);
        self.on_handshake(segment, from);
        calls
    }

    /// A SYN with another number begins a new conversation.
    fn on_syn(&mut self, segment: &Segment<'_>, from: Side, calls: &mut Vec<PeerCall>) {
        let answer = segment.flags.has(TcpFlags::ACK);
        let fwd = &mut self.sides[from];
        match fwd.base {
            Some(base) if base != segment.seq => {
                // Only a SYN begins anew; an answer with another number goes on with what is known.
                if !answer {
                    *self = Self::default();
                }
                let why = "a SYN with another sequence number for addresses and ports in use".to_owned();
                calls.push(PeerCall { name: "reused_ports", why });
            }
            Some(_) if !answer => fwd.next = fwd.highest_in_order,
            _ => {}
        }
        self.sides[from].base = Some(segment.seq);
        if !answer {
            self.last_syn = Some(segment.at);
        }
    }

    /// Window scales, the first round trip, and the end.
    fn on_handshake(&mut self, segment: &Segment<'_>, from: Side) {
        let flags = segment.flags;
        let (fwd, rev) = self.sides.split(from);
        if flags.has(TcpFlags::SYN) {
            if let Some(shift) = segment.options.window_scale {
                fwd.shift = Some(shift);
            }
            // Scaling is in force only if both SYNs offered it.
            if flags.has(TcpFlags::ACK) && (fwd.shift.is_none() || rev.shift.is_none()) {
                (fwd.shift, rev.shift) = (Some(0), Some(0));
            }
        }
        fwd.unscaled = flags.has(TcpFlags::SYN);
        if !flags.has(TcpFlags::SYN)
            && flags.has(TcpFlags::ACK)
            && self.first_rtt.is_none()
            && let Some(syn) = self.last_syn
        {
            self.first_rtt = Some(segment.at.since(syn)).filter(|rtt| *rtt != Span::ZERO);
        }
    }
}

impl Half {
    /// The other side acknowledged bytes of this one that were not seen: whether that is worth a word.
    fn on_unseen(&mut self) -> bool {
        if after(self.next, self.highest_in_order) {
            self.highest_in_order = self.next;
            return true;
        }
        let first = self.duplicate_acks == 0;
        self.duplicate_acks = MARK;
        first
    }

    /// Takes note of a segment it sent, which ends before `end`.
    fn on_sent(&mut self, segment: &Segment<'_>, end: u32, labels: Labels) {
        if !labels.window_probe {
            let seq = segment.seq.raw();
            if self.next == 0 || after(end, self.next) {
                self.next = end;
                self.next_at = segment.at;
            }
            if self.highest_in_order == 0 || seq == self.highest_in_order {
                self.highest_in_order = self.next;
            }
        }
        self.window = segment.window;
        self.last_ack = segment.ack.raw();
        self.last_ack_at = segment.at;
        self.last = labels;
    }
}

impl Peer for Wireshark {
    fn program(&self) -> &'static str {
        "Wireshark"
    }

    fn version(&self) -> &'static str {
        "4.0"
    }

    fn observe(&mut self, segment: &Segment<'_>, asked: bool) -> Vec<PeerCall> {
        let (conversation, from) = self.0.of(segment);
        conversation.observe(segment, from, asked)
    }
}

/// Whether it acknowledges what was never seen in order.
fn acks_unseen(segment: &Segment<'_>, rev: &Half) -> bool {
    let seen = rev.highest_in_order;
    seen != 0 && segment.flags.has(TcpFlags::ACK) && after(segment.ack.raw(), seen)
}

/// Whether sequence number `a` comes after `b`.
const fn after(a: u32, b: u32) -> bool {
    SeqNumber::new(a).is_after(SeqNumber::new(b))
}

/// Whether a time is below the limit. One that runs backwards counts as very long: the difference is unsigned there.
fn within(took: Span, limit: Span) -> bool {
    !took.is_negative() && took < limit
}
