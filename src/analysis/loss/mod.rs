//! Lost, spurious or reordered: a verdict on every segment that was sent again or came late.
//!
//! The tap keeps the sender's scoreboard as it can ([`scoreboard`]), tells what was sent again from what was only late
//! ([`order`], [`holes`]), why the sender did it ([`trigger`]), and leaves each verdict open until the bytes are acknowledged
//! and no more evidence is to be expected ([`ledger`], [`rules`]).

mod acknowledged;
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
mod timing;
pub(super) mod trail;
mod trigger;
mod vantage;

use std::cmp::Ordering;
use std::ops::Range;

pub(super) use order::IdClock;
pub(super) use record::{Closed, LossCounts, labelled};
pub use rules::loss_rules;
pub use vantage::Vantages;

use events::LossEvents;
use evidence::{Context, Open, Witness};
use frto::FRto;
use holes::Holes;
use inferred::{Arrival, TailLoss};
use ledger::Ledger;
use order::sent_order;
use origin::{Origin, Past, origin};
use paws::Paws;
use record::length;
use scoreboard::{Copy, Scoreboard};
use timing::Timing;
use trail::{Trail, Watch};
use trigger::{Episode, Situation};
use vantage::vantage;

use super::facts::Facts;
use super::grounds::{Ground, IP_ID_GAP};
use crate::decode::Segment;
use crate::report::{Kind, Trigger, Vantage, Verdict};
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

/// How long after its acknowledgment a byte may still come as out of order of the capture alone.
const LATE_STAMP: Span = Span::from_millis(2);

