//! Low Priority: Reno that makes way at the first sign of queueing delay.
//!
//! Source: Kuzmanovic and Knightly, "TCP-LP" (2003); Linux `net/ipv4/tcp_lp.c`. Departure: the one-way delay
//! is taken from the RTT, since the way back does not queue here and clocks have no offset.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Controller};
use crate::units::{Span, Timestamp};

/// Share of the delay range above which the path counts as busy (15 %).
const THRESHOLD: f64 = 0.15;
/// A second sign within so many RTTs leaves one segment.
const INFERENCE_RTTS: f64 = 3.0;

/// The row.
pub(super) struct Lp;

impl Algorithm for Lp {
    fn name(&self) -> &'static str {
        "lp"
    }

    fn reference(&self) -> &'static str {
        "Kuzmanovic, Knightly 2003; Linux tcp_lp.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::default()))
    }
}

#[derive(Debug, Default)]
struct Rule {
    smoothed: Option<f64>,
    least: f64,
    /// The largest delay and the one held in reserve, which replaces it.
    most: f64,
    reserve: f64,
    last_drop: Option<Timestamp>,
    inferring: bool,
}

impl Rule {
    fn sample(&mut self, delay: f64) -> f64 {
        let Some(smoothed) = self.smoothed else {
            self.smoothed = Some(delay);
            (self.least, self.most, self.reserve) = (delay, 0.0, 0.0);
            return delay;
        };
        self.least = self.least.min(delay);
        if delay > self.most {
            if delay > self.reserve {
                self.most = if self.reserve == 0.0 { delay } else { self.reserve };
                self.reserve = delay;
            } else {
                self.most = delay;
            }
        }
        let smoothed = smoothed + (delay - smoothed) / 8.0;
        self.smoothed = Some(smoothed);
        smoothed
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, now: Timestamp, ack: &Acked) {
        let Some(rtt) = ack.rtt.map(Span::as_secs_f64) else { return };
        let smoothed = self.sample(rtt);
        self.inferring = self.last_drop.is_some_and(|at| now.since(at).as_secs_f64() < INFERENCE_RTTS * rtt);
        // Without a range yet, every delay lies at its end; the kernel waits for a valid clock estimate as
        // well.
        if self.most <= self.least || smoothed < self.least + THRESHOLD * (self.most - self.least) {
            return;
        }
        // The range starts anew at the smoothed delay.
        (self.least, self.most, self.reserve) = (smoothed, 2.0 * smoothed, 2.0 * smoothed);
        window.cwnd = if self.inferring { 1 } else { (window.cwnd / 2).max(1) };
        window.ssthresh = window.ssthresh.min(window.cwnd.max(2));
        self.last_drop = Some(now);
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        if !self.inferring {
            window.reno(acked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // tcp_lp.c: above 15 % of the range half the window goes, and all but one segment if that happens again
    // at once.
    #[test]
    fn delay_halves_the_window() {
        let mut window = LinuxWindow::new(1448, 64);
        let mut rule = Rule::default();
        let mut windows = Vec::new();
        for i in 0..40 {
            let rtt = Some(Span::from_millis(if i == 0 { 50 } else { 100 }));
            let ack = Acked { rtt, ..Acked::default() };
            rule.measure(&mut window, Timestamp::from_nanos(i * 1_000_000), &ack);
            windows.push(window.cwnd);
        }
        assert!(windows.contains(&32), "{windows:?}");
    }
}
