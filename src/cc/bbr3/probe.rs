//! The bandwidth-probing cycle of BBR v3: down, cruise, refill, up.
//!
//! Source: draft-ietf-ccwg-bbr-02 section 5.3.3.

use super::model::Model;
use crate::cc::Acked;
use crate::cc::random::{splitmix, uniform};
use crate::units::{Span, Timestamp};

/// Pacing gains of the phases.
const DOWN: f64 = 0.90;
const UP: f64 = 1.25;
/// Wait between probes: 2 to 3 s of time, or 62 to 63 round trips if Reno would be faster
/// (`BBRPickProbeWait`).
const WAIT: f64 = 2.0;
const WAIT_ROUNDS: f64 = 62.0;
/// `BBRLossThresh`, for the flight a sample was sent in.
const LOSS_THRESHOLD: f64 = 0.02;

/// The phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cycle {
    Down,
    Cruise,
    Refill,
    Up,
}

/// What the phases look at, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) in_flight: f64,
    /// One bandwidth-delay product, and the one of the upward gain.
    pub(super) target: f64,
    pub(super) up_target: f64,
    pub(super) window: f64,
    pub(super) acked: f64,
    pub(super) min_rtt: Span,
}

#[derive(Debug)]
pub(super) struct Probe {
    pub(super) cycle: Cycle,
    random: u64,
    started: Timestamp,
    wait: f64,
    rounds_since: f64,
    phase_round: u64,
    /// Growth of the long-term limit: segments acknowledged for each one more, and those counted so far.
    up_per: f64,
    up_acked: f64,
    up_rounds: u32,
    fresh_samples: bool,
    stopped_risky: bool,
}

impl Probe {
    pub(super) const fn new(random: u64) -> Self {
        Self {
            cycle: Cycle::Down,
            random,
            started: Timestamp::ZERO,
            wait: 0.0,
            rounds_since: 0.0,
            phase_round: 0,
            up_per: f64::INFINITY,
            up_acked: 0.0,
            up_rounds: 0,
            fresh_samples: false,
            stopped_risky: false,
        }
    }

    pub(super) const fn pacing_gain(&self) -> f64 {
        match self.cycle {
            Cycle::Down => DOWN,
            Cycle::Cruise | Cycle::Refill => 1.0,
            Cycle::Up => UP,
        }
    }

    pub(super) const fn is_probing(&self) -> bool {
        matches!(self.cycle, Cycle::Refill | Cycle::Up)
    }

    /// `BBRStartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Timestamp, model: &mut Model) {
        self.cycle = Cycle::Down;
        self.started = now;
        self.wait = WAIT + uniform(&mut self.random);
        self.rounds_since = (splitmix(&mut self.random) % 2) as f64;
        self.up_per = f64::INFINITY;
        self.phase_round = model.round;
        self.fresh_samples = true;
    }

    /// `BBRStartProbeBW_CRUISE`.
    pub(super) const fn start_cruise(&mut self) {
        self.cycle = Cycle::Cruise;
    }

    fn start_refill(&mut self, model: &mut Model) {
        self.cycle = Cycle::Refill;
        model.reset_short_term();
        self.up_rounds = 0;
        self.up_acked = 0.0;
        self.phase_round = model.round;
        self.fresh_samples = false;
        self.stopped_risky = false;
    }

    fn start_up(&mut self, now: Timestamp, model: &Model, window: f64) {
        self.cycle = Cycle::Up;
        self.started = now;
        self.phase_round = model.round;
        self.fresh_samples = true;
        self.raise_slope(window);
    }

    /// The limit grows by a segment in the first round trip of a probe, and twice as much in each further
    /// one.
    fn raise_slope(&mut self, window: f64) {
        self.up_per = (window / f64::from(1_u32 << self.up_rounds.min(30))).max(1.0);
        self.up_rounds += 1;
    }

    /// Time to probe for more, or earlier where Reno would have grown by a window.
    fn is_due(&self, now: Timestamp, view: &View) -> bool {
        now.since(self.started).as_secs_f64() > self.wait
            || self.rounds_since >= WAIT_ROUNDS.min(view.target.max(1.0))
    }

    /// Takes an ACK.
    pub(super) fn on_ack(&mut self, now: Timestamp, ack: &Acked, view: &View, model: &mut Model, mss: u32) {
        if model.round_start {
            self.rounds_since += 1.0;
        }
        if self.adapt(now, ack, view, model, mss) {
            return;
        }
        match self.cycle {
            Cycle::Down => {
                if self.is_due(now, view) {
                    self.start_refill(model);
                } else if view.in_flight <= model.with_headroom() && view.in_flight <= view.target {
                    self.start_cruise();
                }
            }
            Cycle::Cruise => {
                if self.is_due(now, view) {
                    self.start_refill(model);
                }
            }
            Cycle::Refill => {
                if model.round > self.phase_round {
                    self.start_up(now, model, view.window);
                }
            }
            Cycle::Up => {
                let long_enough = now.since(self.started) > view.min_rtt;
                if long_enough && view.in_flight > view.up_target {
                    model.next_cycle();
                    self.start_down(now, model);
                }
            }
        }
    }

    /// `BBRAdaptUpperBounds`: a probe that lost too much sets the limit and ends; one that did not raises it.
    fn adapt(&mut self, now: Timestamp, ack: &Acked, view: &View, model: &mut Model, mss: u32) -> bool {
        let Some(sample) = ack.rate else { return false };
        let sent = sample.sent_in_flight.get() as f64;
        let lossy = sample.lost.get() as f64 > LOSS_THRESHOLD * sent && sent > 0.0;
        if lossy {
            if self.fresh_samples {
                self.fresh_samples = false;
                if !sample.app_limited {
                    model.too_high(sent / f64::from(mss), view.target);
                }
                if self.cycle == Cycle::Up {
                    model.next_cycle();
                    self.start_down(now, model);
                    return true;
                }
            }
            return false;
        }
        let Some(limit) = model.long_term else { return false };
        let sent = sent / f64::from(mss);
        if sent > limit {
            model.long_term = Some(sent);
        }
        if self.cycle == Cycle::Up && view.window >= limit {
            self.up_acked += view.acked;
            let steps = (self.up_acked / self.up_per).floor();
            if steps >= 1.0 {
                self.up_acked -= steps * self.up_per;
                model.long_term = model.long_term.map(|limit| limit + steps);
            }
            if model.round_start {
                self.raise_slope(view.window);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(in_flight: f64) -> View {
        View {
            in_flight,
            target: 100.0,
            up_target: 125.0,
            window: 200.0,
            acked: 1.0,
            min_rtt: Span::from_millis(50),
        }
    }

    // Section 5.3.3: down until the queue is gone, cruise for 2 to 3 s, a round of refill, then up.
    #[test]
    fn the_phases_follow_each_other() {
        let (mut probe, mut model) = (Probe::new(1), Model::default());
        let ack = Acked::default();
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        probe.start_down(at(0), &mut model);
        probe.on_ack(at(10), &ack, &view(150.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Down);
        probe.on_ack(at(20), &ack, &view(90.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Cruise);
        probe.on_ack(at(1_900), &ack, &view(90.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Cruise);
        probe.on_ack(at(3_001), &ack, &view(90.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Refill);
        model.round += 1;
        probe.on_ack(at(3_060), &ack, &view(100.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Up);
        probe.on_ack(at(3_200), &ack, &view(126.0), &mut model, 1000);
        assert_eq!(probe.cycle, Cycle::Down);
    }
}
