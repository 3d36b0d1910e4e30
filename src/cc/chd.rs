//! CAIA-Hamilton Delay: a loss without queueing delay is no sign of congestion.
//!
//! Source: Hayes and Armitage, "Improved coexistence and loss tolerance for delay based TCP" (2010); FreeBSD
//! `sys/netinet/cc/cc_chd.c`. Delays in clock units (milliseconds of TCP timestamps).

use super::bsd::BsdWindow;
use super::ertt::Ertt;
use super::hd::{QUEUE_MIN, QUEUE_THRESHOLD, chance};
use super::random::uniform;
use super::rule::{BsdController, BsdRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller};
use crate::units::Timestamp;

/// Probability to back off at the threshold, once a round trip (`pmax`).
const MAX_PROBABILITY: f64 = 0.5;

/// The row.
pub(super) struct Chd;

impl Algorithm for Chd {
    fn name(&self) -> &'static str {
        "chd"
    }

    fn reference(&self) -> &'static str {
        "Hayes, Armitage 2010; FreeBSD cc_chd.c"
    }

    fn is_in_linux(&self) -> bool {
        false
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let window = BsdWindow::of(setup);
        let rule = Rule {
            ertt: Ertt::new(setup.clock_hz),
            random: setup.seed,
            max_rtt: 0,
            shadow: window.cwnd,
            last_backoff: 0,
            competing: false,
            reducing_until: 0,
        };
        Box::new(BsdController::new(window, rule))
    }
}

#[derive(Debug)]
struct Rule {
    ertt: Ertt,
    random: u64,
    /// Largest RTT of this round trip.
    max_rtt: i64,
    /// Where Reno's window would be; 0 while no loss-based flow seems to compete.
    shadow: u64,
    last_backoff: i64,
    competing: bool,
    reducing_until: u64,
}

impl Rule {
    /// Whether to back off at this delay; above the threshold that also means that loss-based flows compete.
    fn backs_off(&mut self, delay: i64) -> bool {
        if delay <= QUEUE_MIN {
            self.competing = false;
            return false;
        }
        let p = chance(delay, self.ertt.max - self.ertt.min, MAX_PROBABILITY);
        let hit = uniform(&mut self.random) < p;
        if delay <= QUEUE_THRESHOLD {
            self.competing = false;
        } else if hit {
            self.competing = true;
        }
        hit
    }

    fn backoff(&mut self, window: &mut BsdWindow, ack: &Acked, delay: i64) {
        self.shadow =
            if self.competing || delay > self.last_backoff { self.shadow.max(window.cwnd) } else { 0 };
        self.last_backoff = delay;
        window.set_threshold(0.5);
        window.enter();
        self.reducing_until = ack.sent_to;
    }
}

impl BsdRule for Rule {
    fn acked(&mut self, window: &mut BsdWindow, now: Timestamp, ack: &Acked) {
        let measured = self.ertt.on_ack(now, ack, window.cwnd);
        self.max_rtt = self.max_rtt.max(self.ertt.rtt);
        if measured {
            let delay = std::mem::take(&mut self.max_rtt) - self.ertt.min;
            let free = BsdWindow::may_grow(ack) && ack.acked_to >= self.reducing_until;
            if free && self.ertt.min > 0 && self.backs_off(delay) {
                self.backoff(window, ack, delay);
                return;
            }
        }
        let before = window.cwnd;
        window.newreno(ack);
        if self.shadow > 0 {
            self.shadow += window.cwnd.saturating_sub(before);
        }
    }

    fn congested(&mut self, window: &mut BsdWindow, _now: Timestamp, event: &Congestion) {
        if event.kind != CongestionKind::Loss {
            window.newreno_cut(event);
            return;
        }
        if event.repeated {
            return;
        }
        let delay = self.ertt.rtt.max(self.max_rtt) - self.ertt.min;
        if delay > QUEUE_THRESHOLD {
            if self.competing {
                window.cwnd = window.cwnd.max(self.shadow);
            }
            window.set_threshold(0.5);
            window.enter();
        } else {
            window.remember();
            window.ssthresh = window.cwnd;
        }
        if self.shadow > 0 {
            self.shadow = (self.shadow / window.mss / 2).max(2) * window.mss;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Span};

    fn loss_at(rtt_ms: i64) -> u64 {
        let setup = CcSetup { initial_window: 100, mss: 1000, ..CcSetup::default() };
        let mut chd = Chd.start(&setup);
        for (i, ms) in [50, rtt_ms].into_iter().enumerate() {
            let ack = Acked {
                rtt: Some(Span::from_millis(ms)),
                acked_to: i as u64,
                sent_to: 100,
                ..Acked::default()
            };
            chd.on_ack(Timestamp::from_nanos(1_000_000_000), &ack);
        }
        let event = Congestion::first(CongestionKind::Loss, Bytes::new(100_000));
        chd.on_congestion(Timestamp::ZERO, &event);
        chd.window().get()
    }

    // cc_chd.c: a loss at up to 20 ms of queueing delay leaves the window alone.
    #[test]
    fn a_loss_without_delay_costs_nothing() {
        assert_eq!(loss_at(70), 100_000);
        assert_eq!(loss_at(71), 50_000);
    }
}
