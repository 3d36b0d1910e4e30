//! CAIA Delay Gradient: backs off by chance when the RTT rises from one round trip to the next.
//!
//! Source: Hayes and Armitage, "Revisiting TCP congestion control using delay gradients" (2011); FreeBSD
//! `sys/netinet/cc/cc_cdg.c`, Linux `net/ipv4/tcp_cdg.c`. FreeBSD takes a loss for congestion only if the
//! queue seems full; Linux has that tolerance off by default. FreeBSD counts in milliseconds of TCP
//! timestamps.

use super::bsd::BsdWindow;
use super::ertt::Ertt;
use super::hystart::HyStart;
use super::linux::LinuxWindow;
use super::random::uniform;
use super::round::{Round, Samples};
use super::rule::{BsdController, BsdRule, LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Phase, Stack};
use crate::units::Timestamp;

/// Gradients that are averaged (`smoothing_factor`, `window`).
const SAMPLES: usize = 8;
/// FreeBSD: P = 1 - exp(-gradient / 3) (`exp_backoff_scale`), and 1 above five times that (`MAXGRAD`).
const BSD_SCALE: f64 = 3.0;
const BSD_CERTAIN: f64 = 5.0 * BSD_SCALE;
/// Linux: P = 1 - exp(-42e-6 times the sum of eight gradients in microseconds) (`backoff_factor`).
const LINUX_FACTOR: f64 = 42.0;
/// Window kept at a delay backoff: 70 % (`beta_delay`), Linux 0.7071 (`backoff_beta`).
const BSD_KEEP: f64 = 0.7;
const LINUX_KEEP: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// After so many backoffs in a row without effect (`consec_cong`, `use_ineff`) FreeBSD holds for as many
/// (`hold_backoff`).
const INEFFECTIVE: u32 = 5;
const HOLD: u32 = 5;
/// Linux: a gradient this far below zero shows an effect, seconds.
const EFFECT: f64 = -32e-6;

/// The row.
pub(super) struct Cdg;

impl Algorithm for Cdg {
    fn name(&self) -> &'static str {
        "cdg"
    }

    fn reference(&self) -> &'static str {
        "Hayes, Armitage 2011; FreeBSD cc_cdg.c, Linux tcp_cdg.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        match setup.stack {
            Stack::Linux(_) => {
                let window = LinuxWindow::of(setup);
                let rule = LinuxCdg::new(setup, window.cwnd);
                Box::new(LinuxController::new(window, rule))
            }
            Stack::FreeBsd(_) => {
                let window = BsdWindow::of(setup);
                let rule = BsdCdg::new(setup, window.cwnd);
                Box::new(BsdController::new(window, rule))
            }
        }
    }
}

/// The last gradients and their sum.
#[derive(Debug, Default)]
struct Gradients {
    held: [f64; SAMPLES],
    at: usize,
    filled: bool,
    sum: f64,
}

impl Gradients {
    fn add(&mut self, gradient: f64) {
        self.sum += gradient - self.held[self.at];
        self.held[self.at] = gradient;
        self.at = (self.at + 1) % SAMPLES;
        self.filled |= self.at == 0;
    }

    /// The sum as if all eight were there.
    fn extrapolated(&self) -> f64 {
        if self.filled { self.sum } else { self.sum * SAMPLES as f64 / self.at.max(1) as f64 }
    }

    fn average(&self) -> f64 {
        self.sum / SAMPLES as f64
    }
}

#[derive(Debug)]
struct LinuxCdg {
    random: u64,
    hystart: Option<HyStart>,
    round: Round,
    previous: Option<Samples>,
    min: Gradients,
    max: Gradients,
    shadow: u32,
    backoffs: u32,
    /// A backoff shall be made as if an ECN echo had come.
    reducing_until: u64,
}

impl LinuxCdg {
    fn new(setup: &CcSetup, shadow: u32) -> Self {
        Self {
            random: setup.seed,
            hystart: setup.hystart.then(|| HyStart::new(setup.paced)),
            round: Round::default(),
            previous: None,
            min: Gradients::default(),
            max: Gradients::default(),
            shadow,
            backoffs: 0,
            reducing_until: 0,
        }
    }

