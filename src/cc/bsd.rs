//! The window as FreeBSD keeps it: bytes, grown by appropriate byte counting (RFC 3465;
//! `sys/netinet/cc/cc.c`).

use super::event::{Acked, CcSetup, Congestion, CongestionKind, Phase, Snapshot};
use crate::units::Bytes;

/// `net.inet.tcp.abc_l_var`: at most so many segments of growth for each segment in an ACK (RFC 3465 section
/// 2.3).
const ABC_LIMIT: u64 = 2;
/// `newreno_beta`: percent of the window kept at a loss.
pub(super) const NEWRENO_BETA: f64 = 0.5;
const UNSET: u64 = u64::MAX >> 2;

/// `snd_cwnd` and `snd_ssthresh` in bytes, the bytes acknowledged towards the next step, and what an undo
/// needs.
#[derive(Clone, Debug)]
pub(super) struct BsdWindow {
    pub(super) mss: u64,
    pub(super) cwnd: u64,
    pub(super) ssthresh: u64,
    counted: u64,
    prior_cwnd: u64,
    prior_ssthresh: u64,
}

impl BsdWindow {
    pub(super) const fn new(mss: u32, initial: u32) -> Self {
        let mss = mss as u64;
        Self {
            mss,
            cwnd: mss * initial as u64,
            ssthresh: UNSET,
            counted: 0,
            prior_cwnd: 0,
            prior_ssthresh: 0,
        }
    }

    pub(super) const fn of(setup: &CcSetup) -> Self {
        Self::new(setup.mss, setup.initial_window)
    }

    pub(super) const fn bytes(&self) -> Bytes {
        Bytes::new(self.cwnd)
    }

    pub(super) const fn in_slow_start(&self) -> bool {
        self.cwnd <= self.ssthresh
    }

    /// Whether an ACK may grow the window: not in recovery, and only when the window was in use
    /// (`CCF_CWND_LIMITED`). Unlike Linux, half a window in slow start is not enough.
    pub(super) const fn may_grow(ack: &Acked) -> bool {
        ack.window_full
            && !ack.duplicate
            && matches!(ack.phase, Phase::Open | Phase::Timeout)
            && ack.bytes.get() > 0
    }

    /// Slow start for this ACK: what it acknowledged, at most [`ABC_LIMIT`] segments for each (one after a
    /// timeout).
    pub(super) fn slow_start(&mut self, ack: &Acked, divisor: u64) {
        let limit = if ack.phase == Phase::Timeout {
            self.mss
        } else {
            u64::from(ack.acks.max(1)) * ABC_LIMIT * self.mss
        };
        self.cwnd += ack.bytes.get().min(limit) / divisor;
    }

    /// Whether a whole window was acknowledged since this last was so (`CCF_ABC_SENTAWND`).
    pub(super) fn window_acked(&mut self, ack: &Acked) -> bool {
        self.counted += ack.bytes.get();
        let whole = self.counted >= self.cwnd;
        if whole {
            self.counted -= self.cwnd;
        }
        whole
    }

    /// `NewReno`'s congestion avoidance: `segments` more for each window acknowledged.
    pub(super) fn avoidance(&mut self, ack: &Acked, segments: u64) {
        // An ACK never stands for many windows but in round-level simulation.
        let mut ack = *ack;
        while self.window_acked(&ack) {
            self.cwnd += segments * self.mss;
            ack.bytes = Bytes::new(0);
        }
    }

    /// `NewReno`'s reaction to an ACK.
    pub(super) fn newreno(&mut self, ack: &Acked) {
        if !Self::may_grow(ack) {
            return;
        }
        if self.in_slow_start() {
            self.slow_start(ack, 1);
        } else {
            self.avoidance(ack, 1);
        }
    }

    /// Remembers the window for an undo, and sets the threshold to `keep` times it, in whole segments, at
    /// least two.
    pub(super) fn set_threshold(&mut self, keep: f64) {
        self.remember();
        self.ssthresh = ((self.cwnd as f64 * keep) as u64 / self.mss).max(2) * self.mss;
    }

    pub(super) const fn remember(&mut self) {
        self.prior_cwnd = self.cwnd;
        self.prior_ssthresh = self.ssthresh;
    }

    /// The timer fired: the threshold falls to `keep` of what was in flight, at the first of a series only,
    /// and the window to one segment.
    pub(super) fn timeout(&mut self, event: &Congestion, keep: f64) {
        if !event.repeated {
            self.remember();
            self.ssthresh = ((event.in_flight.get() as f64 * keep) as u64 / self.mss).max(2) * self.mss;
        }
        self.counted = 0;
        self.cwnd = self.mss;
    }

    /// `NewReno`'s reaction to any congestion event.
    pub(super) fn newreno_cut(&mut self, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            self.timeout(event, NEWRENO_BETA);
        } else if !event.repeated {
            self.set_threshold(NEWRENO_BETA);
            self.enter();
        }
    }

    /// The window falls to the threshold.
    pub(super) fn enter(&mut self) {
        self.counted = 0;
        self.cwnd = self.cwnd.min(self.ssthresh);
    }

    /// Leaving recovery (`newreno_cc_post_recovery`): with less in flight than the threshold, slow start from
    /// there rather than a burst (RFC 6582 section 3.2 step 3).
    pub(super) fn recovered(&mut self, in_flight: Bytes) {
        self.cwnd = if in_flight.get() < self.ssthresh {
            (in_flight.get().max(self.mss) + self.mss).min(self.ssthresh)
        } else {
            self.ssthresh
        };
    }

    /// Back to the window before the last reduction.
    pub(super) fn undo(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.ssthresh = self.ssthresh.max(self.prior_ssthresh);
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            window: self.bytes(),
            ssthresh: (self.ssthresh != UNSET).then(|| Bytes::new(self.ssthresh)),
            phase: if self.in_slow_start() { "slow start" } else { "avoidance" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 3465 section 2.1: one segment for each full window of bytes acknowledged.
    #[test]
    fn a_window_of_bytes_makes_a_segment() {
        let mut window = BsdWindow::new(1000, 10);
        window.ssthresh = 5_000;
        let ack = |bytes| Acked { bytes: Bytes::new(bytes), window_full: true, ..Acked::default() };
        window.newreno(&ack(9_999));
        assert_eq!(window.cwnd, 10_000);
        window.newreno(&ack(1));
        assert_eq!(window.cwnd, 11_000);
    }

    #[test]
    fn after_a_timeout_slow_start_counts_one_segment_an_ack() {
        let mut window = BsdWindow::new(1000, 4);
        let mut ack =
            Acked { bytes: Bytes::new(2_000), window_full: true, phase: Phase::Timeout, ..Acked::default() };
        window.newreno(&ack);
        assert_eq!(window.cwnd, 5_000);
        ack.phase = Phase::Open;
        window.newreno(&ack);
        assert_eq!(window.cwnd, 7_000);
    }
}
