//! Which limit holds after each thing that was sent or heard.

use super::{SenderModel, Told};
use crate::cc::Phase;
use crate::report::Limit;
use crate::units::{Span, Timestamp};

/// A queue stands where even the smallest RTT of a round is this much above the smallest of all.
const QUEUE_SHARE: f64 = 0.1;
const QUEUE: Span = Span::from_millis(1);

impl SenderModel {
    /// Charges the time since the last event; `timer` tells that a retransmission timer ended it.
    #[inline]
    pub(super) fn pass_time(&mut self, now: Timestamp, timer: bool, out: &mut dyn FnMut(Told)) {
        if self.setup.opening.is_some() {
            self.charge_opening(out);
        }
        let instead = timer.then_some(Limit::Timeout);
        self.limits.advance(now, instead, &mut |span| out(Told::Limit(span)));
        if self.setup.wanted.series {
            self.pass_intervals(now, out);
        }
    }

    /// The time before the first data.
    #[cold]
    fn charge_opening(&mut self, out: &mut dyn FnMut(Told)) {
        let Some((start, end)) = self.setup.opening.take() else { return };
        let tell = &mut |span| out(Told::Limit(span));
        self.limits.advance(start, None, tell);
        self.limits.now = Limit::Handshake;
        self.limits.advance(end, None, tell);
        self.limits.turn(end, tell);
        self.limits.now = Limit::Application;
    }

    fn pass_intervals(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        let window = self.told_window();
        let smoothed = self.rtt.smoothed();
        self.intervals.advance(now, smoothed, window, &mut |span| out(Told::Interval(span)));
    }

    /// The limit from now on.
    pub(super) fn judge_limit(&mut self) {
        self.limits.now = self.limit();
    }

    fn limit(&self) -> Limit {
        let mss = self.mss();
        if self.receive == Some(0) {
            return Limit::ReceiveWindow;
        }
        if self.board.outstanding() == 0 {
            return Limit::Application;
        }
        match self.phase {
            Phase::Timeout => return Limit::Timeout,
            Phase::Recovery => return Limit::LossRecovery,
            Phase::Open | Phase::Reduction => {}
        }
        // The window as it was when last something was sent: an ACK makes room that the sender has yet to use.
        if self.last_room.is_some_and(|room| room < mss) {
            return Limit::ReceiveWindow;
        }
        let paced = self.replicas.as_ref().is_some_and(|replicas| replicas.is_governed());
        if !paced && ((self.after + 2 * mss) as f64) < self.window.get() {
            return Limit::Application;
        }
        if paced || self.queue_stands() {
            return Limit::Bandwidth;
        }
        Limit::CongestionWindow
    }

    /// Whether a queue stood before the bottleneck in the whole round: the path is full.
    fn queue_stands(&self) -> bool {
        let (Some(base), Some(round)) = (self.rtt.min(), self.round_rtt) else { return false };
        round - base > base.scale(QUEUE_SHARE).max(QUEUE)
    }
}
