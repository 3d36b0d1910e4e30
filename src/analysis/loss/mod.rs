//! Lost, spurious or reordered: a verdict on every segment that was sent again or came late.
//!
//! The tap keeps the sender's scoreboard as it can ([`scoreboard`]), tells what was sent again from what was only late
//! ([`order`], [`holes`]), why the sender did it ([`trigger`]), and leaves each verdict open until the bytes are acknowledged
//! and no more evidence is to be expected ([`ledger`], [`rules`]).

mod acknowledged;
mod again;
mod events;
mod evidence;
mod frto;
mod holes;
mod inferred;
mod ledger;
mod order;
mod origin;
mod paws;
mod record;
mod rules;
mod scoreboard;
mod sent;
mod timing;
pub(super) mod trail;
mod trigger;
mod vantage;

use std::ops::Range;

pub(super) use order::IdClock;
pub(super) use record::{Closed, LossCounts, labelled};
pub use rules::loss_rules;
pub use vantage::Vantages;

use events::LossEvents;
use evidence::{Context, Open};
use frto::FRto;
use holes::Holes;
use inferred::TailLoss;
use ledger::Ledger;
use paws::Paws;
use record::length;
use scoreboard::{Copy, Scoreboard};
use timing::Timing;
use trail::{Trail, Watch};
use trigger::Episode;
use vantage::vantage;

use crate::decode::Segment;
use crate::report::{Trigger, Vantage, Verdict};
use crate::units::{Span, Timestamp};

/// The state of the stream when a segment passes, before the segment itself is added to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamState {
    /// After the last byte sent before.
    pub(super) next: i64,
    /// First byte that is not acknowledged; `None` where no acknowledgment was seen.
    pub(super) una: Option<i64>,
    /// Both ends agreed on SACK.
    pub(super) sack: bool,
    /// Whether bytes before the next are known to have been sent while the capture ran.
    pub(super) started: bool,
    /// The sender has hardly sent anything without data since the handshake.
    pub(super) sends_data_only: bool,
    /// The halves of the handshake on the sender's and on the receiver's side.
    pub(super) halves: Option<(Span, Span)>,
    /// Where the tap stands, if the user says so.
    pub(super) told: Option<Vantage>,
    /// Payload of a full packet on the wire.
    pub(super) full: u32,
}

/// What was acknowledged before an acknowledgment, and how many bytes it acknowledges beyond all that were seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckEdge {
    pub(super) una: Option<i64>,
    pub(super) unseen: i64,
    /// After the last byte known to have been sent.
    pub(super) next: i64,
}

/// What the stage made of a segment with data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// What made the sender send it again, if it did.
    pub(super) again: Option<Trigger>,
}

/// Verdicts on one direction of data.
#[derive(Clone, Debug)]
pub(super) struct LossStage {
    board: Scoreboard,
    holes: Holes,
    ledger: Ledger,
    ids: IdClock,
    timing: Timing,
    episode: Episode,
    tail: TailLoss,
    paws: Paws,
    frto: FRto,
    mss: u64,
    sack: bool,
    vantage: Option<Vantage>,
    /// The same as the user says.
    told: Option<Vantage>,
    counts: LossCounts,
    events: LossEvents,
    full: u64,
    /// What is to be explained, if it is of this direction.
    watch: Watch,
}

/// A round trip on the sender's side up to this is the sender's own delay.
const NEAR_SENDER: Span = Span::from_millis(1);

impl LossStage {
    pub(super) fn new() -> Self {
        Self {
            board: Scoreboard::default(),
            holes: Holes::default(),
            ledger: Ledger::default(),
            ids: IdClock::default(),
            timing: Timing::default(),
            episode: Episode::new(),
            tail: TailLoss::default(),
            paws: Paws::default(),
            frto: FRto::default(),
            mss: 1,
            sack: false,
            vantage: None,
            told: None,
            counts: LossCounts::default(),
            events: LossEvents::default(),
            full: 1,
            watch: Watch::default(),
        }
    }

    /// Closes the verdicts whose time has come.
    #[inline]
    fn close_due(&mut self, now: Timestamp, closed: &mut dyn FnMut(Closed)) {
        if self.ledger.is_empty() {
            return;
        }
        while let Some(open) = self.ledger.pop_due(now) {
            self.close(&open, closed);
        }
    }

