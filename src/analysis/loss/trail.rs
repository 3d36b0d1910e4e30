//! How one segment came by its verdict: what each rule saw of it. Written only for the one frame that is asked for.

use std::ops::Range;

use super::evidence::{Context, Open};
use super::holes::Hole;
use super::order::sent_order;
use super::rules::RULES;
use super::scoreboard::Copy;
use super::timing::Timing;
use super::trigger::{Episode, Situation};
use crate::report::Vantage;
use crate::units::{Span, Timestamp};

/// All that was noted of one segment.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// Copies of its bytes that passed, itself included; 1 where none passed before it.
    pub copies: u16,
    /// Frame of the first copy.
    pub first_frame: Option<u64>,
    /// Frame and time of the latest copy before it.
    pub before: Option<(u64, Timestamp)>,
    /// The hole it fills, offsets as in the report, and the frame that showed the hole.
    pub hole: Option<(Range<i64>, u64)>,
    /// What its sender knew when it was sent again.
    pub sender: Option<SenderView>,
    /// The rules in their order.
    pub rules: Vec<Step>,
    /// Whether its verdict is still to come.
    pub open: bool,
}

/// What tells why the sender sent something again.
#[derive(Clone, Copy, Debug)]
pub struct SenderView {
    /// How long it had neither sent nor heard anything.
    pub silence: Span,
    /// Duplicate acknowledgments in a row.
    pub duplicate_acks: u32,
    /// Bytes selectively acknowledged above.
    pub sacked_above: u64,
    /// The smoothed round trip.
    pub round_trip: Span,
    /// The retransmission timeout it should have.
    pub timeout: Span,
    /// Whether the segment is the first that is not acknowledged.
    pub first_outstanding: bool,
    /// Whether it is the last that was sent.
    pub last_sent: bool,
}

/// One rule and what it saw.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rule, as in the evidence of the report.
    pub id: &'static str,
    /// What it looks at.
    pub about: &'static str,
    /// Whether it holds; `None` where it had nothing to look at, or was not needed.
    pub holds: Option<bool>,
    /// Whether it gave the verdict.
    pub decides: bool,
    /// What it saw.
    pub saw: Saw,
}

/// What a rule can see.
#[derive(Clone, Debug, PartialEq)]
pub enum Saw {
    /// Nothing in particular, in these words.
    Words(&'static str),
    /// A duplicate report in a frame, and the bytes it names.
    Duplicate(u64, Range<i64>),
    /// A frame that echoes a stamp, and this copy's own.
    Echo {
        /// The frame.
        frame: u64,
        /// Its `TSecr`.
        tsecr: u32,
        /// The `TSval` of the copy.
        tsval: u32,
    },
    /// The acknowledgment of its bytes.
    Acknowledged {
        /// Its frame.
        frame: u64,
        /// How long after the copy.
        after: Span,
        /// The least time an answer takes.
        least: Option<Span>,
    },
    /// A frame, in the words that follow its number.
    Frame(u64, &'static str),
    /// Where the tap stands.
    Vantage(Vantage),
    /// The stamps of two segments: this one's and that of another frame.
    Stamps(u32, u64, u32),
    /// The identifications of two segments: this one's and that of another frame.
    Ids(u16, u64, u16),
    /// How long after the hole showed it came, and the time an answer takes to come at the least.
    Gap(Span, Span),
}

/// The frame that is watched, if any, and its trail.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// 0 is none: frames are counted from 1.
    pub(super) frame: u64,
    origin: i64,
    trail: Option<Box<Trail>>,
}

/// What is known of a segment below the highest seen when it passes.
pub(super) struct Filler<'a> {
    pub(super) copy: &'a Copy,
    /// The latest copy before, the frame of the first, and how many there were.
    pub(super) before: Option<&'a (Copy, u64, u16)>,
    pub(super) hole: Option<&'a Hole>,
    /// What told the order in which they were sent.
    pub(super) by: &'static str,
    pub(super) late: bool,
}

impl Watch {
    pub(super) const fn begin(&mut self, frame: u64, origin: i64) {
        self.frame = frame;
        self.origin = origin;
    }

    pub(super) fn is_pending(&self) -> bool {
        self.trail.as_ref().is_some_and(|trail| trail.open)
    }

    pub(super) fn take(&mut self) -> Option<Trail> {
        self.trail.take().map(|trail| *trail)
    }

