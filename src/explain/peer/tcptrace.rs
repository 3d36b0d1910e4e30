//! How tcptrace 6.6 counts a segment (`rexmit.c` and `trace.c`; names are those of its long output).
//!
//! It keeps which sequence space it has seen. What overlaps it was sent again, what begins below its end without
//! overlap came out of order; time, acknowledgments and timestamps play no part. Hardware duplicates are looked for
//! only on request there, and so not here.

use super::{Conversations, Peer};
use crate::analysis::ranges::RangeSet;
use crate::decode::{Segment, TcpFlags};
use crate::flow::{PerSide, Side};
use crate::human;
use crate::report::explanation::PeerCall;
use crate::seq::{SeqNumber, StreamOffset, Unwrapper};
use crate::units::{Span, Timestamp};

/// A connection that was silent for so long is over: two maximum segment lifetimes.
const IDLE: Span = Span::from_secs(240);

/// Most stretches of seen sequence space that are kept; the lowest are forgotten beyond it.
const MOST: usize = 1 << 14;

/// The program.
#[derive(Debug, Default)]
pub struct Tcptrace(Conversations<Conversation>);

/// What it keeps of a connection.
#[derive(Clone, Debug, Default)]
struct Conversation {
    sides: PerSide<Half>,
    last: Option<Timestamp>,
}

/// What it keeps of one direction.
#[derive(Clone, Debug, Default)]
struct Half {
    place: Option<Unwrapper>,
    syn: Option<SeqNumber>,
    seen: RangeSet,
    /// Highest acknowledgment it sent.
    acked: Option<SeqNumber>,
    window: u16,
}

/// All that a rule may look at.
struct Moment<'a> {
    segment: &'a Segment<'a>,
    fwd: &'a Half,
    rev: &'a Half,
    /// Sequence space of the segment, SYN and FIN included.
    bytes: std::ops::Range<i64>,
    /// How much of it was seen before.
    overlap: u64,
}

/// One rule: its name, what it asks, and why it holds.
struct Rule {
    name: &'static str,
    holds: fn(&Moment<'_>) -> bool,
    why: fn(&Moment<'_>) -> String,
}

/// All that hold are counted. The first counts repeated SYNs and FINs too, whatever its name.
const RULES: &[Rule] = &[
    Rule {
        name: "rexmt data pkts",
        holds: |now| now.overlap > 0,
        why: |now| {
            let all = now.overlap == (now.bytes.end - now.bytes.start).unsigned_abs();
            let part = if all { "all".to_owned() } else { human::exact_bytes(now.overlap) };
            format!("{part} of its sequence space was seen before")
        },
    },
    Rule {
        name: "outoforder pkts",
        holds: |now| {
            now.bytes.start < now.bytes.end
                && now.overlap == 0
                && now.fwd.seen.last().is_some_and(|last| now.bytes.start < last.end)
        },
        why: |_| "it begins below what was seen and overlaps none of it".to_owned(),
    },
    Rule {
        name: "zwnd probe pkts",
        holds: |now| now.segment.payload_len == 1 && now.rev.acked.is_some() && now.rev.window == 0,
        why: |_| "one byte against a closed window".to_owned(),
    },
    Rule {
        name: "duplicate acks",
        holds: |now| {
            let outstanding = now.rev.highest().zip(now.fwd.acked);
            now.segment.is_pure_ack()
                && now.fwd.acked == Some(now.segment.ack)
                && now.segment.window == now.fwd.window
                && outstanding.is_some_and(|(highest, acked)| highest.is_after(acked))
        },
        why: |_| {
            "no data, and the same acknowledgment and window as before while data is outstanding".to_owned()
        },
    },
];

impl Half {
    /// After the highest sequence number seen.
    fn highest(&self) -> Option<SeqNumber> {
        let end = self.seen.last()?.end;
        Some(self.place?.number(StreamOffset::new(end)))
    }

    fn place(&mut self, number: SeqNumber) -> i64 {
        let place = self.place.get_or_insert_with(|| Unwrapper::anchored(number, StreamOffset::ZERO));
        place.offset(number).get()
    }
}

impl Conversation {
    fn observe(&mut self, segment: &Segment<'_>, from: Side, asked: bool) -> Vec<PeerCall> {
        if self.is_over_for(segment, from) {
            *self = Self::default();
        }
        let (fwd, rev) = self.sides.split(from);
        let start = fwd.place(segment.seq);
        // The text of an RST is no data.
        let reset = segment.flags.has(TcpFlags::RST);
        let bytes = start..start + if reset { 0 } else { i64::from(segment.seq_len()) };
        let overlap = fwd.seen.overlap(&bytes);
        let now = Moment { segment, fwd, rev, bytes: bytes.clone(), overlap };
        let calls = RULES
            .iter()
            .filter(|rule| (rule.holds)(&now))
            .map(|rule| PeerCall {
                name: rule.name,
                why: if asked { (rule.why)(&now) } else { String::new() },
            })
            .collect();
        if bytes.start < bytes.end {
            fwd.seen.insert(bytes.clone());
            if fwd.seen.len() > MOST {
                fwd.seen.remove_before(bytes.start);
            }
            if let Some(place) = &mut fwd.place {
                place.advance(segment.seq);
            }
        }
        if segment.flags.has(TcpFlags::SYN) {
            fwd.syn = Some(segment.seq);
        }
        if segment.flags.has(TcpFlags::ACK) && !reset {
            if fwd.acked.is_none_or(|acked| segment.ack.is_after(acked)) {
                fwd.acked = Some(segment.ack);
            }
            fwd.window = segment.window;
        }
        self.last = Some(segment.at);
        calls
    }

    /// A SYN with another number than before, or a long silence, begins another connection.
    fn is_over_for(&self, segment: &Segment<'_>, from: Side) -> bool {
        let idle = self.last.is_some_and(|last| segment.at.since(last) >= IDLE);
        let other = self.sides[from].syn.is_some_and(|known| known != segment.seq);
        idle || segment.flags.is_open() && other
    }
}

impl Peer for Tcptrace {
    fn program(&self) -> &'static str {
        "tcptrace"
    }

    fn version(&self) -> &'static str {
        "6.6"
    }

    fn observe(&mut self, segment: &Segment<'_>, asked: bool) -> Vec<PeerCall> {
        let (conversation, from) = self.0.of(segment);
        conversation.observe(segment, from, asked)
    }
}
