//! CUBIC in FreeBSD (`sys/netinet/cc/cc_cubic.c`, `cc_cubic.h`), before and after reviews D47218 and D47213.
//!
//! Time since the loss is counted in whole clock ticks, and the window is *set* to the value of the curve
//! rather than moved towards it. Before D47213 the Reno-friendly window is RFC 8312 equation (4) with those
//! ticks over the mean of the smoothed RTT: with `kern.hz` of 100 and an RTT far below 10 ms it only moves
//! when a tick passes. After it, that window is `NewReno`'s own step on the current window. Fixed-point
//! arithmetic is done here in floating point with the same constants. Windows in bytes.

use crate::cc::Controller;
use crate::cc::bsd::BsdWindow;
use crate::cc::event::{Acked, CcSetup, Congestion, CongestionKind, Phase, Snapshot, Stack, ticks};
use crate::cc::hystart::{Advice, CSS_DIVISOR, HyStartPlusPlus};
use crate::units::{Bytes, Timestamp};

/// `CUBIC_BETA`, 179/256.
const BETA: f64 = 179.0 / 256.0;
/// `CUBIC_C_FACTOR`, 102/256.
const C: f64 = 102.0 / 256.0;
/// `CUBIC_FC_FACTOR`, 217/256: fast convergence.
const CONVERGENCE: f64 = 217.0 / 256.0;
/// `ONE_SUB_CUBIC_BETA`, 77/256.
const DROP: f64 = 77.0 / 256.0;
/// Growth of the friendly window in segments a round trip: 3 (1 - beta) / (2 - (1 - beta)) = 231/435.
const FRIENDLY: f64 = 231.0 / 435.0;
/// Kept at the first loss of a connection.
const FIRST_BETA: f64 = 0.5;
/// RTT samples needed before the smoothed RTT counts (`CUBIC_MIN_RTT_SAMPLES`).
const MIN_SAMPLES: u32 = 8;
/// First release with D47213.
const PATCHED: u32 = 15;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the kernel's flags, one for one")]
pub(super) struct BsdCubic {
    window: BsdWindow,
    hz: u32,
    patched: bool,
    hystart: Option<HyStartPlusPlus>,
    w_max: f64,
    k: f64,
    epoch: i64,
    congested: bool,
    in_slow_start: bool,
    app_limited: bool,
    after_timeout: bool,
    samples: u32,
    min_rtt: f64,
    mean_rtt: f64,
    rtt_sum: f64,
    rtt_count: u32,
    undo: (f64, f64, i64),
}

impl BsdCubic {
    pub(super) fn new(setup: &CcSetup) -> Self {
        let window = BsdWindow::new(setup.mss, setup.initial_window);
        Self {
            hz: setup.clock_hz,
            patched: matches!(setup.stack, Stack::FreeBsd(major) if major >= PATCHED),
            hystart: setup.hystart.then(HyStartPlusPlus::default),
            w_max: window.cwnd as f64,
            window,
            k: 0.0,
            epoch: 0,
            congested: false,
            in_slow_start: false,
            app_limited: false,
            after_timeout: false,
            samples: 0,
            min_rtt: f64::INFINITY,
            mean_rtt: 1e-6,
            rtt_sum: 0.0,
            rtt_count: 0,
            undo: (0.0, 0.0, 0),
        }
    }

    /// `cubic_k`: seconds from the loss to the old maximum.
    fn set_k(&mut self) {
        self.k = ((self.w_max / self.window.mss as f64).floor() * DROP / C).cbrt();
    }

    fn record_rtt(&mut self, ack: &Acked) {
        self.samples = self.samples.saturating_add(u32::from(ack.rtt.is_some()));
        let Some(srtt) = ack.srtt else { return };
        if self.samples < MIN_SAMPLES {
            return;
        }
        let srtt = srtt.as_secs_f64();
        if srtt < self.min_rtt {
            // Not below a tick's smallest fraction, 1/32.
            self.min_rtt = srtt.max(1.0 / f64::from(self.hz) / 32.0);
            self.mean_rtt = self.mean_rtt.max(self.min_rtt);
        }
        self.rtt_sum += srtt;
        self.rtt_count += 1;
    }

    fn avoidance(&mut self, now: Timestamp, ack: &Acked) {
        let tick = ticks(now, self.hz);
        if self.after_timeout && self.in_slow_start {
            self.after_timeout = false;
            self.w_max = self.window.cwnd as f64;
            self.epoch = tick;
            self.k = 0.0;
        } else if self.in_slow_start || self.app_limited {
            self.epoch = tick;
            self.set_k();
        }
        self.in_slow_start = false;
        self.app_limited = false;
        let mss = self.window.mss as f64;
        let elapsed = (tick - self.epoch).max(0) as f64 / f64::from(self.hz);
        let cubic = (self.w_max + mss * C * (elapsed + self.mean_rtt - self.k).powi(3)).max(0.0);
        let friendly = if self.patched {
            let step = if self.window.window_acked(ack) { mss } else { 0.0 };
            self.window.cwnd as f64 + step
        } else {
            self.w_max * BETA + FRIENDLY * mss * elapsed / self.mean_rtt
        };
        let target = if cubic < friendly { friendly } else { cubic };
        self.window.cwnd = self.window.cwnd.max(target.min(f64::from(i32::MAX)) as u64);
        if !self.congested && self.w_max < self.window.cwnd as f64 {
            self.w_max = self.window.cwnd as f64;
            self.set_k();
        }
    }