    /// The segment passed.
    pub(super) fn on_filler(&mut self, filler: &Filler<'_>, up: Option<Span>) {
        let before = filler.before;
        let hole = filler
            .hole
            .map(|hole| (hole.bytes.start - self.origin..hole.bytes.end - self.origin, hole.opener.frame));
        let mut trail = Trail {
            copies: before.map_or(1, |(.., copies)| copies.saturating_add(1)),
            first_frame: before.map(|(_, first, _)| *first),
            before: before.map(|(last, ..)| (last.frame, last.at)),
            hole,
            ..Trail::default()
        };
        let against = before.map(|(last, ..)| last).or(filler.hole.map(|hole| &hole.opener));
        if let Some(other) = against
            && (filler.late || before.is_none())
        {
            trail.rules = order_steps(filler, other, up);
        }
        self.trail = Some(Box::new(trail));
    }

    /// It was sent again: what had its sender heard?
    pub(super) fn on_sent_again(&mut self, now: &Situation<'_>, episode: &Episode, timing: &Timing) {
        if let Some(trail) = &mut self.trail {
            trail.open = true;
            trail.sender = Some(SenderView {
                // What is under way to the sender was not heard yet, and so is no silence below 0.
                silence: episode.silence(now.at, timing).max(Span::ZERO),
                duplicate_acks: episode.duplicate_acks(),
                sacked_above: now.sacked_above,
                round_trip: timing.round_trip(),
                timeout: timing.timeout(),
                first_outstanding: now.bytes.start <= now.una,
                last_sent: now.bytes.end >= now.next,
            });
        }
    }

    /// Its verdict is final, and `decided` is the rule that gave it.
    pub(super) fn on_closed(&mut self, open: &Open, context: &Context, decided: &'static str) {
        let Some(trail) = &mut self.trail else { return };
        trail.open = false;
        let mut verdict = None;
        for rule in RULES {
            let holds = (rule.judge)(open, context).map(|(verdict, _)| verdict);
            let mut saw = (rule.saw)(open, context);
            if let Saw::Duplicate(_, bytes) = &mut saw.what {
                *bytes = bytes.start - self.origin..bytes.end - self.origin;
            }
            let decides = rule.id == decided;
            // What would say otherwise was not asked any more.
            let needed = verdict.is_none() || holds.is_none() || holds == verdict;
            trail.rules.push(Step {
                id: rule.id,
                about: rule.about,
                holds: (needed && (saw.looked || holds.is_some())).then_some(holds.is_some()),
                decides,
                saw: if needed { saw.what } else { Saw::Words("not needed") },
            });
            if decides {
                verdict = holds;
            }
        }
    }
}

/// The tests of whether it is late or was sent again, in their order.
fn order_steps(filler: &Filler<'_>, other: &Copy, up: Option<Span>) -> Vec<Step> {
    let copy = filler.copy;
    let late = |by| (filler.by == by).then_some(filler.late);
    let stamps = match (copy.tsval, other.tsval) {
        (Some(mine), Some(theirs)) => Saw::Stamps(mine, other.frame, theirs),
        _ => Saw::Words("no timestamps"),
    };
    let ids = match (copy.id, other.id) {
        (Some(mine), Some(theirs)) if sent_order(copy, other, true).0.is_ne() => {
            Saw::Ids(mine, other.frame, theirs)
        }
        (Some(_), Some(_)) => Saw::Words("no difference that tells"),
        _ => Saw::Words("no IP identification"),
    };
    let undecided = filler.by.is_empty();
    let least = up.map_or(Span::ZERO, |up| Span::from_nanos(up.as_nanos() / 4 * 3));
    let not_needed = Saw::Words("not needed");
    let step =
        |id, about, holds: Option<bool>, saw| Step { id, about, holds, decides: holds == Some(true), saw };
    vec![
        step(
            "tsval-order",
            "sent before a segment that passed before it, by TSval",
            late("tsval-order"),
            stamps,
        ),
        step(
            "ip-id-order",
            "sent before a segment that passed before it, by IP identification",
            late("ip-id-order"),
            if filler.by == "tsval-order" { not_needed.clone() } else { ids },
        ),
        step(
            "causality",
            "came too soon to be an answer to the hole",
            undecided.then_some(filler.late),
            if undecided { Saw::Gap(copy.at.since(other.at), least) } else { not_needed },
        ),
    ]
}
