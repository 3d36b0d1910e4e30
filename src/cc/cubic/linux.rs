//! CUBIC in Linux (`net/ipv4/tcp_cubic.c`), which is RFC 9438 but for what follows.
//!
//! The window is recomputed at most 32 times a second while it stands still; it grows at most by half in a
//! round trip (RFC 9438 section 4.2 clamps the target to 1.5 windows) and before the first loss by 5 %; the
//! Reno-friendly window grows by 8/15 segments a round trip throughout and does not change to 1 above the old
//! maximum (section 4.3). Time includes the smallest RTT, so that the target is the window one RTT from now
//! (section 4.2). A timeout forgets everything. Windows in segments.
//! A textbook flow is what section 5 of the RFC computes: its window is that of the Reno-friendly region itself
//! wherever that is larger (section 4.3), looked at with each ACK, and it has no fast convergence, which a flow that is
//! alone should do without (section 4.7).
//! Departure: the target is rounded down, where the kernel's shift rounds towards the origin, so that with
//! periodic loss the window is that of RFC 9438 section 5.

use super::C;
use crate::cc::Controller;
use crate::cc::event::{Acked, CcSetup, Congestion, CongestionKind, Phase, Snapshot};
use crate::cc::hystart::HyStart;
use crate::cc::linux::LinuxWindow;
use crate::units::{Bytes, Span, Timestamp};

/// Window kept at a loss: 717/1024 (RFC 9438 section 4.6: 0.7).
const BETA: f64 = 717.0 / 1024.0;
/// Segments acknowledged for each segment of the Reno-friendly window, in windows: `beta_scale` / 8 = 15/8.
const FRIENDLY: f64 = 15.0 / 8.0;
/// What the Reno-friendly window grows by in a round trip (RFC 9438 section 4.3): 3 (1 - 0.7) / (1 + 0.7). Above the window of
/// the last loss it would be 1, but the steady state that section 5 computes does not get there.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// With an unchanged window there is no new target for this long (HZ/32).
const RECOMPUTE: Span = Span::from_nanos(31_250_000);
/// Growth before the first loss: one segment for this many acknowledged at least as fast.
const PROBING_COUNT: u32 = 20;
/// RTT samples this soon after an epoch began are not trusted.
const SETTLE: Span = Span::from_secs(1);

#[derive(Debug)]
pub(super) struct LinuxCubic {
    window: LinuxWindow,
    hystart: Option<HyStart>,
    textbook: bool,
    /// The Reno-friendly window after the last loss, of a textbook flow, in parts of a segment too.
    reduced: Option<f64>,
    min_rtt: Option<Span>,
    /// Window at the last loss, lowered by fast convergence; 0 before the first.
    w_max: u32,
    epoch: Option<Epoch>,
    per: u32,
    last_window: u32,
    last_time: Option<Timestamp>,
}

/// A congestion-avoidance stage.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Timestamp,
    /// Seconds until the cubic reaches its origin, and the window there.
    k: f64,
    origin: f64,
    /// The Reno-friendly window and the segments acknowledged towards its next one.
    friendly: f64,
    acked: f64,
}

impl LinuxCubic {
    pub(super) fn new(setup: &CcSetup) -> Self {
        Self {
            window: LinuxWindow::new(setup.mss, setup.initial_window),
            hystart: setup.hystart.then(|| HyStart::new(setup.paced)),
            textbook: setup.textbook,
            reduced: None,
            min_rtt: None,
            w_max: 0,
            epoch: None,
            per: 1,
            last_window: 0,
            last_time: None,
        }
    }

    /// RFC 9438 section 4.2: segments to be acknowledged for each segment of growth.
    fn update(&mut self, now: Timestamp, acked: u32) {
        let window = f64::from(self.window.cwnd);
        let settled =
            self.last_window == self.window.cwnd && self.last_time.is_some_and(|t| now.since(t) <= RECOMPUTE);
        if settled
            && !self.textbook
            && let Some(epoch) = &mut self.epoch
        {
            epoch.acked += f64::from(acked);
            return;
        }
        self.last_window = self.window.cwnd;
        self.last_time = Some(now);
        let w_max = f64::from(self.w_max);
        let fresh = Epoch {
            start: now,
            k: ((w_max - window).max(0.0) / C).cbrt(),
            origin: w_max.max(window),
            friendly: self.reduced.take().unwrap_or(window),
            acked: 0.0,
        };
        let epoch = self.epoch.get_or_insert(fresh);
        epoch.acked += f64::from(acked);
        let t = now.since(epoch.start).as_secs_f64() + self.min_rtt.map_or(0.0, Span::as_secs_f64);
        let target = (C * (t - epoch.k).powi(3) + epoch.origin).floor();
        let mut per = if target > window { window / (target - window) } else { 100.0 * window };
        if self.w_max == 0 {
            per = per.min(f64::from(PROBING_COUNT));
        }
        if self.textbook {
            epoch.friendly += ALPHA * epoch.acked / window;
            epoch.acked = 0.0;
            self.window.cwnd = self.window.cwnd.max(epoch.friendly as u32);
            self.per = (per as u32).max(2);
            return;
        }
        let step = (window * FRIENDLY).floor();
        let steps = (epoch.acked / step).floor();
        epoch.friendly += steps;
        epoch.acked -= steps * step;
        if epoch.friendly > window {
            per = per.min(window / (epoch.friendly - window));
        }
        self.per = (per as u32).max(2);
    }
}