    /// A packet without data shows that `bytes` were sent before it.
    pub(super) fn passed_over(&mut self, bytes: Range<i64>, segment: &Segment<'_>) {
        let tsval = segment.options.timestamps.map(|(value, _)| value);
        let copy = Copy { at: segment.at, frame: segment.frame, tsval, id: segment.ip.id, refused: false };
        self.holes.open(bytes, copy);
    }

    /// A packet without data passed from sender to receiver: it has a number too.
    #[inline]
    pub(super) fn on_other(&mut self, segment: &Segment<'_>) {
        self.ids.observe(segment.ip.id);
    }

    /// Whether the halves of the handshake have been learnt.
    pub(super) const fn knows_halves(&self) -> bool {
        self.vantage.is_some()
    }

    /// The halves of the handshake tell where the tap stands until better is known.
    fn learn_halves(&mut self, stream: &StreamState) {
        if self.vantage.is_some() {
            return;
        }
        if let Some((up, down)) = stream.halves {
            self.timing.up = Some(if stream.told == Some(Vantage::Sender) { Span::ZERO } else { up });
            self.vantage = Some(vantage(up, down));
        }
    }

    /// Before a tap beside the sender there is no path on which to be lost.
    fn has_way_before(&self) -> bool {
        match self.told {
            Some(Vantage::Sender) => false,
            Some(Vantage::Receiver | Vantage::Middle) => true,
            Some(Vantage::Unknown) | None => self.timing.up.is_some_and(|up| up > NEAR_SENDER),
        }
    }

    /// Where the tap stands.
    pub(super) fn vantage(&self) -> Vantage {
        self.told.or(self.vantage).unwrap_or_else(|| match (self.timing.up, self.timing.down.min()) {
            (Some(up), Some(down)) => vantage(up, down),
            _ => Vantage::Unknown,
        })
    }

    fn close(&mut self, open: &Open, closed: &mut dyn FnMut(Closed)) {
        let context = Context {
            sack: self.sack,
            min_down: self.timing.down.min(),
            vantage: self.vantage(),
            reorders: self.counts.spurious + self.counts.reordered > 0,
        };
        let ruling = rules::judge(open, &context);
        if open.copy.frame == self.watch.frame {
            self.watch.on_closed(open, &context, ruling.rule);
        }
        let segments = self.segments(&open.bytes);
        match ruling.verdict {
            Verdict::Lost => {
                self.counts.lost += 1;
                self.counts.lost_segments += segments;
                self.events.add(&open.bytes, open.copies_before.saturating_sub(1), segments);
            }
            Verdict::Spurious => {
                self.counts.spurious += 1;
                self.counts.spurious_segments += segments;
            }
            Verdict::Undecided => self.counts.undecided += 1,
            Verdict::Reordered => self.counts.reordered += 1,
        }
        closed(Closed {
            frame: open.copy.frame,
            at: open.copy.at,
            offset: open.bytes.start,
            len: length(&open.bytes),
            kind: open.kind,
            trigger: open.trigger,
            verdict: Some(ruling.verdict),
            evidence: ruling.rule,
            confidence: ruling.confidence,
            original_frame: open.original_frame,
        });
    }

    /// No more evidence will come.
    pub(super) fn finish(&mut self, closed: &mut dyn FnMut(Closed)) {
        while let Some(open) = self.ledger.pop() {
            self.close(&open, closed);
        }
    }

    pub(super) fn counts(&self) -> LossCounts {
        LossCounts { events: self.events.sum(), ..self.counts }
    }

    /// As how many packets the bytes are on the wire.
    #[inline]
    fn segments(&self, bytes: &Range<i64>) -> u64 {
        let len = bytes.end.abs_diff(bytes.start);
        if len <= self.full { 1 } else { len.div_ceil(self.full) }
    }

    /// Keeps the trail of the segment in `frame`; offsets in it count from `origin`.
    pub(super) const fn watch(&mut self, frame: u64, origin: i64) {
        self.watch.begin(frame, origin);
    }

    /// Whether its verdict is still to come.
    pub(super) fn is_pending(&self) -> bool {
        self.watch.is_pending()
    }

    /// What was written down of it.
    pub(super) fn take_trail(&mut self) -> Option<Trail> {
        self.watch.take()
    }
}
