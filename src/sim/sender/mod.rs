//! The sending end: loss detection, recovery, timers and pacing around a congestion controller.
//!
//! Sources: Linux `net/ipv4/tcp_input.c`, `tcp_output.c`, `tcp_recovery.c`, `tcp_timer.c`; FreeBSD
//! `sys/netinet/tcp_sack.c`, `tcp_timer.c`; RFC 6675, RFC 6937, RFC 8985, RFC 5682 and RFC 4015 in part: a
//! spurious timeout is noticed by timestamps (Eifel), not by F-RTO's probes. All segments are full.

mod detect;
mod pacing;
mod prr;
mod rate;
mod rtt;
mod scoreboard;
mod undo;

use detect::LossDetector;
use pacing::Pacer;
use prr::Prr;
use rate::RateEstimator;
use rtt::RttEstimator;
use scoreboard::{Delivered, Scoreboard};
use undo::Undo;

use super::profile::Profile;
use super::receiver::Ack;
use crate::cc::{Acked, Congestion, CongestionKind, Controller, Phase, RateSample, Sent};
use crate::units::{Bytes, Rate, Span, Timestamp};

/// A segment to put on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub(super) number: u64,
    pub(super) again: bool,
}

/// The limits of a transfer, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most that may be unacknowledged.
    pub(super) window: u64,
    /// Segments to send in all.
    pub(super) total: u64,
}

#[derive(Debug)]
pub(super) struct Sender {
    mss: u32,
    controller: Box<dyn Controller>,
    board: Scoreboard,
    rtt: RttEstimator,
    rate: RateEstimator,
    detector: LossDetector,
    prr: Prr,
    undo: Undo,
    pacer: Pacer,
    paces: bool,
    /// Recovery costs nothing but the reduction.
    at_once: bool,
    tail_probe: Option<Span>,
    limits: Limits,
    /// Segments the application has written so far.
    available: u64,
    phase: Phase,
    /// Recovery or reduction ends when everything below is acknowledged.
    recovery_end: u64,
    min_rtt: Option<Span>,
    timeout_at: Option<Timestamp>,
    probe_at: Option<Timestamp>,
    /// A tail loss probe is under way: acknowledged beyond this it is over; and whether it was a
    /// retransmission.
    probing: Option<(u64, bool)>,
    forced: u32,
    timeouts: u32,
    window_full: bool,
    flight_peak: u32,
    usage_end: u64,
    marks_end: u64,
}

impl Sender {
    pub(super) fn new(
        profile: &Profile,
        hz: u32,
        mss: u32,
        limits: Limits,
        controller: Box<dyn Controller>,
    ) -> Self {
        Self {
            mss,
            controller,
            board: Scoreboard::default(),
            rtt: RttEstimator::new(profile.timer, hz),
            rate: RateEstimator::default(),
            detector: LossDetector::new(profile.detector),
            prr: Prr::default(),
            undo: Undo::new(profile.undoes),
            pacer: Pacer::new(profile.defers),
            paces: profile.paces,
            at_once: false,
            tail_probe: profile.tail_probe,
            limits,
            available: limits.total,
            phase: Phase::Open,
            recovery_end: 0,
            min_rtt: None,
            timeout_at: None,
            probe_at: None,
            probing: None,
            forced: 0,
            timeouts: 0,
            window_full: false,
            flight_peak: 0,
            usage_end: 0,
            marks_end: 0,
        }
    }

    /// From now on a loss costs nothing but the reduction, unless the controller sees to recoveries itself.
    pub(super) fn recover_at_once(&mut self) {
        self.at_once = !self.controller.governs_recovery();
    }

    /// The application has written so many segments in all.
    pub(super) fn set_available(&mut self, segments: u64) {
        self.available = segments.min(self.limits.total);
    }

    /// The handshake gave the first RTT sample.
    pub(super) fn on_handshake(&mut self, now: Timestamp, sent: Timestamp) {
        self.rtt.sample(now, sent, 0, 0);
        self.min_rtt = Some(now.since(sent));
    }

    /// Segments to send in all.
    pub(super) const fn total(&self) -> u64 {
        self.limits.total
    }

    /// Segments written so far, if all of them were sent and there will be more.
    pub(super) fn waits_for_application(&self) -> Option<u64> {
        (self.board.next() >= self.available && self.available < self.limits.total).then_some(self.available)
    }

    /// Segments sent and not yet acknowledged.
    pub(super) fn outstanding(&self) -> u32 {
        self.board.outstanding()
    }

    pub(super) const fn timeouts(&self) -> u32 {
        self.timeouts
    }

