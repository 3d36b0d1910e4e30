//! The sender as its packets show it: what it has in flight, its round trips, its congestion window and which algorithm
//! sets it.
//!
//! A twin of the sender's kernel is fed with what it sent and what it heard, when it heard it ([`delay`]): the counters of its
//! scoreboard ([`board`]), its rate samples ([`rate`]), its RTT ([`rtt`]). Every congestion control runs beside it
//! ([`replica`]); the window shown by the flight corrects them, and they fill in where it is not shown ([`window`]).

// Windows and counts stay far below 2^63, and where a float becomes a count `as` saturates, which is wanted.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod board;
mod charge;
mod delay;
mod growth;
mod identify;
mod interval;
mod limits;
mod names;
mod numbers;
mod point;
mod probe;
mod rate;
mod recovery;
mod replica;
mod round;
pub(super) mod rtt;
mod staircase;
mod window;

use std::ops::Range;

pub(super) use delay::{Blocks, Heard};
pub(super) use interval::IntervalSpan;
pub(super) use limits::{Charges, LimitSpan};
pub(super) use window::Band;

use board::{Board, Delivered};
use delay::DelayLine;
use interval::IntervalClock;
use limits::LimitClock;
use probe::{Delivery, PathProbe};
use rate::RateEstimator;
use replica::Replicas;
use round::{Haste, Round, Rounds, Timing};
use rtt::{RttSample, RttStats};
use serde::{Deserialize, Serialize};
use window::WindowEstimate;

use crate::analysis::findings::Wanted;
use crate::cc::{CongestionKind, Phase, Sent};
use crate::report::{RoundRecord, Trace, Trigger, WindowPhase};
use crate::units::{Bytes, Rate, Span, Timestamp};

/// RFC 6928.
pub(super) const INITIAL_WINDOW: u32 = 10;

/// Segments after which replicas are worth their cost.
const WORTH: u64 = 32;

/// What the twin tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    /// A round trip.
    Rtt(RttSample),
    /// Flight and window.
    Window(WindowPoint),
    /// An interval is over.
    Interval(IntervalSpan),
    /// A stretch with one limit is over.
    Limit(LimitSpan),
}

/// Flight and window at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WindowPoint {
    /// The sender's time.
    pub(super) at: Timestamp,
    pub(super) flight: u64,
    pub(super) band: Option<Band>,
    pub(super) receive: Option<u64>,
    pub(super) phase: WindowPhase,
}

/// What is known of the connection when data flows.
#[derive(Clone, Copy, Debug)]
pub(super) struct SenderSetup {
    /// Payload of a full segment.
    pub(super) mss: u32,
    /// Both agreed on ECN.
    pub(super) ecn: bool,
    /// From the tap to the sender and back.
    pub(super) up: Option<Span>,
    /// Initial window in segments.
    pub(super) initial: u32,
    /// When the connection began to be opened, and when it was.
    pub(super) opening: Option<(Timestamp, Timestamp)>,
    /// It runs FreeBSD, whose window tells its kernel's clock.
    pub(super) freebsd: bool,
    pub(super) wanted: Wanted,
}

/// A segment with data, as the tap sees it.
#[derive(Clone, Debug)]
pub(super) struct DataSent {
    pub(super) at: Timestamp,
    pub(super) bytes: Range<i64>,
    /// Bytes of it never seen before.
    pub(super) fresh: u64,
    /// What made the sender send it again, if it did.
    pub(super) again: Option<Trigger>,
    /// `TSval` and `TSecr`.
    pub(super) stamps: Option<(u32, u32)>,
}

