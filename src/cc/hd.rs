//! Hamilton Delay: Reno that also backs off, by chance, when the queue is long.
//!
//! Source: Budzisz et al., "On the fair coexistence of loss- and delay-based TCP" (2011); FreeBSD
//! `sys/netinet/cc/cc_hd.c`. Delays in clock units (milliseconds of TCP timestamps).

use super::bsd::BsdWindow;
use super::ertt::Ertt;
use super::random::uniform;
use super::rule::{BsdController, BsdRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller};
use crate::units::Timestamp;

/// Queueing delay below which nothing happens, and at which backing off is most likely (`qmin`, `qthresh`).
pub(super) const QUEUE_MIN: i64 = 5;
pub(super) const QUEUE_THRESHOLD: i64 = 20;
/// Probability there, for each ACK (`pmax`).
const MAX_PROBABILITY: f64 = 0.05;

/// The row.
pub(super) struct Hd;

impl Algorithm for Hd {
    fn name(&self) -> &'static str {
        "hd"
    }

    fn reference(&self) -> &'static str {
        "Budzisz et al. 2011; FreeBSD cc_hd.c"
    }

    fn is_in_linux(&self) -> bool {
        false
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let rule = Rule { ertt: Ertt::new(setup.clock_hz), random: setup.seed, reducing_until: 0 };
        Box::new(BsdController::new(BsdWindow::of(setup), rule))
    }
}

/// The chance to back off at a queueing delay of `delay` when `largest` is the largest seen: rises from
/// [`QUEUE_MIN`] to [`QUEUE_THRESHOLD`], then falls to nothing at the largest, where a loss-based flow must
/// be the cause.
pub(super) fn chance(delay: i64, largest: i64, most: f64) -> f64 {
    if delay <= QUEUE_MIN {
        0.0
    } else if delay <= QUEUE_THRESHOLD {
        most * (delay - QUEUE_MIN) as f64 / (QUEUE_THRESHOLD - QUEUE_MIN) as f64
    } else {
        most * (largest - delay) as f64 / (largest - QUEUE_THRESHOLD).max(1) as f64
    }
}

#[derive(Debug)]
struct Rule {
    ertt: Ertt,
    random: u64,
    /// No second reduction before this is acknowledged.
    reducing_until: u64,
}

impl BsdRule for Rule {
    fn acked(&mut self, window: &mut BsdWindow, now: Timestamp, ack: &Acked) {
        self.ertt.on_ack(now, ack, window.cwnd);
        let reducing = ack.acked_to < self.reducing_until;
        if BsdWindow::may_grow(ack) && !reducing && self.ertt.min > 0 {
            let delay = self.ertt.rtt - self.ertt.min;
            let p = chance(delay, self.ertt.max - self.ertt.min, MAX_PROBABILITY);
            if p > 0.0 && uniform(&mut self.random) < p {
                window.newreno_cut(&Congestion::first(CongestionKind::Ecn, ack.in_flight));
                self.reducing_until = ack.sent_to;
                return;
            }
        }
        if !reducing {
            window.newreno(ack);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // cc_hd.c by hand: half of pmax half way from 5 to 20; all at 20; half again half way to the largest
    // delay.
    #[test]
    fn the_curve_rises_and_falls() {
        assert!(chance(5, 100, 0.05).abs() < 1e-12);
        assert!((chance(11, 100, 0.05) - 0.02).abs() < 1e-12);
        assert!((chance(20, 100, 0.05) - 0.05).abs() < 1e-12);
        assert!((chance(60, 100, 0.05) - 0.025).abs() < 1e-12);
        assert!(chance(100, 100, 0.05).abs() < 1e-12);
    }
}