    /// The congestion window in segments.
    pub(super) fn window(&self) -> u32 {
        let own = (self.controller.window().get() / u64::from(self.mss)).max(1) as u32;
        match self.phase {
            Phase::Recovery | Phase::Reduction if !self.at_once && !self.controller.governs_recovery() => {
                self.prr.window()
            }
            _ => own,
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.controller.pacing_rate().filter(|_| self.paces)
    }

    const fn bytes(&self, segments: u32) -> Bytes {
        Bytes::new(segments as u64 * self.mss as u64)
    }

    /// When a timer is due, if one is set.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let or_never = |at: Option<Timestamp>| at.unwrap_or(Timestamp::MAX);
        let first = or_never(self.timeout_at).min(or_never(self.probe_at)).min(or_never(self.detector.due));
        (first < Timestamp::MAX).then_some(first)
    }

    /// When the pacer will let the next segment go, if that is what holds it back.
    pub(super) const fn paced_until(&self) -> Option<Timestamp> {
        self.pacer.blocked_until()
    }

    /// The next segment to send now, if any; it counts as sent.
    #[inline]
    pub(super) fn poll(&mut self, now: Timestamp) -> Option<Transmission> {
        let in_flight = self.board.in_flight();
        let window = self.window();
        let room = window.saturating_sub(in_flight);
        self.pacer.unblock();
        if room == 0 && self.forced == 0 {
            self.note_usage(true);
            return None;
        }
        let lost = self.board.next_lost();
        let number = match lost {
            Some(number) => number,
            None => self.next_new(now, room, window)?,
        };
        let rate = self.pacing_rate();
        if self.forced == 0 && !self.pacer.admit(now, rate, self.mss) {
            return None;
        }
        self.forced = self.forced.saturating_sub(1);
        self.transmit(now, number, lost.is_some());
        Some(Transmission { number, again: lost.is_some() })
    }

    /// The next new segment, unless application, receive window or the wish for a larger burst hold it back.
    fn next_new(&mut self, now: Timestamp, room: u32, window: u32) -> Option<u64> {
        let next = self.board.next();
        if next >= self.available {
            if next < self.limits.total {
                self.rate.set_app_limited(self.board.in_flight());
            }
            self.note_usage(false);
            return None;
        }
        if next >= self.board.una() + self.limits.window {
            self.note_usage(false);
            return None;
        }
        let idle = self.board.outstanding() == 0;
        if self.forced == 0 && !idle && self.phase < Phase::Recovery {
            let paced = self.pacing_rate().is_some();
            let smoothed = self.rtt.smoothed();
            if !paced && self.pacer.defers(now, room, window, smoothed, self.mss) {
                return None;
            }
        }
        Some(next)
    }

    fn transmit(&mut self, now: Timestamp, number: u64, again: bool) {
        let idle = self.board.outstanding() == 0;
        let (delivered, delivered_at, first_sent) = self.rate.stamp(now, idle);
        let in_flight = self.board.in_flight() + 1;
        let lost = self.rate.lost;
        let record = scoreboard::record(now, delivered, delivered_at, first_sent, in_flight, lost);
        let limited = self.rate.app_limited();
        let next = self.board.next();
        self.board.send(number, record, limited);
        if again {
            self.detector.on_resent(number, now, next);
            self.undo.on_resent(now);
        }
        self.prr.on_sent();
        self.pacer.on_sent(now);
        let sent = Sent { bytes: self.bytes(1), in_flight: self.bytes(in_flight), from_idle: idle };
        self.controller.on_sent(now, &sent);
        let full = self.board.in_flight() >= self.window();
        self.note_usage(full);
        // Sending the first unacknowledged segment again restarts the timer (`tcp_xmit_retransmit_queue`).
        if self.timeout_at.is_none() || (again && number == self.board.una()) {
            self.timeout_at = Some(now + self.rtt.timeout());
        }
        if idle || !again {
            self.arm_probe(now);
        }
    }

    /// `tcp_cwnd_validate`: whether the window was full at any time in the current window of data, and the
    /// most that was out in it.
    fn note_usage(&mut self, full: bool) {
        let out = self.board.outstanding();
        if self.board.una() >= self.usage_end || full || (!self.window_full && out > self.flight_peak) {
            self.window_full = full;
            self.flight_peak = out;
            self.usage_end = self.board.next();
        }
    }

