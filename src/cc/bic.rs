//! BIC: binary search for the window at which the last loss came.
//!
//! Source: Xu, Harfoush and Rhee, "Binary increase congestion control" (2004); Linux `net/ipv4/tcp_bic.c`,
//! whose constants these are. Windows in segments.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller};
use crate::cc::Phase;
use crate::cc::event::segments;
use crate::units::{Span, Timestamp};

/// Up to this window it is Reno (`low_window`).
const LOW: u32 = 14;
/// The largest step of the search a round trip (`max_increment`).
const MAX_STEP: u32 = 16;
/// Kept at a loss: 819/1024 (`beta`).
const BETA: u32 = 819;
const SCALE: u32 = 1024;
/// The search goes a quarter of the way (`BICTCP_B`).
const SEARCH: u32 = 4;
/// Near the goal one step takes so many parts of a round trip more (`smooth_part`).
const SMOOTH: u32 = 20;
/// Before the first loss one segment for this many acknowledged at least as fast.
const PROBING_COUNT: u32 = 20;
/// Segments for an ACK at first, times 16.
const ACK_RATIO: u32 = 2 << 4;
/// No new step for an unchanged window within this time (HZ/32).
const RECOMPUTE: Span = Span::from_nanos(31_250_000);

/// The row.
pub(super) struct Bic;

impl Algorithm for Bic {
    fn name(&self) -> &'static str {
        "bic"
    }

    fn reference(&self) -> &'static str {
        "Xu, Harfoush, Rhee 2004; Linux tcp_bic.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::default()))
    }
}

#[derive(Debug, Default)]
struct Rule {
    w_max: u32,
    per: u32,
    /// Sixteen times the segments that an ACK is for, on average (`delayed_ack`, `ACK_RATIO_SHIFT`).
    ack_ratio: Option<u32>,
    last: Option<(u32, Timestamp)>,
}

impl Rule {
    /// Segments to be acknowledged for one more (`bictcp_update`).
    fn count(&self, cwnd: u32) -> u32 {
        if cwnd <= LOW {
            return cwnd;
        }
        let per = if cwnd < self.w_max {
            let step = (self.w_max - cwnd) / SEARCH;
            if step > MAX_STEP {
                cwnd / MAX_STEP
            } else if step <= 1 {
                cwnd * SMOOTH / SEARCH
            } else {
                cwnd / step
            }
        } else if cwnd < self.w_max + SEARCH {
            cwnd * SMOOTH / SEARCH
        } else if cwnd < self.w_max + MAX_STEP * (SEARCH - 1) {
            cwnd * (SEARCH - 1) / (cwnd - self.w_max)
        } else {
            cwnd / MAX_STEP
        };
        let per = if self.w_max == 0 { per.min(PROBING_COUNT) } else { per };
        // The kernel counts segments, and makes up for delayed ACKs all the same.
        (per * 16 / self.ack_ratio.unwrap_or(ACK_RATIO)).max(1)
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        if ack.phase == Phase::Open && ack.bytes.get() > 0 {
            let ratio = self.ack_ratio.unwrap_or(ACK_RATIO);
            self.ack_ratio = Some((ratio + segments(ack.bytes, window.mss) - ratio / 16).max(1));
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, now: Timestamp, _ack: &Acked, acked: u32) {
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left == 0 {
            return;
        }
        let settled = self.last.is_some_and(|(w, t)| w == window.cwnd && now.since(t) <= RECOMPUTE);
        if !settled {
            self.per = self.count(window.cwnd);
            self.last = Some((window.cwnd, now));
        }
        window.additive(self.per, left);
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        let cwnd = window.cwnd;
        // Fast convergence: (1 + beta) / 2.
        let lowered = (u64::from(cwnd) * u64::from(SCALE + BETA) / u64::from(2 * SCALE)) as u32;
        self.w_max = if cwnd < self.w_max { lowered } else { cwnd };
        self.last = None;
        if cwnd <= LOW { cwnd / 2 } else { (u64::from(cwnd) * u64::from(BETA) / u64::from(SCALE)) as u32 }
    }

    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand from tcp_bic.c: far below the old maximum 16 segments a round trip; 40 below it 10; 3 below it
    // 1/5.
    #[test]
    fn the_search_slows_down_near_the_old_maximum() {
        let rule = Rule { w_max: 1000, ack_ratio: Some(16), ..Rule::default() };
        assert_eq!(rule.count(800), 800 / 16);
        assert_eq!(rule.count(960), 960 / 10);
        assert_eq!(rule.count(997), 997 * 20 / 4);
        assert_eq!(rule.count(1010), 1010 * 3 / 10);
        assert_eq!(rule.count(10), 10);
    }
}
