//! How one segment came by its verdict: what each rule saw of it. Written only for the one frame that is asked for.

use std::cmp::Ordering;
use std::ops::Range;

use super::evidence::{Context, Open};
use super::order::sent_order;
use super::origin::{Origin, Past};
use super::rules::RULES;
use super::scoreboard::{Copy, Entry};
use super::timing::Timing;
use super::trigger::{Episode, Situation};
use crate::analysis::grounds::{CAUSALITY, Ground, IP_ID_ORDER, TSVAL_ORDER};
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

    /// The segment passed, and `origin` is what was made of it; `copies` are those of its bytes that passed before.
    pub(super) fn on_old<'a>(
        &mut self,
        copy: &Copy,
        past: &Past<'_>,
        origin: Origin,
        copies: impl Iterator<Item = &'a Entry>,
    ) {
        let before = copies.max_by_key(|entry| entry.last.at);
        let hole = past
            .hole
            .map(|hole| (hole.bytes.start - self.origin..hole.bytes.end - self.origin, hole.opener.frame));
        let mut trail = Trail {
            copies: before.map_or(1, |entry| entry.copies.saturating_add(1)),
            first_frame: before.map(|entry| entry.first_frame),
            before: before.map(|entry| (entry.last.frame, entry.last.at)),
            hole,
            ..Trail::default()
        };
        let against = past.before.or_else(|| past.hole.map(|hole| &hole.opener));
        if let Some(other) = against
            && (past.before.is_none() || matches!(origin, Origin::Late(_)))
        {
            trail.rules = order_steps(copy, other, past, origin);
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

    /// Its verdict is final, and `by` is the rule that gave it.
    pub(super) fn on_closed(&mut self, open: &Open, context: &Context, by: &'static str) {
        let Some(trail) = &mut self.trail else { return };
        trail.open = false;
        let mut verdict = None;
        for rule in RULES {
            let holds = (rule.judge)(open, context).map(|(verdict, _)| verdict);
            let mut saw = (rule.saw)(open, context);
            if let Saw::Duplicate(_, bytes) = &mut saw.what {
                *bytes = bytes.start - self.origin..bytes.end - self.origin;
            }
            let decides = rule.id == by;
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

/// The tests of whether it is late or was sent again, in the order of [`super::origin::origin`].
fn order_steps(copy: &Copy, other: &Copy, past: &Past<'_>, origin: Origin) -> Vec<Step> {
    let late = if let Origin::Late(by) = origin { Some(by) } else { None };
    let told = sent_order(copy, other, past.ids_count);
    let told_by =
        |ground: &Ground| told.filter(|(_, by)| *by == ground).map(|(order, _)| order == Ordering::Less);
    let by_stamp = told_by(&TSVAL_ORDER).is_some();
    let stamps = match (copy.tsval, other.tsval) {
        (Some(mine), Some(theirs)) => Saw::Stamps(mine, other.frame, theirs),
        _ => Saw::Words("no timestamps"),
    };
    let ids = match (copy.id, other.id) {
        _ if by_stamp => Saw::Words("not needed"),
        (Some(mine), Some(theirs)) if past.ids_count => Saw::Ids(mine, other.frame, theirs),
        (Some(_), Some(_)) => Saw::Words("the host does not count its packets"),
        _ => Saw::Words("no IP identification"),
    };
    let least = past.least();
    let after = copy.at.since(other.at);
    let earlier = told.is_some_and(|(order, _)| order == Ordering::Less);
    let asked = !by_stamp && !earlier && past.hole.is_some();
    let gap = if asked { Saw::Gap(after, least) } else { Saw::Words("not needed") };
    let step = |ground: &Ground, holds: Option<bool>, saw| Step {
        id: ground.id,
        about: ground.about,
        holds,
        decides: late == Some(ground),
        saw,
    };
    vec![
        step(&TSVAL_ORDER, told_by(&TSVAL_ORDER), stamps),
        step(&IP_ID_ORDER, told_by(&IP_ID_ORDER), ids),
        step(&CAUSALITY, asked.then_some(after < least), gap),
    ]
}
