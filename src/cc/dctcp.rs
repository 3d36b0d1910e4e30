//! DCTCP: reduces in proportion to the share of marked segments.
//!
//! Source: RFC 8257; Linux `net/ipv4/tcp_dctcp.c`, FreeBSD `sys/netinet/cc/cc_dctcp.c`. Without ECN, and at a
//! loss, it is Reno.

use super::bsd::BsdWindow;
use super::linux::LinuxWindow;
use super::rule::{BsdController, BsdRule, LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Prevalence, Stack};
use crate::units::Timestamp;

/// Weight of a new sample (RFC 8257 section 4.2: g = 1/16).
const GAIN: f64 = 1.0 / 16.0;

/// The row.
pub(super) struct Dctcp;

impl Algorithm for Dctcp {
    fn name(&self) -> &'static str {
        "dctcp"
    }

    fn reference(&self) -> &'static str {
        "RFC 8257"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn wants_ecn(&self) -> bool {
        true
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let rule = Marks::new();
        match setup.stack {
            Stack::Linux(_) => Box::new(LinuxController::new(LinuxWindow::of(setup), rule)),
            Stack::FreeBsd(_) => Box::new(BsdController::new(BsdWindow::of(setup), rule)),
        }
    }
}

/// The estimate of the share of marked bytes.
#[derive(Debug)]
struct Marks {
    /// RFC 8257 section 3.3: starts at 1.
    alpha: f64,
    acked: u64,
    marked: u64,
    round_end: u64,
}

impl Marks {
    const fn new() -> Self {
        Self { alpha: 1.0, acked: 0, marked: 0, round_end: 0 }
    }

    /// RFC 8257 section 3.3 steps 1 to 7.
    fn on_ack(&mut self, ack: &Acked) {
        self.acked += ack.bytes.get();
        self.marked += ack.marked.get().min(ack.bytes.get());
        if ack.acked_to > self.round_end {
            if self.acked > 0 {
                let share = self.marked as f64 / self.acked as f64;
                self.alpha += GAIN * (share - self.alpha);
            }
            self.acked = 0;
            self.marked = 0;
            self.round_end = ack.sent_to;
        }
    }

    /// What an event leaves of the window.
    fn keep(&self, event: &Congestion) -> f64 {
        match event.kind {
            CongestionKind::Ecn => 1.0 - self.alpha / 2.0,
            CongestionKind::Loss | CongestionKind::Timeout => 0.5,
        }
    }
}

impl LinuxRule for Marks {
    fn measure(&mut self, _window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        self.on_ack(ack);
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, event: &Congestion) -> u32 {
        (f64::from(window.cwnd) * self.keep(event)) as u32
    }
}

impl BsdRule for Marks {
    fn acked(&mut self, window: &mut BsdWindow, _now: Timestamp, ack: &Acked) {
        self.on_ack(ack);
        window.newreno(ack);
    }

    fn congested(&mut self, window: &mut BsdWindow, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            window.timeout(event, 0.5);
        } else if !event.repeated {
            window.set_threshold(self.keep(event));
            window.enter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    // RFC 8257 section 3.3: a round without marks lowers alpha by 1/16 of itself: 1 -> 0.9375; the reduction
    // is then 1 - alpha/2.
    #[test]
    fn alpha_follows_the_share_of_marks() {
        let mut marks = Marks::new();
        let ack = |acked_to, sent_to, marked| Acked {
            bytes: Bytes::new(1000),
            marked: Bytes::new(marked),
            acked_to,
            sent_to,
            ..Acked::default()
        };
        marks.on_ack(&ack(1, 10, 0));
        assert!((marks.alpha - 0.9375).abs() < 1e-12);
        marks.on_ack(&ack(11, 20, 1000));
        assert!((marks.alpha - (0.9375 + 0.0625 / 16.0)).abs() < 1e-12);
        let window = LinuxWindow::new(1000, 100);
        let ecn = Congestion::first(CongestionKind::Ecn, Bytes::new(0));
        let loss = Congestion::first(CongestionKind::Loss, Bytes::new(0));
        assert_eq!(marks.threshold(&window, Timestamp::ZERO, &ecn), 52);
        assert_eq!(marks.threshold(&window, Timestamp::ZERO, &loss), 50);
    }
}
