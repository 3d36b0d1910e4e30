//! Veno: Reno that asks, by Vegas' count of queued segments, whether a loss was congestion.
//!
//! Source: Fu and Liew, "TCP Veno" (2003); Linux `net/ipv4/tcp_veno.c`. Windows in segments.

use super::linux::LinuxWindow;
use super::round::{Round, Samples};
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller};
use crate::units::Timestamp;

/// Fewer queued segments than this and a loss is taken for random (`beta`).
const QUEUED: f64 = 3.0;
/// Kept then: 4/5.
const RANDOM_KEEP: (u32, u32) = (4, 5);
/// A round with fewer RTT samples says nothing.
const MIN_SAMPLES: u32 = 3;

/// The row.
pub(super) struct Veno;

impl Algorithm for Veno {
    fn name(&self) -> &'static str {
        "veno"
    }

    fn reference(&self) -> &'static str {
        "Fu, Liew 2003; Linux tcp_veno.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::default()))
    }
}

#[derive(Debug)]
struct Rule {
    round: Round,
    last: Samples,
    queued: f64,
}

impl Default for Rule {
    fn default() -> Self {
        // Unknown counts as much queued: Reno.
        Self { round: Round::default(), last: Samples::default(), queued: f64::INFINITY }
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        if let Some(samples) = self.round.on_ack(ack) {
            self.last = samples;
        }
        if let (Some(base), Some(rtt)) = (self.round.base, self.last.min)
            && self.last.count >= MIN_SAMPLES
        {
            let cwnd = f64::from(window.cwnd);
            self.queued = cwnd - cwnd * base.as_secs_f64() / rtt.as_secs_f64().max(1e-9);
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left == 0 {
            return;
        }
        let few = self.queued < QUEUED || self.last.count < MIN_SAMPLES;
        // With a queue, one segment every other round trip.
        window.additive(if few { window.cwnd } else { window.cwnd.saturating_mul(2) }, left);
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        if self.queued < QUEUED { window.cwnd * RANDOM_KEEP.0 / RANDOM_KEEP.1 } else { window.cwnd / 2 }
    }

    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            self.last = Samples::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Span};

    fn threshold(rtt_ms: i64) -> u32 {
        let mut rule = Rule::default();
        let mut window = LinuxWindow::new(1448, 100);
        for i in 0..20 {
            let rtt = Some(Span::from_millis(if i == 0 { 50 } else { rtt_ms }));
            let ack =
                Acked { rtt, acked_to: i / 5 * 100 + 1, sent_to: i / 5 * 100 + 100, ..Acked::default() };
            rule.measure(&mut window, Timestamp::ZERO, &ack);
        }
        rule.threshold(&window, Timestamp::ZERO, &Congestion::first(CongestionKind::Loss, Bytes::new(0)))
    }

    // 100 segments at a base of 50 ms: 51 ms is 100 (1 - 50/51) = 1.96 queued; 52 ms is 3.85.
    #[test]
    fn a_loss_without_a_queue_costs_a_fifth() {
        assert_eq!(threshold(51), 80);
        assert_eq!(threshold(52), 50);
    }
}