impl Controller for LinuxCubic {
    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        if let Some(rtt) = ack.rtt
            && self.epoch.is_none_or(|epoch| now.since(epoch.start) >= SETTLE)
        {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |held| held.min(rtt)));
        }
        if self.window.in_slow_start()
            && ack.phase == Phase::Open
            && let (Some(hystart), Some(base)) = (&mut self.hystart, self.min_rtt)
            && hystart.on_ack(now, ack, self.window.cwnd, base)
        {
            self.window.leave_slow_start();
        }
        let mut acked = self.window.growth(ack);
        if acked > 0 && self.window.in_slow_start() {
            acked = self.window.slow_start(acked);
        }
        if acked > 0 {
            self.update(now, acked);
            self.window.additive(self.per, acked);
        }
    }

    fn on_congestion(&mut self, _now: Timestamp, event: &Congestion) {
        let cwnd = self.window.cwnd;
        if !event.repeated {
            let friendly = self.epoch.take().map_or(0.0, |epoch| epoch.friendly);
            self.reduced = self.textbook.then(|| friendly.max(f64::from(cwnd)) * BETA);
            // Fast convergence, RFC 9438 section 4.7.
            let lowered = !self.textbook && cwnd < self.w_max;
            self.w_max = if lowered { (f64::from(cwnd) * (1.0 + BETA) / 2.0) as u32 } else { cwnd };
        }
        self.window.reduce(event, || (f64::from(cwnd) * BETA) as u32);
        if event.kind == CongestionKind::Timeout {
            self.w_max = 0;
            self.reduced = None;
            self.epoch = None;
            self.min_rtt = None;
            self.last_window = 0;
            self.last_time = None;
            if let Some(hystart) = &mut self.hystart {
                hystart.reset();
            }
        }
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.window.undo();
    }

    fn correct(&mut self, window: Bytes) {
        self.window.correct(window);
        // The stage begins from the window shown.
        self.epoch = None;
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

    fn cubic(window: u32) -> LinuxCubic {
        let setup = CcSetup { hystart: false, initial_window: window, ..CcSetup::default() };
        let mut cubic = LinuxCubic::new(&setup);
        let event = Congestion::first(CongestionKind::Loss, cubic.window());
        cubic.on_congestion(Timestamp::ZERO, &event);
        cubic
    }

    // RFC 9438 section 4.6 with 717/1024: 1000 -> 700; K = cbrt(300 / 0.4) = 9.086 s (section 4.2, figure 2).
    #[test]
    fn k_is_the_time_to_the_old_window() {
        let mut cubic = cubic(1000);
        assert_eq!(cubic.window.cwnd, 700);
        cubic.update(Timestamp::ZERO, 1);
        let epoch = cubic.epoch.unwrap();
        assert!((epoch.k - 9.0856).abs() < 1e-3, "{}", epoch.k);
        assert!((epoch.origin - 1000.0).abs() < 1e-9);
    }

    // RFC 9438 figure 1 one second into the stage, hand-computed: 0.4 (1 - 9.0856)^3 + 1000 = 788.6 -> 788;
    // 88 segments above 700, so one for each 700/88 = 7 acknowledged.
    #[test]
    fn growth_heads_for_the_cubic() {
        let mut cubic = cubic(1000);
        cubic.update(Timestamp::ZERO, 1);
        cubic.last_window = 0;
        cubic.update(Timestamp::from_nanos(1_000_000_000), 1);
        assert_eq!(cubic.per, 7);
    }

    // RFC 9438 section 4.7: a loss below the old maximum lowers it to w (1 + beta)/2 = 700 * 0.85 = 595.
    #[test]
    fn fast_convergence_gives_way() {
        let mut cubic = cubic(1000);
        let event = Congestion::first(CongestionKind::Loss, cubic.window());
        cubic.on_congestion(Timestamp::ZERO, &event);
        assert_eq!((cubic.w_max, cubic.window.cwnd), (595, 490));
    }
}
