//! Flight and window after each thing that was sent or heard, as points for the report.

use super::{Band, DataSent, SenderModel, Told, WindowPoint};
use crate::cc::Phase;
use crate::report::WindowPhase;
use crate::units::{Span, Timestamp};

impl SenderModel {
    /// The congestion window as it is told.
    pub(super) fn told_window(&self) -> Option<u64> {
        self.last_point.and_then(|point| point.band).map(|band| band.window)
    }

    /// Whether the leading replica is below its threshold.
    pub(super) fn in_slow_start(&self) -> bool {
        self.replicas.as_ref().is_none_or(|replicas| {
            let lead = &replicas.lead().controller;
            let snapshot = lead.snapshot();
            if lead.governs_recovery() {
                // BBR has no threshold but a start of its own.
                return snapshot.phase.starts_with("startup");
            }
            snapshot.ssthresh.is_none_or(|threshold| snapshot.window < threshold)
        })
    }

    #[inline]
    pub(super) fn tell(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        if self.setup.wanted.series {
            self.tell_point(now, out);
        }
    }

    fn tell_point(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        let flight = self.board.in_flight();
        let spread = self.replicas.as_ref().map(|replicas| {
            let (low, high) = replicas.spread();
            (self.window.get() * low, self.window.get() * high)
        });
        let spread = spread.filter(|_| self.phase == Phase::Open);
        let band = self
            .governed()
            .map_or_else(|| self.window.band(flight, spread), |window| Band::around(window, flight));
        let phase = match self.phase {
            _ if self.receive == Some(0) => WindowPhase::Probe,
            Phase::Recovery | Phase::Reduction => WindowPhase::Recovery,
            Phase::Timeout => WindowPhase::Timeout,
            Phase::Open if self.in_slow_start() => WindowPhase::SlowStart,
            Phase::Open => WindowPhase::Avoidance,
        };
        // Where the tap is far from the sender, what passes it left the sender half a round trip before.
        let way = Span::from_nanos(self.line.up().as_nanos() / -2);
        let at = if self.line.is_near() { now } else { now + way };
        let point = WindowPoint { at, flight, band: Some(band), receive: self.receive, phase };
        if self.last_point.is_none_or(|last| WindowPoint { at: last.at, ..point } != last) {
            out(Told::Window(point));
            self.last_point = Some(point);
        }
    }

    /// After a segment was sent: what is in flight now is the window, or no more than it.
    pub(super) fn after_sending(&mut self, sent: &DataSent, out: &mut dyn FnMut(Told)) {
        let flight = self.board.in_flight();
        self.after = flight;
        self.last_sent = Some(sent.at);
        self.last_room = self.receive_room();
        let shut = self.receive_room().is_some_and(|room| room < self.mss());
        if let Some(round) = &mut self.rounds.now {
            round.peak = round.peak.max(flight);
            round.disturbed |= self.phase > Phase::Open;
            round.timed_out |= self.phase == Phase::Timeout;
            round.shut |= shut;
        }
        if self.phase >= Phase::Recovery {
            self.window.is(sent.at, flight.max(self.mss()));
        } else if self.phase < Phase::Recovery {
            self.window.at_least(flight);
        }
        let full = flight + self.mss() > self.window.get() as u64 || self.rounds.is_full();
        self.note_usage(full);
        self.judge_limit();
        self.tell(sent.at, out);
    }

    /// Room left in the receive window.
    pub(super) fn receive_room(&self) -> Option<u64> {
        Some(self.receive?.saturating_sub(self.board.outstanding()))
    }
}