    /// RFC 8985 section 7.2: two smoothed RTTs, and time for a delayed ACK if only one segment is out.
    fn arm_probe(&mut self, now: Timestamp) {
        self.probe_at = None;
        let (Some(least), Some(srtt)) = (self.tail_probe, self.rtt.smoothed()) else { return };
        if self.phase != Phase::Open || self.board.sacked_count() > 0 || self.probing.is_some() {
            return;
        }
        if self.board.outstanding() == 0 {
            return;
        }
        let extra = if self.board.outstanding() == 1 { Span::from_millis(200) } else { least };
        let at = now + srtt.scale(2.0) + extra;
        self.probe_at = self.timeout_at.is_none_or(|timeout| at < timeout).then_some(at);
    }

    /// A timer is due.
    pub(super) fn on_timer(&mut self, now: Timestamp) {
        if self.detector.due.is_some_and(|due| due <= now) {
            let lost = self.detect(now);
            if lost > 0 {
                self.on_loss(now);
            }
        } else if self.probe_at.is_some_and(|at| at <= now) {
            self.on_probe(now);
        } else if self.timeout_at.is_some_and(|at| at <= now) {
            self.on_timeout(now);
        }
    }

    fn on_probe(&mut self, now: Timestamp) {
        self.probe_at = None;
        let next = self.board.next();
        let new = next < self.available && next < self.board.una() + self.limits.window;
        if !new && next > self.board.una() {
            self.board.mark_lost(next - 1);
            self.rate.lost += 1;
        }
        self.forced = 1;
        self.probing = Some((next + u64::from(new), !new));
        self.timeout_at = Some(now + self.rtt.timeout());
    }

    fn on_timeout(&mut self, now: Timestamp) {
        self.timeouts += 1;
        let repeated = match self.phase {
            Phase::Timeout => true,
            Phase::Recovery => self.recovery_end > self.board.una(),
            Phase::Open | Phase::Reduction => false,
        };
        let in_flight = self.bytes(self.board.in_flight());
        self.rate.lost += u64::from(self.detector.on_timeout(now, &mut self.board));
        if !repeated {
            self.undo.start(self.board.una(), true, self.board.is_repairing());
        }
        self.controller
            .on_congestion(now, &Congestion { kind: CongestionKind::Timeout, in_flight, repeated });
        self.phase = Phase::Timeout;
        self.recovery_end = self.board.next();
        self.rtt.back_off();
        self.timeout_at = Some(now + self.rtt.timeout());
        self.probe_at = None;
        self.probing = None;
        self.detector.due = None;
        self.forced = 1;
    }

    fn detect(&mut self, now: Timestamp) -> u32 {
        let in_recovery = self.phase >= Phase::Recovery;
        let lost = self.detector.detect(now, &mut self.board, in_recovery, self.min_rtt, self.rtt.smoothed());
        self.rate.lost += u64::from(lost);
        lost
    }

    /// Losses were marked: fast recovery begins unless one is under way.
    fn on_loss(&mut self, now: Timestamp) {
        if self.phase >= Phase::Recovery {
            return;
        }
        self.undo.start(self.board.una(), false, self.board.is_repairing());
        self.reduce(now, CongestionKind::Loss, Phase::Recovery);
    }

    fn reduce(&mut self, now: Timestamp, kind: CongestionKind, phase: Phase) {
        let prior = self.window();
        let repeated = self.phase == Phase::Reduction;
        let in_flight = self.bytes(self.board.in_flight());
        self.controller.on_congestion(now, &Congestion { kind, in_flight, repeated });
        let target = (self.controller.window().get() / u64::from(self.mss)) as u32;
        self.prr.start(prior, target);
        if self.at_once {
            self.controller.on_recovered(now, self.bytes(target));
            self.forced = 1;
        }
        self.phase = phase;
        self.recovery_end = self.board.next();
        self.probe_at = None;
    }

    /// An ACK arrives.
    #[inline]
    pub(super) fn on_ack(&mut self, now: Timestamp, ack: &Ack) {
        self.forced = 0;
        let prior_in_flight = self.board.in_flight();
        let delivered = self.board.apply(ack);
        let rtt = self.measure(now, ack, &delivered);
        if ack.duplicate.is_some() && !self.probing.is_some_and(|(_, again)| again) {
            self.detector.on_duplicate(self.board.una(), self.board.next());
        }
        self.detector.on_delivered(now, &delivered, self.min_rtt);
        let lost = self.detect(now);
        self.end_probe(now, ack);
        self.advance(now, ack, &delivered);
        if lost > 0 || (self.phase == Phase::Open && self.board.lost_count() > 0) {
            self.on_loss(now);
        }
        let marked = ack.marked;
        if marked > 0 && self.board.una() >= self.marks_end {
            self.marks_end = self.board.next();
            if self.phase == Phase::Open {
                self.reduce(now, CongestionKind::Ecn, Phase::Reduction);
            }
        }
        if matches!(self.phase, Phase::Recovery | Phase::Reduction) {
            self.prr.on_ack(delivered.count, self.board.in_flight(), delivered.advanced, lost);
        }
        let newest = delivered.newest.map(|(_, segment)| segment);
        let sample = self.rate.on_delivered(now, delivered.count, newest.as_ref(), self.min_rtt, self.mss);
        let event = self.event(&delivered, (lost, marked), rtt, sample, prior_in_flight);
        self.controller.on_ack(now, &event);
        if delivered.advanced || delivered.count > 0 {
            self.rearm(now, delivered.advanced);
        }
    }

