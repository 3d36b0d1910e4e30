//! `YeAH`: Scalable while the queue is short, Reno while it is long.
//!
//! Source: Baiocchi, Castellani and Vacirca, "`YeAH`-TCP" (2007); Linux `net/ipv4/tcp_yeah.c`. Windows in
//! segments.

use super::linux::LinuxWindow;
use super::round::Round;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, Controller, Phase};
use crate::units::Timestamp;

/// Segments allowed in the queue (`TCP_YEAH_ALPHA`).
const QUEUE: u32 = 80;
/// At most 1/8 of the base RTT may be queueing (`TCP_YEAH_PHY`).
const DELAY_SHARE: f64 = 1.0 / 8.0;
/// Early decongestion takes at most half the window (`TCP_YEAH_EPSILON` 1), a loss at least 1/8
/// (`TCP_YEAH_DELTA` 3).
const EARLY_SHIFT: u32 = 1;
const LOSS_SHIFT: u32 = 3;
/// So many round trips of Reno mean that loss-based flows compete (`TCP_YEAH_RHO`).
const COMPETITION: u32 = 16;
/// So many fast ones reset the estimate of their window (`TCP_YEAH_ZETA`).
const FAST_ROUNDS: u32 = 50;
/// Scalable's increase: one segment for so many acknowledged.
const SCALABLE: u32 = 100;
const MIN_SAMPLES: u32 = 3;

/// The row.
pub(super) struct Yeah;

impl Algorithm for Yeah {
    fn name(&self) -> &'static str {
        "yeah"
    }

    fn reference(&self) -> &'static str {
        "Baiocchi, Castellani, Vacirca 2007; Linux tcp_yeah.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let rule =
            Rule { round: Round::default(), queued: 0, reno_rounds: 0, reno_window: 2, fast_rounds: 0 };
        Box::new(LinuxController::new(LinuxWindow::of(setup), rule))
    }
}

#[derive(Debug)]
struct Rule {
    round: Round,
    queued: u32,
    /// Round trips of Reno in a row.
    reno_rounds: u32,
    /// Estimate of the window a Reno flow would have here.
    reno_window: u32,
    fast_rounds: u32,
}

impl Rule {
    fn decide(&mut self, window: &mut LinuxWindow, base: f64, rtt: f64) {
        let delay = (rtt - base).max(0.0);
        self.queued = (f64::from(window.cwnd) * delay / rtt.max(1e-9)) as u32;
        if self.queued > QUEUE || delay > base * DELAY_SHARE {
            if self.queued > QUEUE && window.cwnd > self.reno_window {
                let cut = self.queued.min(window.cwnd >> EARLY_SHIFT);
                window.cwnd = (window.cwnd - cut).max(self.reno_window);
                window.ssthresh = window.cwnd;
            }
            self.reno_window =
                if self.reno_window <= 2 { (window.cwnd / 2).max(2) } else { self.reno_window + 1 };
            self.reno_rounds += 1;
        } else {
            self.fast_rounds += 1;
            if self.fast_rounds > FAST_ROUNDS {
                self.reno_window = 2;
                self.fast_rounds = 0;
            }
            self.reno_rounds = 0;
        }
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        if ack.phase != Phase::Open {
            self.round.restart(ack.sent_to);
        } else if let Some(samples) = self.round.on_ack(ack)
            && let (Some(base), Some(rtt)) = (self.round.base, samples.min)
            && samples.count >= MIN_SAMPLES
        {
            self.decide(window, base.as_secs_f64(), rtt.as_secs_f64());
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left > 0 {
            let per = if self.reno_rounds == 0 { window.cwnd.min(SCALABLE) } else { window.cwnd };
            window.additive(per, left);
        }
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        let half = (window.cwnd / 2).max(2);
        let cut = if self.reno_rounds < COMPETITION {
            self.queued.min(half).max(window.cwnd >> LOSS_SHIFT)
        } else {
            half
        };
        self.fast_rounds = 0;
        self.reno_window = (self.reno_window / 2).max(2);
        window.cwnd.saturating_sub(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::CongestionKind;
    use crate::units::Bytes;

    // tcp_yeah.c by hand: 1000 segments at 55 over 50 ms are 90 queued: more than 80, so they are taken out.
    #[test]
    fn a_long_queue_is_taken_out() {
        let mut window = LinuxWindow::new(1448, 1000);
        window.leave_slow_start();
        let mut rule =
            Rule { round: Round::default(), queued: 0, reno_rounds: 0, reno_window: 2, fast_rounds: 0 };
        rule.decide(&mut window, 0.050, 0.055);
        assert_eq!((window.cwnd, rule.reno_rounds, rule.reno_window), (910, 1, 455));
        let event = Congestion::first(CongestionKind::Loss, Bytes::new(0));
        assert_eq!(rule.threshold(&window, Timestamp::ZERO, &event), 910 - 113);
    }
}