    /// The sum of the gradients if it is positive, in seconds.
    fn gradient(&mut self, now: &Samples, before: &Samples) -> f64 {
        let (Some(min), Some(max), Some(min0), Some(max0)) = (now.min, now.max, before.min, before.max)
        else {
            return 0.0;
        };
        self.min.add((min - min0).as_secs_f64());
        self.max.add((max - max0).as_secs_f64());
        if self.min.sum <= EFFECT || self.max.sum <= EFFECT {
            self.backoffs = 0;
        }
        if self.min.sum > 0.0 { self.min.extrapolated() } else { self.max.extrapolated() }
    }
}

impl LinuxRule for LinuxCdg {
    fn measure(&mut self, window: &mut LinuxWindow, now: Timestamp, ack: &Acked) {
        if ack.phase != Phase::Open {
            self.round.restart(ack.sent_to);
            self.previous = None;
            return;
        }
        if window.in_slow_start()
            && let (Some(hystart), Some(base)) = (&mut self.hystart, self.round.base)
            && hystart.on_ack(now, ack, window.cwnd, base)
        {
            window.leave_slow_start();
        }
        let Some(samples) = self.round.on_ack(ack).filter(|s| s.count > 0) else { return };
        let gradient = match self.previous.replace(samples) {
            Some(before) => self.gradient(&samples, &before),
            None => 0.0,
        };
        if gradient <= 0.0 || uniform(&mut self.random) <= (-gradient * LINUX_FACTOR).exp() {
            return;
        }
        self.backoffs += 1;
        if self.backoffs <= INEFFECTIVE {
            self.shadow = self.shadow.max(window.cwnd);
            window.cwnd = ((f64::from(window.cwnd) * LINUX_KEEP) as u32).max(2);
            window.ssthresh = window.cwnd;
            // The reduction takes a round trip, whose gradient does not count.
            self.reducing_until = ack.sent_to;
            self.previous = None;
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked, acked: u32) {
        if ack.acked_to < self.reducing_until {
            return;
        }
        let before = window.cwnd;
        window.reno(acked);
        self.shadow = self.shadow.saturating_add(window.cwnd - before);
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        self.shadow = (self.shadow / 2).min(window.cwnd);
        self.shadow.max(window.cwnd / 2)
    }
}

/// What FreeBSD makes of the smoothed gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    Unknown,
    Empty,
    Rising,
    Falling,
    Full,
}

#[derive(Debug)]
struct BsdCdg {
    random: u64,
    ertt: Ertt,
    /// Smallest and largest RTT of this round trip and of the one before; 0 for none.
    rtt: (i64, i64),
    previous: (i64, i64),
    min: Gradients,
    max: Gradients,
    queue: Queue,
    shadow: u64,
    backoffs: u32,
    reducing_until: u64,
}

impl BsdCdg {
    fn new(setup: &CcSetup, shadow: u64) -> Self {
        Self {
            random: setup.seed,
            ertt: Ertt::new(setup.clock_hz),
            rtt: (i64::MAX, 0),
            previous: (0, 0),
            min: Gradients::default(),
            max: Gradients::default(),
            queue: Queue::Unknown,
            shadow,
            backoffs: 0,
            reducing_until: 0,
        }
    }

    fn chance(&mut self, gradient: f64) -> bool {
        gradient > BSD_CERTAIN || uniform(&mut self.random) < 1.0 - (-gradient / BSD_SCALE).exp()
    }

    /// A round trip has ended; whether to back off.
    fn measured(&mut self, slow_start: bool) -> bool {
        let mut backoff = false;
        if self.previous.1 > 0 {
            let now_min = (self.rtt.0 - self.previous.0) as f64;
            let now_max = (self.rtt.1 - self.previous.1) as f64;
            self.min.add(now_min);
            self.max.add(now_max);
            let (min, max) = (self.min.average(), self.max.average());
            let candidates = [(slow_start, now_min), (true, min), (slow_start, now_max), (true, max)];
            if let Some((_, gradient)) = candidates.into_iter().find(|(on, g)| *on && *g > 0.0) {
                backoff = self.chance(gradient);
            }
            self.queue = if min > 0.0 && max <= 0.0 {
                Queue::Full
            } else if min >= 0.0 && max < 0.0 {
                self.shadow = 0;
                Queue::Empty
            } else if min > 0.0 && max > 0.0 {
                Queue::Rising
            } else if min < 0.0 && max < 0.0 {
                Queue::Falling
            } else {
                self.queue
            };
            if min < 0.0 || max < 0.0 {
                self.backoffs = 0;
            }
        }
        self.previous = self.rtt;
        self.rtt = (i64::MAX, 0);
        backoff
    }

