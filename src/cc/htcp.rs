//! H-TCP: grows faster the longer no loss came.
//!
//! Source: Leith and Shorten, "H-TCP" (2004), draft-leith-tcp-htcp-06; Linux `net/ipv4/tcp_htcp.c`, FreeBSD
//! `sys/netinet/cc/cc_htcp.c`. FreeBSD's adaptive backoff and RTT scaling are off by default; Linux has both
//! on.

use super::bsd::BsdWindow;
use super::linux::LinuxWindow;
use super::rule::{BsdController, BsdRule, LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Phase, Prevalence, Stack};
use crate::cc::event::{jiffies, segments, ticks};
use crate::units::Timestamp;

/// Seconds of Reno after a loss (`delta_l`).
const REGULAR: f64 = 1.0;
/// Bounds of the window kept (Linux `BETA_MIN`, `BETA_MAX`).
const BETA_MIN: f64 = 0.5;
const BETA_MAX: f64 = 0.8;
/// RTT at which RTT scaling is neutral, and the bounds of what growth is divided by.
const SCALING_RTT: f64 = 0.1;
const SCALING: (f64, f64) = (0.5, 10.0);
/// Below this smallest RTT half is kept (Linux: 10 ms).
const MIN_RTT: f64 = 0.01;
/// Linux lets the largest RTT rise by at most this at once, seconds.
const MAX_RTT_STEP: f64 = 0.02;
/// Throughputs of two epochs that differ by more make the backoff a half (`use_bandwidth_switch`, a fifth).
const BANDWIDTH_SWITCH: f64 = 0.2;
/// Round trips after a loss in which the throughput starts anew.
const FRESH: f64 = 3.0;

/// The row.
pub(super) struct Htcp;

impl Algorithm for Htcp {
    fn name(&self) -> &'static str {
        "htcp"
    }

    fn reference(&self) -> &'static str {
        "Leith, Shorten 2004; Linux tcp_htcp.c, FreeBSD cc_htcp.c"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        match setup.stack {
            Stack::Linux(_) => {
                Box::new(LinuxController::new(LinuxWindow::of(setup), LinuxHtcp::new(setup.clock_hz)))
            }
            Stack::FreeBsd(_) => {
                let rule = BsdHtcp { hz: setup.clock_hz, epoch: 0 };
                Box::new(BsdController::new(BsdWindow::of(setup), rule))
            }
        }
    }
}

/// Segments of growth a round trip, `seconds` after the last loss: 1 + 10 (D - 1) + ((D - 1) / 2)^2.
fn increase(seconds: f64) -> f64 {
    let past = (seconds - REGULAR).max(0.0);
    1.0 + 10.0 * past + past * past / 4.0
}

#[derive(Debug)]
struct LinuxHtcp {
    hz: u32,
    alpha: f64,
    beta: f64,
    /// The bandwidth has been steady over two losses (`modeswitch`).
    steady: bool,
    last_loss: Option<Timestamp>,
    min_rtt: f64,
    max_rtt: f64,
    /// Throughput, the largest of this epoch, and that of the epoch before, segments a second.
    rate: f64,
    most: f64,
    old_most: f64,
    acked: u32,
    sample_start: Option<Timestamp>,
    /// Segments acknowledged since the window grew (`snd_cwnd_cnt`).
    count: u32,
}

impl LinuxHtcp {
    const fn new(hz: u32) -> Self {
        Self {
            hz,
            alpha: 1.0,
            beta: BETA_MIN,
            steady: false,
            last_loss: None,
            min_rtt: f64::INFINITY,
            max_rtt: 0.0,
            rate: 0.0,
            most: 0.0,
            old_most: 0.0,
            acked: 0,
            sample_start: None,
            count: 0,
        }
    }

    fn since_loss(&self, now: Timestamp) -> f64 {
        self.last_loss.map_or(0.0, |at| now.since(at).as_secs_f64())
    }

    /// `htcp_alpha_update`: in whole segments, longer paths growing faster.
    fn update_alpha(&mut self, now: Timestamp) {
        let mut factor = increase(self.since_loss(now)).floor();
        if self.min_rtt.is_finite() {
            let scale = (SCALING_RTT / self.min_rtt.max(1e-9)).clamp(SCALING.0, SCALING.1);
            factor = (factor / scale).floor().max(1.0);
        }
        self.alpha = 2.0 * factor * (1.0 - self.beta);
    }

    /// `htcp_beta_update`.
    fn update_beta(&mut self) {
        let change = (self.most - self.old_most).abs();
        let switched = change > BANDWIDTH_SWITCH * self.old_most;
        self.old_most = self.most;
        self.beta = BETA_MIN;
        if switched {
            self.steady = false;
        } else if self.steady && self.min_rtt > MIN_RTT && self.min_rtt.is_finite() && self.max_rtt > 0.0 {
            self.beta = (self.min_rtt / self.max_rtt).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.steady = true;
        }
    }
}

