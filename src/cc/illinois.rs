//! Illinois: growth and reduction depend on the queueing delay seen.
//!
//! Source: Liu, Basar and Srikant, "TCP-Illinois" (2006); Linux `net/ipv4/tcp_illinois.c`, whose constants
//! these are. Windows in segments, delays in seconds.

use super::linux::LinuxWindow;
use super::round::Round;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Prevalence};
use crate::units::Timestamp;

/// Segments a round trip without and with much delay (`ALPHA_MAX`, `ALPHA_MIN`).
const ALPHA_MAX: f64 = 10.0;
const ALPHA_MIN: f64 = 0.3;
/// Share given up at a loss without and with much delay (`BETA_MIN`, `BETA_MAX`).
const BETA_MIN: f64 = 0.125;
const BETA_MAX: f64 = 0.5;
/// Below this window it is Reno (`win_thresh`).
const REACTIVE_WINDOW: u32 = 15;
/// Rounds of low delay before the largest growth comes back (`theta`).
const THETA: u32 = 5;

/// The row.
pub(super) struct Illinois;

impl Algorithm for Illinois {
    fn name(&self) -> &'static str {
        "illinois"
    }

    fn reference(&self) -> &'static str {
        "Liu, Basar, Srikant 2006; Linux tcp_illinois.c"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let rule = Rule { alpha: ALPHA_MAX, beta: BETA_MAX, ..Rule::default() };
        Box::new(LinuxController::new(LinuxWindow::of(setup), rule))
    }
}

#[derive(Debug, Default)]
struct Rule {
    round: Round,
    max_rtt: f64,
    alpha: f64,
    beta: f64,
    was_above: bool,
    low_rounds: u32,
    part: f64,
}

impl Rule {
    fn alpha(&mut self, delay: f64, largest: f64) -> f64 {
        let low = largest / 100.0;
        if delay <= low {
            if !self.was_above {
                return ALPHA_MAX;
            }
            self.low_rounds += 1;
            if self.low_rounds < THETA {
                return self.alpha;
            }
            self.low_rounds = 0;
            self.was_above = false;
            return ALPHA_MAX;
        }
        self.was_above = true;
        let excess = delay - low;
        let room = largest - low;
        room * ALPHA_MAX / (room + excess * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN)
    }

    fn beta(delay: f64, largest: f64) -> f64 {
        let (low, high) = (largest / 10.0, largest * 0.8);
        if delay <= low {
            BETA_MIN
        } else if delay >= high || high <= low {
            BETA_MAX
        } else {
            (BETA_MIN * high - BETA_MAX * low + (BETA_MAX - BETA_MIN) * delay) / (high - low)
        }
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        if let Some(rtt) = ack.rtt {
            self.max_rtt = self.max_rtt.max(rtt.as_secs_f64());
        }
        let Some(samples) = self.round.on_ack(ack) else { return };
        if window.cwnd < REACTIVE_WINDOW {
            (self.alpha, self.beta) = (1.0, BETA_MAX);
        } else if let (Some(mean), Some(base)) = (samples.mean(), self.round.base) {
            let base = base.as_secs_f64();
            let (delay, largest) = ((mean - base).max(0.0), self.max_rtt - base);
            self.alpha = self.alpha(delay, largest);
            self.beta = Self::beta(delay, largest);
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        self.part += self.alpha * f64::from(left) / f64::from(window.cwnd.max(1));
        window.cwnd = window.cwnd.saturating_add(self.part as u32);
        self.part = self.part.fract();
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        (f64::from(window.cwnd) * (1.0 - self.beta)) as u32
    }

    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            (self.alpha, self.beta) = (1.0, BETA_MAX);
            self.was_above = false;
            self.low_rounds = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // tcp_illinois.c with a largest delay of 100 ms: alpha falls from 10 at 1 ms to 0.3 at 100 ms; beta rises
    // from 1/8 at 10 ms to 1/2 at 80 ms, 0.3125 half way.
    #[test]
    fn the_curves_pass_their_ends() {
        let mut rule = Rule { alpha: ALPHA_MAX, ..Rule::default() };
        assert!((rule.alpha(0.001, 0.1) - 10.0).abs() < 1e-9);
        assert!((rule.alpha(0.1, 0.1) - 0.3).abs() < 1e-9);
        assert!((Rule::beta(0.01, 0.1) - 0.125).abs() < 1e-9);
        assert!((Rule::beta(0.045, 0.1) - 0.3125).abs() < 1e-9);
        assert!((Rule::beta(0.08, 0.1) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn five_calm_rounds_bring_full_growth_back() {
        let mut rule = Rule { alpha: 0.5, was_above: true, ..Rule::default() };
        let alphas: Vec<f64> = (0..5).map(|_| rule.alpha(0.0, 0.1)).collect();
        assert!(alphas[..4].iter().all(|a| (a - 0.5).abs() < 1e-9) && (alphas[4] - 10.0).abs() < 1e-9);
    }
}