    fn back_off(&mut self, window: &mut BsdWindow, ack: &Acked) {
        self.backoffs += 1;
        if ack.phase != Phase::Open || ack.acked_to < self.reducing_until {
            return;
        }
        if self.backoffs <= INEFFECTIVE {
            window.ssthresh = ((window.cwnd as f64 * BSD_KEEP) as u64).max(2 * window.mss);
            window.enter();
            self.reducing_until = ack.sent_to;
        } else if self.backoffs >= INEFFECTIVE + HOLD {
            self.backoffs = 0;
        }
        // The effect shows in the second round trip from now.
        self.previous.1 = 0;
        self.shadow = self.shadow.max(window.cwnd);
    }
}

impl BsdRule for BsdCdg {
    fn acked(&mut self, window: &mut BsdWindow, now: Timestamp, ack: &Acked) {
        let measured = self.ertt.on_ack(now, ack, window.cwnd);
        if self.ertt.rtt > 0 {
            self.rtt = (self.rtt.0.min(self.ertt.rtt), self.rtt.1.max(self.ertt.rtt));
        }
        if measured && self.rtt.1 > 0 && self.measured(window.in_slow_start()) {
            self.back_off(window, ack);
        } else if BsdWindow::may_grow(ack) {
            // A segment for each ACK in slow start, one for each measurement after it.
            let step = if window.in_slow_start() || measured { window.mss } else { 0 };
            window.cwnd = window.cwnd.saturating_add(step);
            if self.shadow > 0 {
                self.shadow += step;
            }
        }
    }

    fn congested(&mut self, window: &mut BsdWindow, _now: Timestamp, event: &Congestion) {
        if event.kind != CongestionKind::Loss {
            window.newreno_cut(event);
        } else if !event.repeated {
            window.remember();
            if self.queue == Queue::Full {
                self.shadow /= 2;
                window.ssthresh = self.shadow.max(window.cwnd / 2).max(2 * window.mss);
                window.enter();
            } else {
                window.ssthresh = window.cwnd;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn cdg() -> BsdCdg {
        BsdCdg::new(&CcSetup { seed: 3, ..CcSetup::default() }, 100_000)
    }

    // cc_cdg.c: P = 1 - exp(-g/3): 63 % at 3 ms, always above 15 ms.
    #[test]
    fn the_chance_follows_the_gradient() {
        let mut cdg = cdg();
        let hits = (0..10_000).filter(|_| cdg.chance(3.0)).count() as f64 / 10_000.0;
        assert!((hits - 0.632).abs() < 0.02, "{hits}");
        assert!((0..100).all(|_| cdg.chance(15.1)));
    }

    #[test]
    fn a_loss_counts_only_when_the_queue_is_full() {
        let mut window = BsdWindow::new(1000, 100);
        let event = Congestion::first(CongestionKind::Loss, Bytes::new(100_000));
        let mut cdg = cdg();
        cdg.queue = Queue::Rising;
        cdg.congested(&mut window, Timestamp::ZERO, &event);
        assert_eq!(window.cwnd, 100_000);
        cdg.queue = Queue::Full;
        cdg.congested(&mut window, Timestamp::ZERO, &event);
        assert_eq!(window.cwnd, 50_000);
    }

    #[test]
    fn eight_gradients_are_summed() {
        let mut gradients = Gradients::default();
        for i in 0..10 {
            gradients.add(f64::from(i));
        }
        assert!((gradients.sum - 44.0).abs() < 1e-9 && gradients.filled);
    }
}