    fn slow_start(&mut self, ack: &Acked) {
        self.in_slow_start = true;
        let advice = match &mut self.hystart {
            Some(plus) if ack.phase == Phase::Open => plus.on_ack(ack),
            _ => Advice::Go,
        };
        match advice {
            Advice::Go => self.window.slow_start(ack, 1),
            Advice::Slow => self.window.slow_start(ack, CSS_DIVISOR),
            Advice::Leave => {
                self.window.ssthresh = self.window.cwnd.saturating_sub(1);
                self.hystart = None;
            }
        }
    }
}

impl Controller for BsdCubic {
    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        self.record_rtt(ack);
        if BsdWindow::may_grow(ack) {
            if self.window.in_slow_start() || self.min_rtt.is_infinite() {
                self.slow_start(ack);
            } else {
                self.avoidance(now, ack);
            }
        } else if !ack.window_full {
            self.app_limited = true;
        }
    }

    fn on_congestion(&mut self, now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            if !event.repeated {
                self.undo = (self.w_max, self.k, self.epoch);
            }
            self.window.timeout(event, BETA);
            self.congested = true;
            self.after_timeout = true;
            return;
        }
        if event.repeated {
            return;
        }
        self.hystart = None;
        self.undo = (self.w_max, self.k, self.epoch);
        let mut window = self.window.cwnd as f64;
        if window < self.w_max {
            window *= CONVERGENCE;
        }
        self.w_max = window;
        self.window.remember();
        let keep = if self.congested {
            window * BETA
        } else {
            self.w_max *= BETA;
            window * FIRST_BETA
        };
        self.window.ssthresh = (keep as u64).max(2 * self.window.mss);
        self.congested = true;
        self.epoch = ticks(now, self.hz);
        self.set_k();
        self.window.enter();
    }

    fn on_recovered(&mut self, _now: Timestamp, in_flight: Bytes) {
        self.window.recovered(in_flight);
        if self.rtt_count > 0 {
            self.mean_rtt = (self.rtt_sum / f64::from(self.rtt_count)).max(1e-6);
        }
        self.rtt_sum = 0.0;
        self.rtt_count = 0;
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.window.undo();
        (self.w_max, self.k, self.epoch) = self.undo;
        self.after_timeout = false;
    }

    fn window(&self) -> Bytes {
        self.window.bytes()
    }

    fn snapshot(&self) -> Snapshot {
        self.window.snapshot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn start(major: u32, hz: u32) -> BsdCubic {
        let stack = Stack::FreeBsd(major);
        let mut cubic = BsdCubic::new(&CcSetup {
            stack,
            clock_hz: hz,
            initial_window: 100,
            mss: 1000,
            hystart: false,
            ..CcSetup::default()
        });
        cubic.min_rtt = 0.0022;
        cubic.mean_rtt = 0.0022;
        cubic.window.ssthresh = 1_000;
        cubic.congested = true;
        cubic.w_max = 50_000.0;
        cubic.on_congestion(Timestamp::ZERO, &Congestion::first(CongestionKind::Loss, Bytes::new(100_000)));
        cubic
    }

    fn ack(bytes: u64) -> Acked {
        Acked {
            bytes: Bytes::new(bytes),
            window_full: true,
            srtt: Some(Span::from_micros(2200)),
            ..Acked::default()
        }
    }

    // Section 4 of the review's arithmetic, by hand: at hz 100 nothing moves within a tick; at the next one
    // the friendly window is 0.699 * 100 + 0.531 * 10 ms / 2.2 ms = 69.92 + 2.41 segments.
    #[test]
    fn before_the_patch_growth_waits_for_the_tick() {
        let mut cubic = start(14, 100);
        assert_eq!(cubic.window.cwnd, 69_921);
        // At the threshold itself the kernel still takes a step of slow start.
        for _ in 0..30 {
            cubic.on_ack(Timestamp::from_nanos(9_000_000), &ack(1000));
            assert_eq!(cubic.window.cwnd, 70_921);
        }
        cubic.on_ack(Timestamp::from_nanos(10_000_000), &ack(1000));
        assert!((cubic.window.cwnd as f64 - 72_335.0).abs() < 2.0, "{}", cubic.window.cwnd);
    }

    #[test]
    fn after_the_patch_it_is_a_segment_a_window() {
        let mut cubic = start(15, 100);
        for _ in 0..72 {
            cubic.on_ack(Timestamp::from_nanos(9_000_000), &ack(1000));
        }
        assert_eq!(cubic.window.cwnd, 71_921);
    }

    // Fast convergence: 100 -> 69.9; a second loss below W_max = 100 keeps 217/256 * 179/256 = 0.593.
    #[test]
    fn a_loss_below_the_old_peak_keeps_six_tenths() {
        let mut cubic = start(14, 1000);
        cubic.on_congestion(Timestamp::ZERO, &Congestion::first(CongestionKind::Loss, Bytes::new(69_921)));
        assert_eq!(cubic.window.cwnd, (69_921.0 * 217.0 / 256.0 * 179.0 / 256.0) as u64);
    }
}
