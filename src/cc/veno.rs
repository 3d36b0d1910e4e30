//! Veno: Reno that asks, by Vegas' count of queued segments, whether a loss was congestion.
//!
//! Source: Fu and Liew, "TCP Veno" (2003); Linux `net/ipv4/tcp_veno.c`. Windows in segments.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, Controller};
use crate::units::{Span, Timestamp};

/// Fewer queued segments than this and a loss is taken for random (`beta`).
const QUEUED: f64 = 3.0;
/// Kept then: 4/5.
const RANDOM_KEEP: (u32, u32) = (4, 5);
/// With fewer RTT samples it is Reno.
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
    base: Option<Span>,
    /// Of the latest ACK: the kernel forgets the smallest with each call.
    rtt: Option<Span>,
    samples: u32,
    queued: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { base: None, rtt: None, samples: 0, queued: 0.0 }
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, _window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        let Some(rtt) = ack.rtt else { return };
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.rtt = Some(self.rtt.map_or(rtt, |least| least.min(rtt)));
        self.samples = self.samples.saturating_add(1);
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        if self.samples < MIN_SAMPLES {
            window.reno(acked);
            return;
        }
        let cwnd = f64::from(window.cwnd);
        // Without a sample since the last call, all of the window counts as queued.
        self.queued = match (self.base, self.rtt.take()) {
            (Some(base), Some(rtt)) => cwnd - cwnd * base.as_secs_f64() / rtt.as_secs_f64().max(1e-9),
            _ => cwnd,
        };
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left > 0 {
            // With a queue, one segment every other round trip.
            let per = if self.queued < QUEUED { window.cwnd } else { window.cwnd.saturating_mul(2) };
            window.additive(per, left);
        }
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        if self.queued < QUEUED { window.cwnd * RANDOM_KEEP.0 / RANDOM_KEEP.1 } else { window.cwnd / 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::CongestionKind;
    use crate::units::Bytes;

    fn threshold(rtt_ms: i64) -> u32 {
        let mut rule = Rule::default();
        let mut window = LinuxWindow::new(1448, 100);
        window.leave_slow_start();
        for i in 0..20 {
            let rtt = Some(Span::from_millis(if i == 0 { 50 } else { rtt_ms }));
            let ack = Acked { rtt, ..Acked::default() };
            rule.measure(&mut window, Timestamp::ZERO, &ack);
            rule.grow(&mut window, Timestamp::ZERO, &ack, 1);
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