impl LinuxRule for LinuxHtcp {
    /// `measure_rtt`, `measure_achieved_throughput`.
    fn measure(&mut self, window: &mut LinuxWindow, now: Timestamp, ack: &Acked) {
        self.last_loss.get_or_insert(now);
        if let Some(rtt) = ack.rtt.map(|rtt| jiffies(rtt, self.hz).as_secs_f64()) {
            self.min_rtt = self.min_rtt.min(rtt);
            if ack.phase == Phase::Open {
                self.max_rtt = self.max_rtt.max(self.min_rtt);
                if rtt > self.max_rtt && rtt <= self.max_rtt + MAX_RTT_STEP {
                    self.max_rtt = rtt;
                }
            }
        }
        if ack.phase != Phase::Open {
            self.acked = 0;
            self.sample_start = Some(now);
            return;
        }
        let elapsed = now.since(*self.sample_start.get_or_insert(now)).as_secs_f64();
        self.acked += segments(ack.bytes, window.mss);
        let whole = window.cwnd.saturating_sub((self.alpha as u32).max(1));
        if self.acked >= whole && elapsed >= self.min_rtt && self.min_rtt.is_finite() {
            let sample = f64::from(self.acked) / elapsed.max(1e-9);
            if self.since_loss(now) <= FRESH * self.min_rtt {
                (self.rate, self.most) = (sample, sample);
            } else {
                self.rate = (3.0 * self.rate + sample) / 4.0;
                self.most = self.most.max(self.rate);
            }
            self.acked = 0;
            self.sample_start = Some(now);
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, now: Timestamp, _ack: &Acked, acked: u32) {
        if window.in_slow_start() {
            window.slow_start(acked);
            return;
        }
        // One segment in the kernel, since an ACK is never for so many that it could be more.
        let steps = (f64::from(self.count) * self.alpha / f64::from(window.cwnd.max(1))) as u32;
        if steps > 0 {
            window.cwnd = window.cwnd.saturating_add(steps);
            self.count = 0;
            self.update_alpha(now);
        } else {
            self.count = self.count.saturating_add(acked);
        }
    }

    fn threshold(&mut self, window: &LinuxWindow, now: Timestamp, _event: &Congestion) -> u32 {
        self.update_beta();
        self.update_alpha(now);
        // Let the largest RTT decay, so that it can be learnt anew.
        if self.min_rtt.is_finite() && self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + (self.max_rtt - self.min_rtt) * 0.95;
        }
        (f64::from(window.cwnd) * self.beta) as u32
    }

    fn reduced(&mut self, _window: &mut LinuxWindow, now: Timestamp, event: &Congestion) {
        self.count = 0;
        if !event.repeated {
            self.last_loss = Some(now);
        }
    }
}

#[derive(Debug)]
struct BsdHtcp {
    hz: u32,
    /// Tick of the last congestion event.
    epoch: i64,
}

impl BsdRule for BsdHtcp {
    fn acked(&mut self, window: &mut BsdWindow, now: Timestamp, ack: &Acked) {
        if !BsdWindow::may_grow(ack) {
            return;
        }
        let seconds = (ticks(now, self.hz) - self.epoch) as f64 / f64::from(self.hz);
        let alpha = increase(seconds).floor().max(1.0) as u64;
        if window.in_slow_start() {
            window.slow_start(ack, 1);
        } else {
            window.avoidance(ack, alpha);
        }
    }

    fn congested(&mut self, window: &mut BsdWindow, now: Timestamp, event: &Congestion) {
        window.newreno_cut(event);
        if event.kind != CongestionKind::Timeout || !event.repeated {
            self.epoch = ticks(now, self.hz);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Span};

    // draft-leith-tcp-htcp section 2: 1 up to a second, then 1 + 10 (D - 1) + 0.25 (D - 1)^2: 12 at 2.1 s by
    // hand.
    #[test]
    fn growth_rises_with_time_since_the_loss() {
        assert!((increase(0.9) - 1.0).abs() < 1e-12);
        assert!((increase(3.0) - 22.0).abs() < 1e-12);
        assert!((increase(2.1) - 12.3025).abs() < 1e-9);
    }

    /// Found by damaged captures: in a debug build the sum overflowed.
    #[test]
    fn two_centuries_after_a_loss_the_window_is_still_a_number() {
        for name in ["htcp", "illinois", "highspeed", "cubic", "bic", "hybla", "scalable", "cdg", "veno"] {
            let mut controller = crate::cc::algorithm(name).unwrap().start(&CcSetup::default());
            let loss = Congestion::first(CongestionKind::Loss, Bytes::new(100_000));
            controller.on_congestion(Timestamp::from_nanos(-9_000_000_000_000_000_000), &loss);
            for second in 0..2_000 {
                let ack = Acked {
                    bytes: Bytes::new(10_000_000),
                    rtt: Some(Span::from_millis(50)),
                    window_full: true,
                    ..Acked::default()
                };
                controller.on_ack(Timestamp::from_secs_nanos(second, 0), &ack);
            }
            controller.on_congestion(Timestamp::from_secs_nanos(2_000, 0), &loss);
            assert!(controller.window() > Bytes::new(0), "{name}");
        }
    }

    #[test]
    fn freebsd_adds_whole_segments_a_window() {
        let mut window = BsdWindow::new(1000, 10);
        window.ssthresh = 1000;
        let mut rule = BsdHtcp { hz: 1000, epoch: 0 };
        let ack = Acked { bytes: Bytes::new(10_000), window_full: true, ..Acked::default() };
        rule.acked(&mut window, Timestamp::from_nanos(2_100_000_000), &ack);
        assert_eq!(window.cwnd, 22_000);
    }
}