/// The same of what comes next in sequence, as where both directions were stamped by two clocks.
const LATE_NEXT: Span = Span::from_millis(20);

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

    /// A segment with data passed from sender to receiver. Gives what it was, or `None` if it was only late.
    #[inline]
    pub(super) fn on_data(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) -> Option<Passed> {
        let bytes = facts.data.get()..facts.data_end().get();
        let tsval = segment.options.timestamps.map(|(value, _)| value);
        let copy = Copy {
            at: segment.at,
            frame: segment.frame,
            tsval,
            id: segment.ip.id,
            refused: self.paws.refuses(tsval, bytes.start, stream.una),
        };
        self.sack = stream.sack;
        self.told = stream.told;
        self.full = u64::from(stream.full.max(1));
        self.counts.segments += self.segments(&bytes);
        self.learn_halves(stream);
        if let Some((_, echo)) = segment.options.timestamps
            && self.vantage.is_none()
        {
            self.timing.on_echo(echo, segment.at);
        }
        self.mss = self.mss.max(u64::from(facts.data_len).min(super::direction::LARGEST_MSS));
        let passed = if bytes.start >= stream.next {
            self.on_new(&bytes, copy, stream, closed);
            Some(Passed { again: None })
        } else {
            self.on_old(&bytes, copy, facts, stream, closed)
        };
        self.episode.on_sent(segment.at);
        self.close_due(segment.at, closed);
        passed
    }

    /// The same, of what begins where all that was sent ends, where all else is known that [`Self::on_data`] looks for: `una` is
    /// what was acknowledged before, and `full` the payload of a full packet. False if it is not, and nothing was done.
    #[inline]
    pub(super) fn on_next(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        una: i64,
        full: u32,
        closed: &mut dyn FnMut(Closed),
    ) -> bool {
        // Where there is a way before the tap, a first copy may have been lost on it.
        if self.vantage.is_none() || self.has_way_before() {
            return false;
        }
        let bytes = facts.data.get()..facts.data_end().get();
        let tsval = segment.options.timestamps.map(|(value, _)| value);
        let copy = Copy {
            at: segment.at,
            frame: segment.frame,
            tsval,
            id: segment.ip.id,
            refused: self.paws.refuses(tsval, bytes.start, Some(una)),
        };
        self.full = u64::from(full.max(1));
        self.counts.segments += self.segments(&bytes);
        self.mss = self.mss.max(u64::from(facts.data_len).min(super::direction::LARGEST_MSS));
        self.ids.observe(copy.id);
        self.board.push(bytes, copy);
        self.episode.on_sent(segment.at);
        self.close_due(segment.at, closed);
        true
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

    /// New bytes after all others, perhaps with a hole before them.
    #[inline]
    fn on_new(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) {
        let hole = stream.next..bytes.start;
        let known = stream.started;
        let moved = self.ids.observe(copy.id);
        let in_hole = if known { u64::try_from(hole.end - hole.start).unwrap_or(0) } else { 0 };
        if in_hole > 0 {
            self.holes.open(hole, copy);
        }
        if known && self.has_way_before() {
            self.infer_loss(bytes, copy, moved, in_hole, stream, closed);
        }
        self.board.push(bytes.clone(), copy);
    }

    /// New bytes whose first copy may have been lost before the tap.
    fn infer_loss(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        moved: Option<u16>,
        in_hole: u64,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) {
        let arrival = Arrival {
            moved: moved.filter(|_| self.ids.counts()).map_or(0, u64::from),
            packets: (bytes.end - bytes.start).unsigned_abs().div_ceil(self.mss),
            in_hole: in_hole.div_ceil(self.mss),
            timer: self.episode.is_timer(copy.at, &self.timing),
            timer_copies: self.episode.timeouts(copy.at, &self.timing).saturating_sub(1),
            no_hole: self.holes.is_empty() && stream.sends_data_only,
            mss: i64::try_from(self.mss).unwrap_or(i64::MAX),
        };
        if !self.tail.on_new(bytes, &arrival) {
            return;
        }
        let una = stream.una.unwrap_or(bytes.start);
        let situation = Situation {
            bytes,
            at: copy.at,
            una,
            next: bytes.end,
            sacked_above: self.board.sacked_after(una, 2 * self.mss),
            mss: self.mss,
            sack: stream.sack,
            stamped: copy.tsval.is_some(),
        };
        let trigger = self.episode.classify(&situation, &self.timing);
        self.counts.inferred += 1;
        closed(Closed {
            frame: copy.frame,
            at: copy.at,
            offset: bytes.start,
            len: length(bytes),
            kind: Kind::InferredLoss,
            trigger,
            verdict: Some(Verdict::Lost),
            evidence: IP_ID_GAP.id,
            confidence: IP_ID_GAP.confidence,
            original_frame: None,
        });
    }

    /// Bytes below the highest seen: a second copy, or what fills a hole.
    fn on_old(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        facts: &Facts,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) -> Option<Passed> {
        let hole = self.holes.fill(bytes);
        let before = self.board.overlapping(bytes.clone()).map(|entry| entry.last).max_by_key(|last| last.at);
        let copies_before =
            self.board.overlapping(bytes.clone()).map(|entry| entry.copies).max().unwrap_or(0);
        let una = stream.una;
        let delivered_before = una.is_some_and(|una| bytes.end <= una) || self.board.is_sacked(bytes);
        let all_fresh = facts.fresh == facts.data_len;
        let past = Past {
            before: before.as_ref(),
            hole: hole.as_ref(),
            missed: all_fresh && delivered_before,
            ids_count: self.ids.counts(),
            up: self.timing.up,
        };
        let (origin, order) = origin(&copy, &past);
        if copy.frame == self.watch.frame {
            self.watch.on_old(&copy, &past, origin, self.board.overlapping(bytes.clone()));
        }
        if let Origin::Late(by) = origin {
            self.on_late(bytes, copy, by, before.is_some(), closed);
            return None;
        }
        let missed = all_fresh && delivered_before && hole.is_none() && before.is_none();
        if missed && self.late_stamp(copy.at, self.board.end() == Some(bytes.start)) {
            self.board.replace(bytes.clone(), copy);
            return None;
        }
        if order == Ordering::Greater || before.is_some() {
            self.ids.observe(copy.id);
        }

        let left = una.unwrap_or(bytes.start);
        let situation = Situation {
            bytes,
            at: copy.at,
            una: left,
            next: stream.next,
            sacked_above: self.board.sacked_after(bytes.end, 2 * self.mss),
            mss: self.mss,
            sack: stream.sack,
            stamped: copy.tsval.is_some(),
        };
        if copy.frame == self.watch.frame {
            self.watch.on_sent_again(&situation, &self.episode, &self.timing);
        }
        let trigger = self.episode.classify(&situation, &self.timing);
        match trigger {
            Trigger::Rto => self.frto.on_timeout(bytes, copy.at, stream.next),
            _ => self.frto.on_again(),
        }
        let half = Span::from_nanos(self.timing.round_trip().as_nanos() / 2);
        let may_be_refused = before.is_some_and(|last| self.paws.may_be_refused(&last, bytes.start, half));
        self.paws.on_again(copy.at, bytes.start);
        let open = Open {
            bytes: bytes.clone(),
            copy,
            kind: Kind::Retransmission,
            trigger,
            copies_before,
            original_frame: before.map(|last| last.frame),
            before_tsval: before.and_then(|last| last.tsval),
            resent_by: if let Origin::Resent(by) = origin { by } else { "" },
            delivered_before,
            hole_reported: situation.sacked_above > 0 && !delivered_before,
            delivered: delivered_before.then_some(copy.at),
            echo: None,
            dsacked: false,
            jumped: false,
            overtaken: false,
            refused_before: before.is_some_and(|last| last.refused),
            may_be_refused,
            went_on: false,
            witness: Witness::default(),
        };
        self.counts.retransmitted_packets += 1;
        self.counts.retransmitted_segments += self.segments(bytes);
        self.counts.retransmitted_bytes += u64::from(facts.data_len - facts.fresh).max(if all_fresh {
            u64::from(facts.data_len)
        } else {
            0
        });
        self.board.replace(bytes.clone(), copy);
        let due = delivered_before.then(|| copy.at + self.timing.down.patience());
        self.ledger.add(open, due);
        Some(Passed { again: Some(trigger) })
    }

    /// A copy that was overtaken on its way.
    fn on_late(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        by: &Ground,
        seen_before: bool,
        closed: &mut dyn FnMut(Closed),
    ) {
        let counts = self.ids.counts();
        let sent_before = |open: &Open| {
            sent_order(&copy, &open.copy, counts).is_some_and(|(order, _)| order == Ordering::Less)
        };
        let overtook = self.ledger.overtaken(bytes, sent_before);
        self.ids.observe(copy.id);
        self.counts.reordered += 1;
        closed(Closed {
            frame: copy.frame,
            at: copy.at,
            offset: bytes.start,
            len: length(bytes),
            kind: Kind::Reordering,
            trigger: Trigger::Unknown,
            verdict: Some(Verdict::Reordered),
            evidence: by.id,
            confidence: by.confidence,
            original_frame: None,
        });
        if !overtook || !seen_before {
            self.board.replace(bytes.clone(), copy);
        }
    }

    /// Whether the acknowledgment that covers bytes seen only now is so recent that their order in the capture is at fault.
    fn late_stamp(&self, at: Timestamp, is_next: bool) -> bool {
        let most = if is_next { LATE_NEXT } else { LATE_STAMP };
        self.episode.last_heard().is_some_and(|heard| at.since(heard).abs() <= most)
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
