//! The window as Linux keeps it: whole segments and a count towards the next one (`net/ipv4/tcp_cong.c`).
//!
//! Growth counts segments acknowledged, not ACKs, so that delayed ACKs make no difference.

use super::event::{Acked, CcSetup, Congestion, CongestionKind, Phase, Snapshot, segments};
use crate::units::Bytes;

/// `TCP_INFINITE_SSTHRESH`.
pub(super) const UNSET: u32 = 0x7fff_ffff;

/// No path holds more segments.
pub(super) const MOST_SEGMENTS: u32 = 1 << 28;

/// `snd_cwnd`, `snd_cwnd_cnt` and `snd_ssthresh`, with what an undo needs.
#[derive(Clone, Debug)]
pub(super) struct LinuxWindow {
    pub(super) mss: u32,
    pub(super) cwnd: u32,
    count: u32,
    pub(super) ssthresh: u32,
    prior_cwnd: u32,
    prior_ssthresh: u32,
}

impl LinuxWindow {
    pub(super) const fn new(mss: u32, initial: u32) -> Self {
        Self { mss, cwnd: initial, count: 0, ssthresh: UNSET, prior_cwnd: 0, prior_ssthresh: 0 }
    }

    pub(super) const fn of(setup: &CcSetup) -> Self {
        Self::new(setup.mss, setup.initial_window)
    }

    pub(super) const fn bytes(&self) -> Bytes {
        Bytes::new(self.cwnd as u64 * self.mss as u64)
    }

    /// Keeps the window below what any path holds, whatever a capture's clock makes of its growth.
    #[inline]
    pub(super) fn bound(&mut self) {
        self.cwnd = self.cwnd.min(MOST_SEGMENTS);
    }

    /// Takes over a window that was seen.
    pub(super) fn correct(&mut self, window: Bytes) {
        self.cwnd = segments(window, self.mss).clamp(1, MOST_SEGMENTS);
        if self.ssthresh != UNSET {
            self.ssthresh = self.ssthresh.min(self.cwnd);
        }
    }

    pub(super) const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Segments this ACK may grow the window by: none in recovery, and none unless the window was in use
    /// (`tcp_is_cwnd_limited`: half of it in slow start, all of it otherwise).
    pub(super) const fn growth(&self, ack: &Acked) -> u32 {
        let in_reduction = matches!(ack.phase, Phase::Reduction | Phase::Recovery);
        let used = if self.in_slow_start() {
            ack.window_full || (self.cwnd as u64) * (self.mss as u64) < 2 * ack.flight_peak.get()
        } else {
            ack.window_full
        };
        if in_reduction || !used || ack.duplicate { 0 } else { segments(ack.bytes, self.mss) }
    }

    /// Slow start up to the threshold (`tcp_slow_start`); returns the segments left over.
    pub(super) fn slow_start(&mut self, acked: u32) -> u32 {
        let grown = self.cwnd.saturating_add(acked).min(self.ssthresh);
        let left = acked - (grown - self.cwnd).min(acked);
        self.cwnd = grown;
        left
    }

    /// One segment more for every `per` acknowledged (`tcp_cong_avoid_ai`).
    pub(super) fn additive(&mut self, per: u32, acked: u32) {
        let per = per.max(1);
        if self.count >= per {
            self.count = 0;
            self.cwnd = self.cwnd.saturating_add(1);
        }
        self.count = self.count.saturating_add(acked);
        if self.count >= per {
            let steps = self.count / per;
            self.count -= steps * per;
            self.cwnd = self.cwnd.saturating_add(steps);
        }
    }

    /// Reno's growth: slow start, then one segment a round trip (RFC 5681 section 3.1).
    pub(super) fn reno(&mut self, acked: u32) {
        let left = if self.in_slow_start() { self.slow_start(acked) } else { acked };
        if left > 0 {
            self.additive(self.cwnd, left);
        }
    }

    /// Ends slow start at the window of now.
    pub(super) const fn leave_slow_start(&mut self) {
        self.ssthresh = self.cwnd;
    }

    /// Sets threshold and window for a congestion event. The timer's window is one segment
    /// (`tcp_enter_loss`).
    pub(super) fn reduce(&mut self, event: &Congestion, ssthresh: impl FnOnce() -> u32) {
        if !event.repeated {
            self.prior_cwnd = self.cwnd;
            self.prior_ssthresh = self.ssthresh;
            self.ssthresh = ssthresh().max(2);
        }
        self.count = 0;
        self.cwnd = match event.kind {
            CongestionKind::Timeout => 1,
            CongestionKind::Loss | CongestionKind::Ecn => self.ssthresh.min(self.cwnd),
        };
    }

    /// Back to the window before the last reduction (`tcp_undo_cwnd_reduction`).
    pub(super) fn undo(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.ssthresh = self.ssthresh.max(self.prior_ssthresh);
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            window: self.bytes(),
            ssthresh: (self.ssthresh != UNSET)
                .then(|| Bytes::new(u64::from(self.ssthresh) * u64::from(self.mss))),
            phase: if self.in_slow_start() { "slow start" } else { "avoidance" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_segment_a_round_trip() {
        let mut window = LinuxWindow::new(1000, 10);
        window.leave_slow_start();
        window.reno(9);
        assert_eq!(window.cwnd, 10);
        window.reno(1);
        assert_eq!(window.cwnd, 11);
        window.reno(22);
        assert_eq!(window.cwnd, 13);
    }

    #[test]
    fn slow_start_stops_at_the_threshold_and_hands_on_the_rest() {
        let mut window = LinuxWindow::new(1000, 10);
        window.ssthresh = 15;
        assert_eq!(window.slow_start(8), 3);
        assert_eq!(window.cwnd, 15);
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut window = LinuxWindow::new(1000, 40);
        let mut event = Congestion::first(CongestionKind::Timeout, Bytes::new(40_000));
        window.reduce(&event, || 20);
        event.repeated = true;
        window.reduce(&event, || 2);
        assert_eq!((window.cwnd, window.ssthresh), (1, 20));
        window.undo();
        assert_eq!(window.cwnd, 40);
    }
}