    /// What the controller is told of an ACK; of `(lost, marked)` segments among others.
    fn event(
        &self,
        delivered: &Delivered,
        (lost, marked): (u32, u32),
        rtt: Option<Span>,
        rate: Option<RateSample>,
        prior_in_flight: u32,
    ) -> Acked {
        Acked {
            bytes: self.bytes(delivered.count),
            lost: self.bytes(lost),
            marked: self.bytes(marked),
            rtt,
            srtt: self.rtt.smoothed(),
            min_rtt: self.min_rtt,
            rate,
            delivered: self.rate.delivered * u64::from(self.mss),
            in_flight: self.bytes(self.board.in_flight()),
            prior_in_flight: self.bytes(prior_in_flight),
            acked_to: self.board.una() * u64::from(self.mss),
            sent_to: self.board.next() * u64::from(self.mss),
            duplicate: !delivered.advanced && !self.at_once,
            window_full: self.window_full,
            flight_peak: self.bytes(self.flight_peak),
            acks: 1,
            apart: false,
            phase: if self.at_once && self.phase == Phase::Recovery { Phase::Open } else { self.phase },
        }
    }

    /// RTT samples; returns the one for the controller, of the last segment acknowledged that was sent once.
    fn measure(&mut self, now: Timestamp, ack: &Ack, delivered: &Delivered) -> Option<Span> {
        let (una, next) = (self.board.una(), self.board.next());
        let sample = match delivered.first_once {
            Some(sent) => Some(sent),
            None if delivered.advanced => Some(ack.echo),
            None => None,
        };
        if let Some(sent) = sample {
            self.rtt.sample(now, sent, una, next);
        }
        let rtt = delivered.last_once.map(|sent| now.since(sent))?;
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |held| held.min(rtt)));
        Some(rtt)
    }

    /// RFC 8985 section 7.4: a probe that repaired a loss counts as one.
    fn end_probe(&mut self, now: Timestamp, ack: &Ack) {
        let Some((end, again)) = self.probing else { return };
        if self.phase != Phase::Open {
            self.probing = None;
        } else if ack.next >= end {
            self.probing = None;
            if again && ack.duplicate.is_none() {
                self.reduce(now, CongestionKind::Loss, Phase::Reduction);
            }
        } else if again && ack.duplicate.is_some() {
            self.probing = None;
        }
    }

    /// The left edge moved or a duplicate was reported: undo, or the end of a recovery.
    fn advance(&mut self, now: Timestamp, ack: &Ack, delivered: &Delivered) {
        if self.phase == Phase::Open {
            return;
        }
        // `tcp_try_undo_partial`, which looks only at an ACK within the recovery.
        if self.phase == Phase::Recovery
            && self.board.una() < self.recovery_end
            && self.undo.is_original(ack, delivered.advanced)
        {
            self.detector.on_late_original();
        }
        if self.undo.on_ack(ack, delivered.advanced, self.board.resent_count() > 0) {
            self.controller.on_spurious(now);
            self.board.clear_lost();
            self.detector.on_undo();
            self.phase = Phase::Open;
            self.undo.stop(self.board.is_repairing());
        } else if self.board.una() >= self.recovery_end {
            let in_flight = self.bytes(self.board.in_flight());
            if self.phase == Phase::Recovery && !self.at_once {
                self.controller.on_recovered(now, in_flight);
            }
            if self.phase >= Phase::Recovery {
                self.detector.on_recovered();
            }
            self.phase = Phase::Open;
            self.undo.stop(self.board.is_repairing());
        }
    }

    fn rearm(&mut self, now: Timestamp, advanced: bool) {
        if self.board.outstanding() == 0 {
            self.timeout_at = None;
            self.probe_at = None;
            return;
        }
        if advanced {
            self.timeout_at = Some(now + self.rtt.timeout());
        }
        self.arm_probe(now);
    }
}

#[cfg(test)]
mod tests;