/// What is kept of a twin when its connection is over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SenderSummary {
    pub(super) rtt: RttStats,
    /// Congestion control and how sure that is, 0 to 1.
    #[serde(with = "names")]
    pub(super) algorithm: Option<(&'static str, f64)>,
    /// Algorithms with their mean errors, best first.
    #[serde(with = "names")]
    pub(super) ranking: Vec<(&'static str, f64)>,
    /// Time charged to each limit.
    pub(super) limits: Charges,
    #[serde(skip)]
    pub(super) trace: Option<Box<Trace>>,
}

/// What the end of a recovery needs to know whether it was needless.
#[derive(Clone, Copy, Debug, Default)]
struct Undo {
    first_tsval: Option<u32>,
    resent: u32,
    duplicates: u32,
}

/// The twin of one sender.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the sender")]
pub(super) struct SenderModel {
    setup: SenderSetup,
    board: Board,
    rate: RateEstimator,
    rtt: RttStats,
    line: DelayLine,
    replicas: Option<Box<Replicas>>,
    window: WindowEstimate,
    rounds: Rounds,
    phase: Phase,
    recovery_end: i64,
    undo: Option<Undo>,
    /// A tail loss probe is under way up to here, as a retransmission.
    probing: Option<i64>,
    /// Threshold that the leading replica set at the last reduction, bytes.
    threshold: Option<f64>,
    newest: Timestamp,
    reordering: bool,
    /// SACK blocks were heard at all: without them duplicates are counted, as the kernel does.
    blocks_seen: bool,
    receive: Option<u64>,
    /// Room in it after the last thing that was sent.
    last_room: Option<u64>,
    /// Smallest RTT of the last whole round.
    round_rtt: Option<Span>,
    last_heard: Option<Timestamp>,
    last_sent: Option<Timestamp>,
    /// In flight after the last thing that was sent; whether it was new.
    after: u64,
    answered: bool,
    /// The last ACK delivered a segment or more, so that an answer may be expected.
    owed: bool,
    /// Of the latest segment.
    haste: Haste,
    /// Mean time between two ACKs.
    spacing: Option<Span>,
    full_flag: bool,
    flight_peak: u64,
    usage_end: i64,
    lead_at_round: u64,
    /// The window grows slowly: the last round was none of slow start, or its flight was no larger than the one before.
    steady: bool,
    lost_at_round: u64,
    echo: Option<u32>,
    last_point: Option<WindowPoint>,
    /// The round under way and those before.
    record: RoundRecord,
    limits: LimitClock,
    intervals: IntervalClock,
    /// If anyone wants it.
    probe: Option<Box<PathProbe>>,
}

impl SenderModel {
    pub(super) fn new(setup: SenderSetup) -> Self {
        let mut line = DelayLine::default();
        if let Some(up) = setup.up {
            line.expect_up(up);
        }
        let mss = u64::from(setup.mss.max(1));
        Self {
            setup,
            board: Board::default(),
            rate: RateEstimator::default(),
            rtt: RttStats::default(),
            line,
            replicas: None,
            window: WindowEstimate::new(u64::from(setup.initial) * mss),
            rounds: Rounds::default(),
            phase: Phase::Open,
            recovery_end: 0,
            undo: None,
            probing: None,
            threshold: None,
            newest: Timestamp::MIN,
            reordering: false,
            blocks_seen: false,
            receive: None,
            last_room: None,
            round_rtt: None,
            last_heard: None,
            last_sent: None,
            after: 0,
            answered: false,
            owed: false,
            haste: Haste::None,
            spacing: None,
            full_flag: false,
            flight_peak: 0,
            usage_end: 0,
            lead_at_round: 0,
            steady: false,
            lost_at_round: 0,
            echo: None,
            last_point: None,
            record: RoundRecord::default(),
            limits: LimitClock::default(),
            intervals: IntervalClock::new(setup.wanted.interval),
            probe: setup.wanted.traces.then(|| Box::new(PathProbe::new(setup.freebsd))),
        }
    }

    /// Nothing follows: tells what was still open.
    pub(super) fn finish(&mut self, out: &mut dyn FnMut(Told)) {
        self.limits.finish(&mut |span| out(Told::Limit(span)));
        let window = self.told_window();
        self.intervals.finish(self.rtt.smoothed(), window, &mut |span| out(Told::Interval(span)));
    }

    /// What the report needs at the end.
    pub(super) fn summary(&self) -> SenderSummary {
        SenderSummary {
            rtt: self.rtt.clone(),
            algorithm: self.replicas.as_ref().and_then(|replicas| identify::identify(replicas)),
            ranking: self.replicas.as_ref().map(|replicas| replicas.ranking()).unwrap_or_default(),
            limits: self.limits.charges(),
            trace: None,
        }
    }

    /// The same, of a twin that is no longer needed; `rounds` tells whether they are worth keeping.
    pub(super) fn compact(mut self: Box<Self>, rounds: bool) -> SenderSummary {
        let trace = if rounds { self.take_trace().map(Box::new) } else { None };
        let mut summary = self.summary();
        summary.rtt.shrink();
        SenderSummary { trace, ..summary }
    }

    /// The rounds so far; forgets them.
    pub(super) fn take_trace(&mut self) -> Option<Trace> {
        let mut trace = self.probe.as_mut()?.take();
        trace.mss = Some(self.setup.mss);
        Some(trace)
    }

    fn mss(&self) -> u64 {
        u64::from(self.setup.mss.max(1))
    }

    /// A segment with data passes the tap.
    pub(super) fn on_data(&mut self, sent: &DataSent, out: &mut dyn FnMut(Told)) {
        if let Some((_, echo)) = sent.stamps {
            let took = self.line.on_echo(echo, sent.at);
            if let (Some(probe), Some(took), Phase::Open) = (&mut self.probe, took, self.phase)
                && !self.line.is_near()
            {
                probe.on_steady_rtt(sent.at, took);
            }
            if self.echo.is_none_or(|known| echo.wrapping_sub(known).cast_signed() > 0) {
                self.echo = Some(echo);
            }
        }
        self.note_silence(sent.at, out);
        self.hear_until(sent.at, out);
        self.pass_time(sent.at, sent.again == Some(Trigger::Rto), out);
        let again =
            sent.again.map_or(0, |_| (sent.bytes.end - sent.bytes.start).unsigned_abs().div_ceil(self.mss()));
        self.intervals.count(sent.at, sent.fresh, again);
        match sent.again {
            None => self.send_new(sent),
            Some(trigger) => self.send_again(sent, trigger),
        }
        self.after_sending(sent, out);
    }

    /// An acknowledgment passes the tap.
    pub(super) fn on_ack(&mut self, heard: &Heard, out: &mut dyn FnMut(Told)) {
        self.line.tick(heard);
        if let Some(probe) = &mut self.probe {
            probe.on_ack(heard);
        }
        if self.line.is_near() && heard.at >= self.last_sent.unwrap_or(Timestamp::MIN) {
            self.hear(heard, heard.at, out);
            return;
        }
        self.line.push(*heard);
        self.hear_until(heard.at, out);
    }

    /// Takes note of what an acknowledgment that `delivered` data shows of the path.
    fn look_at_path(&mut self, at: Timestamp, delivered: &Delivered, rtt: Option<Span>) {
        let (near, mss, phase) = (self.line.is_near(), self.mss(), self.phase);
        let Some(probe) = &mut self.probe else { return };
        let (arrived, advanced, newest) =
            (delivered.bytes, delivered.advanced > 0, delivered.newest.as_ref());
        let delivery = Delivery { at, delivered: self.rate.delivered, arrived, advanced, newest };
        probe.on_delivered(&delivery, rtt, mss, near);
        // What a lone segment's ACK waited for is not the path's.
        if let (Some(rtt), Phase::Open, true) = (rtt, phase, near && arrived > mss) {
            probe.on_steady_rtt(at, rtt);
        }
    }

    fn hear_until(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        while let Some((heard, at)) = self.line.pop(now, self.echo) {
            self.hear(&heard, at, out);
        }
    }

    fn send_new(&mut self, sent: &DataSent) {
        let idle = self.board.outstanding() == 0;
        let (start, now) = (self.board.next().max(sent.bytes.start), sent.at);
        if sent.bytes.end <= start {
            return;
        }
        if idle {
            self.restart_after_idle(now);
        }
        let size = (sent.bytes.end - start).unsigned_abs();
        let in_flight = self.board.in_flight() + size;
        let stamp = self.rate.stamp(now, idle, in_flight);
        self.board.push(start..sent.bytes.end, now, sent.stamps.map(|(value, _)| value), stamp);
        let full = size.is_multiple_of(self.mss());
        let since = |then: Option<Timestamp>| then.map(|then| now.since(then));
        let timing = Timing {
            heard: since(self.last_heard),
            sent: since(self.last_sent),
            spacing: self.spacing,
            afar: self.rtt.smoothed().filter(|_| !self.line.is_near()),
        };
        self.haste = Haste::of(&timing, self.haste);
        if self.rounds.now.is_none() {
            self.rounds.now = Some(Round::starting(self.board.next()));
            self.record.start = now;
        }
        self.record.sent += size;
        self.rounds.sent(size, full, self.mss(), self.haste);
        if idle && let Some(round) = &mut self.rounds.now {
            round.idle = true;
        }
        self.answered |= !idle;
        if idle {
            self.catch_up();
            if let Some(replicas) = &mut self.replicas {
                let event =
                    Sent { bytes: Bytes::new(size), in_flight: Bytes::new(in_flight), from_idle: true };
                replicas.on_sent(now, &event);
            }
        }
    }

    /// The window of the replica that the estimate follows.
    fn follower_window(&self) -> Option<u64> {
        self.replicas.as_ref().map(|replicas| replicas.follower().controller.window().get())
    }

    fn follower_threshold(&self) -> Option<u64> {
        self.replicas.as_ref()?.follower().controller.snapshot().ssthresh.map(Bytes::get)
    }

    /// The window of the leading replica, if that sets it in a recovery too.
    fn governed(&self) -> Option<u64> {
        let replicas = self.replicas.as_ref().filter(|replicas| replicas.is_governed())?;
        Some(replicas.lead().controller.window().get())
    }

    /// The sender hears an acknowledgment.
    fn hear(&mut self, heard: &Heard, now: Timestamp, out: &mut dyn FnMut(Told)) {
        self.pass_time(now, false, out);
        let prior = self.board.in_flight();
        let mut delivered = Delivered::default();
        if self.owed && self.phase == Phase::Open {
            self.rounds.heard(self.answered);
        }
        if let (Some(probe), Some(last), Phase::Open) = (&mut self.probe, self.last_heard, self.phase)
            && self.line.is_near()
        {
            probe.on_answer(last, self.answered.then_some(self.after));
        }
        if self.answered && self.phase == Phase::Open {
            self.window.answered(now, self.after, self.rounds.is_full());
        }
        self.answered = false;
        if let Some(last) = self.last_heard {
            let gap = now.since(last);
            let mean = self.spacing.unwrap_or(gap).as_nanos();
            self.spacing = Some(Span::from_nanos((mean - mean / 8).saturating_add(gap.as_nanos() / 8)));
        }
        self.last_heard = Some(now);
        self.board.acknowledge(heard.ack, &mut delivered);
        self.blocks_seen |= !heard.blocks.is_empty();
        if !self.blocks_seen {
            self.board.count_duplicates(heard.duplicate, self.mss(), &mut delivered);
        }
        for (at, (start, end)) in heard.blocks.iter().enumerate() {
            if !(at == 0 && heard.dsack) && start < end {
                self.board.sack(start..end, &mut delivered);
            }
        }
        self.receive = heard.window.or(self.receive);
        self.record.acks += 1;
        self.record.marked_acks += u32::from(heard.ece);
        self.record.delivered += delivered.bytes;
        self.owed = delivered.bytes >= self.mss();
        self.reordering |= heard.dsack || delivered.reordered;
        let rtt = self.measure(heard, now, &delivered, out);
        if let Some(newest) = delivered.newest {
            let took = now.since(newest.sent);
            if !newest.again || self.rtt.min().is_none_or(|least| took >= least) {
                self.newest = self.newest.max(newest.sent);
            }
        }
        let lost_before = self.rate.lost;
        if self.phase == Phase::Recovery {
            self.mark_lost();
        }
        self.leave(heard, now, &delivered);
        if heard.ece && self.setup.ecn && self.phase == Phase::Open {
            self.reduce(now, CongestionKind::Ecn);
            self.phase = Phase::Reduction;
            if let Some(threshold) = self.threshold {
                self.window.cut(threshold, 0.1);
            }
        }
        let sample = self.rate.on_delivered(now, delivered.bytes, delivered.newest.as_ref(), self.rtt.min());
        let lost = self.rate.lost - lost_before;
        let rate = sample.filter(|sample| !sample.app_limited).and_then(|sample| sample.rate());
        self.record.note(rtt, rate.map(Rate::as_bytes_per_sec));
        if delivered.bytes > 0 {
            self.look_at_path(heard.at, &delivered, rtt);
        }
        if let Some(probe) = self.probe.as_mut().filter(|_| self.setup.ecn) {
            probe.on_echo(heard.at, heard.ece, self.line.is_near());
        }
        self.grow(now, &delivered, lost, rtt, sample, prior);
        self.turn_round(now, out);
        self.judge_limit();
        self.tell(now, out);
    }
}
