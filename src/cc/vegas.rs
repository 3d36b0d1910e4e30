//! Vegas: keeps a few segments in the queue, told by the RTT, and is Reno at a loss.
//!
//! Source: Brakmo and Peterson, "TCP Vegas" (1995); Linux `net/ipv4/tcp_vegas.c`, FreeBSD
//! `sys/netinet/cc/cc_vegas.c`, whose constants differ. FreeBSD's rates are whole bytes per millisecond, as
//! in the kernel.

use super::bsd::BsdWindow;
use super::ertt::Ertt;
use super::linux::LinuxWindow;
use super::round::{Round, Samples};
use super::rule::{BsdController, BsdRule, LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Phase, Prevalence, Stack};
use crate::units::Timestamp;

/// Linux: fewer queued segments than `alpha` grow the window, more than `beta` shrink it, more than `gamma`
/// end slow start.
const ALPHA: f64 = 2.0;
const BETA: f64 = 4.0;
const GAMMA: f64 = 1.0;
/// Linux: a round with fewer samples is Reno's.
const MIN_SAMPLES: u32 = 3;
/// FreeBSD: `vegas_alpha` and `vegas_beta`.
const BSD_ALPHA: i64 = 1;
const BSD_BETA: i64 = 3;

/// The row.
pub(super) struct Vegas;

impl Algorithm for Vegas {
    fn name(&self) -> &'static str {
        "vegas"
    }

    fn reference(&self) -> &'static str {
        "Brakmo, Peterson 1995; Linux tcp_vegas.c, FreeBSD cc_vegas.c"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        match setup.stack {
            Stack::Linux(_) => Box::new(LinuxController::new(LinuxWindow::of(setup), LinuxVegas::default())),
            Stack::FreeBsd(_) => {
                let rule = BsdVegas { ertt: Ertt::new(setup.clock_hz), slow_start: true };
                Box::new(BsdController::new(BsdWindow::of(setup), rule))
            }
        }
    }
}

#[derive(Debug, Default)]
struct LinuxVegas {
    round: Round,
    due: Option<Samples>,
}

impl LinuxRule for LinuxVegas {
    fn measure(&mut self, _window: &mut LinuxWindow, _now: Timestamp, ack: &Acked) {
        // Vegas is off outside the open state and its round starts anew after it (`tcp_vegas_state`).
        if ack.phase != Phase::Open {
            self.round.restart(ack.sent_to);
            self.due = None;
        } else if let Some(samples) = self.round.on_ack(ack) {
            self.due = Some(samples);
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked, acked: u32) {
        if ack.phase != Phase::Open {
            window.reno(acked);
            return;
        }
        let Some(samples) = self.due.take() else {
            if window.in_slow_start() {
                window.slow_start(acked);
            }
            return;
        };
        let (Some(base), Some(rtt)) = (self.round.base, samples.min) else { return };
        if samples.count < MIN_SAMPLES {
            window.reno(acked);
            return;
        }
        let cwnd = f64::from(window.cwnd);
        let ratio = base.as_secs_f64() / rtt.as_secs_f64().max(1e-9);
        let queued = cwnd * (1.0 / ratio - 1.0);
        if window.in_slow_start() {
            if queued > GAMMA {
                window.cwnd = window.cwnd.min(((cwnd * ratio) as u32).saturating_add(1)).max(2);
                window.ssthresh = window.ssthresh.min(window.cwnd.saturating_sub(1)).max(2);
            } else {
                window.slow_start(acked);
            }
        } else if queued > BETA {
            window.cwnd -= 1;
            window.ssthresh = window.ssthresh.min(window.cwnd.saturating_sub(1)).max(2);
        } else if queued < ALPHA {
            window.cwnd += 1;
        }
        window.cwnd = window.cwnd.max(2);
    }
}

#[derive(Debug)]
struct BsdVegas {
    ertt: Ertt,
    /// Slow start grows on every other round trip only (`slow_start_toggle`).
    slow_start: bool,
}

impl BsdRule for BsdVegas {
    fn acked(&mut self, window: &mut BsdWindow, now: Timestamp, ack: &Acked) {
        if self.ertt.on_ack(now, ack, window.cwnd) && self.ertt.min > 0 && self.ertt.marked_rtt > 0 {
            let expected = self.ertt.marked_window.cast_signed() / self.ertt.min;
            let actual = self.ertt.marked_bytes.cast_signed() / self.ertt.marked_rtt;
            let queued = (expected - actual) * self.ertt.min / window.mss.cast_signed();
            if queued < BSD_ALPHA {
                if window.in_slow_start() {
                    self.slow_start = !self.slow_start;
                } else {
                    self.slow_start = false;
                    if ack.window_full {
                        window.cwnd += window.mss;
                    }
                }
            } else if queued > BSD_BETA {
                self.slow_start = false;
                if ack.phase == Phase::Open {
                    window.cwnd = (window.cwnd - window.mss).max(2 * window.mss);
                    window.ssthresh = window.ssthresh.min(window.cwnd - 1);
                }
            }
        }
        if self.slow_start {
            window.newreno(ack);
        }
    }

    fn congested(&mut self, window: &mut BsdWindow, _now: Timestamp, event: &Congestion) {
        window.newreno_cut(event);
        self.slow_start = event.kind == CongestionKind::Timeout;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Span};

    fn after_round(rtt_ms: i64) -> u32 {
        let mut window = LinuxWindow::new(1448, 100);
        window.leave_slow_start();
        let mut rule = LinuxVegas::default();
        for i in 0..10 {
            let rtt = Some(Span::from_millis(if i == 0 { 50 } else { rtt_ms }));
            let (acked_to, sent_to) = (i / 5 * 100 + 1, i / 5 * 100 + 100);
            let ack = Acked { rtt, acked_to, sent_to, bytes: Bytes::new(1448), ..Acked::default() };
            rule.measure(&mut window, Timestamp::ZERO, &ack);
            if i == 5 {
                rule.grow(&mut window, Timestamp::ZERO, &ack, 1);
            }
        }
        window.cwnd
    }

    // 100 segments at a base of 50 ms: 51 ms is 2 queued (stay), 50 ms none (grow), 53 ms six (shrink). The
    // round's smallest RTT counts, and the first sample belongs to the round before.
    #[test]
    fn two_to_four_segments_stay_in_the_queue() {
        let _ = after_round(50);
        assert_eq!((after_round(50), after_round(51), after_round(53)), (101, 100, 99));
    }
}
