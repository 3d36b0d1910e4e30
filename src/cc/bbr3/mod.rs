//! BBR version 3: BBR that keeps its losses below 2 % of a round trip and leaves headroom.
//!
//! Source: draft-ietf-ccwg-bbr-02, whose state names and constants these are. Rates in segments per second,
//! amounts in segments.
//! Departures: the ECN response (an experiment of the Linux branch) is left out; ACK aggregation is taken as
//! in BBR v1.

mod model;
mod probe;

use model::Model;
use probe::{Cycle, Probe};

use super::bbr::aggregation::AckAggregation;
use super::event::{CongestionKind, segments};
use super::{Acked, Algorithm, CcSetup, Congestion, Controller, Phase, Prevalence, Snapshot};
use crate::units::{Bytes, Rate, Span, Timestamp};

/// `StartupPacingGain` (4 ln 2) and the window gain there.
const STARTUP_PACING: f64 = 2.77;
const STARTUP_WINDOW: f64 = 2.0;
/// `DrainPacingGain`.
const DRAIN_PACING: f64 = 0.5;
/// `DefaultCwndGain`, and the one of the upward probe.
const WINDOW_GAIN: f64 = 2.0;
const UP_WINDOW: f64 = 2.25;
/// `ProbeRTTCwndGain`, its duration and interval.
const PROBE_RTT_WINDOW: f64 = 0.5;
const PROBE_RTT_TIME: Span = Span::from_millis(200);
const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);
/// `MinRTTFilterLen`.
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// `BBRMinPipeCwnd`.
const MIN_WINDOW: f64 = 4.0;
/// `PacingMarginPercent`.
const PACING_MARGIN: f64 = 0.99;
/// Startup ends after so many rounds without 25 % growth (`BBRCheckStartupFullBandwidth`).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;
/// Or after a round of recovery with at least so many loss events (`StartupFullLossCnt`).
const STARTUP_LOSSES: u32 = 6;

/// The row.
pub(super) struct Bbr3;

impl Algorithm for Bbr3 {
    fn name(&self) -> &'static str {
        "bbr3"
    }

    fn reference(&self) -> &'static str {
        "draft-ietf-ccwg-bbr"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(Bbr3State::new(setup))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

#[derive(Debug)]
struct Bbr3State {
    mss: u32,
    initial: f64,
    mode: Mode,
    model: Model,
    probe: Probe,
    aggregation: AckAggregation,
    window: f64,
    prior_window: f64,
    pacing: f64,
    full: bool,
    full_rate: f64,
    full_count: u32,
    startup_losses: u32,
    min_rtt: Option<Span>,
    min_rtt_at: Timestamp,
    /// Smallest RTT since the last RTT probe, and when it was seen.
    probe_rtt_min: Option<Span>,
    probe_rtt_at: Timestamp,
    probe_rtt_done: Option<Timestamp>,
    probe_rtt_round: u64,
    limited: (u64, u64),
    phase: Phase,
    conserving: bool,
    recovery_round: u64,
}

impl Bbr3State {
    fn new(setup: &CcSetup) -> Self {
        let initial = f64::from(setup.initial_window);
        Self {
            mss: setup.mss,
            initial,
            mode: Mode::Startup,
            model: Model::default(),
            probe: Probe::new(setup.seed),
            aggregation: AckAggregation::default(),
            window: initial,
            prior_window: 0.0,
            pacing: STARTUP_PACING * initial * 1000.0,
            full: false,
            full_rate: 0.0,
            full_count: 0,
            startup_losses: 0,
            min_rtt: None,
            min_rtt_at: Timestamp::ZERO,
            probe_rtt_min: None,
            probe_rtt_at: Timestamp::ZERO,
            probe_rtt_done: None,
            probe_rtt_round: 0,
            limited: (u64::MAX, 0),
            phase: Phase::Open,
            conserving: false,
            recovery_round: 0,
        }
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (STARTUP_PACING, STARTUP_WINDOW),
            Mode::Drain => (DRAIN_PACING, STARTUP_WINDOW),
            Mode::ProbeRtt => (1.0, PROBE_RTT_WINDOW),
            Mode::ProbeBandwidth => {
                let window = if self.probe.cycle == Cycle::Up { UP_WINDOW } else { WINDOW_GAIN };
                (self.probe.pacing_gain(), window)
            }
        }
    }

    /// `BBRInflight`: the bandwidth-delay product times a gain, with room for bursts.
    fn inflight(&self, gain: f64) -> f64 {
        let Some(rtt) = self.min_rtt else { return self.initial };
        self.with_quantum(self.model.rate() * rtt.as_secs_f64() * gain)
    }

    fn with_quantum(&self, window: f64) -> f64 {
        // `BBRUpdateOffloadBudget`: three bursts of a millisecond each.
        let burst = (self.pacing / 1000.0).clamp(2.0, 44.0).floor();
        window.max(3.0 * burst).max(MIN_WINDOW)
            + if self.mode == Mode::ProbeBandwidth && self.probe.cycle == Cycle::Up { 2.0 } else { 0.0 }
    }

    /// `BBRCheckStartupDone`.
    fn check_startup(&mut self, ack: &Acked) {
        if self.full || self.mode != Mode::Startup {
            return;
        }
        self.startup_losses += u32::from(ack.lost.get() > 0);
        if !self.model.round_start {
            return;
        }
        if self.model.max_rate() >= self.full_rate * FULL_GROWTH {
            self.full_rate = self.model.max_rate();
            self.full_count = 0;
        } else if ack.rate.is_some_and(|s| !s.app_limited) {
            self.full_count += 1;
        }
        let lossy = self.startup_losses >= STARTUP_LOSSES
            && ack.phase == Phase::Recovery
            && self.model.too_lossy(self.mss);
        if lossy {
            self.model.long_term = Some(self.inflight(1.0).max(self.model.delivered_in_round()));
        }
        self.full = lossy || self.full_count >= FULL_ROUNDS;
        self.startup_losses = 0;
    }

    fn check_drain(&mut self, now: Timestamp, in_flight: f64) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && in_flight <= self.inflight(1.0) {
            self.mode = Mode::ProbeBandwidth;
            self.probe.start_down(now, &mut self.model);
        }
    }

    /// `BBRUpdateMinRTT` and `BBRCheckProbeRTT`.
    fn update_min_rtt(&mut self, now: Timestamp, ack: &Acked, in_flight: f64) {
        let expired = now.since(self.probe_rtt_at) > PROBE_RTT_INTERVAL;
        if let Some(rtt) = ack.rtt
            && (expired || self.probe_rtt_min.is_none_or(|held| rtt < held))
        {
            self.probe_rtt_min = Some(rtt);
            self.probe_rtt_at = now;
        }
        if let Some(least) = self.probe_rtt_min
            && (now.since(self.min_rtt_at) > MIN_RTT_WINDOW || self.min_rtt.is_none_or(|held| least < held))
        {
            self.min_rtt = Some(least);
            self.min_rtt_at = self.probe_rtt_at;
        }
        if expired && self.mode != Mode::ProbeRtt {
            self.prior_window = self.prior_window.max(self.window);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done = None;
            self.limited.0 = ack.delivered;
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        self.limited.1 = ack.delivered + ack.in_flight.get();
        match self.probe_rtt_done {
            None if in_flight <= self.inflight(PROBE_RTT_WINDOW) => {
                self.probe_rtt_done = Some(now + PROBE_RTT_TIME);
                self.probe_rtt_round = self.model.round;
            }
            Some(done) if now > done && self.model.round > self.probe_rtt_round => {
                self.probe_rtt_at = now;
                self.window = self.window.max(self.prior_window);
                self.model.reset_short_term();
                if self.full {
                    self.mode = Mode::ProbeBandwidth;
                    self.probe.start_down(now, &mut self.model);
                    self.probe.start_cruise();
                } else {
                    self.mode = Mode::Startup;
                }
            }
            _ => {}
        }
    }

    fn set_pacing(&mut self, ack: &Acked) {
        if let (true, Some(srtt)) = (self.model.max_rate() == 0.0, ack.srtt) {
            self.pacing = STARTUP_PACING * self.window / srtt.as_secs_f64().max(1e-6);
        }
        let rate = self.model.rate() * self.gains().0 * PACING_MARGIN;
        if self.full || rate > self.pacing {
            self.pacing = rate;
        }
    }

    /// `BBRSetCwnd`.
    fn set_window(&mut self, ack: &Acked, in_flight: f64) {
        let acked = f64::from(segments(ack.bytes, self.mss));
        let entering = ack.phase == Phase::Recovery && self.phase != Phase::Recovery;
        let leaving = self.phase >= Phase::Recovery && ack.phase < Phase::Recovery;
        self.phase = ack.phase;
        if entering {
            self.conserving = true;
            self.recovery_round = self.model.round;
            self.window = in_flight + acked.max(1.0);
        } else if leaving {
            self.conserving = false;
            self.window = self.window.max(self.prior_window);
        } else if self.conserving && self.model.round > self.recovery_round + 1 {
            self.conserving = false;
        }
        let extra = if self.full { f64::from(self.aggregation.extra(self.model.rate())) } else { 0.0 };
        let target = self.with_quantum(self.inflight(self.gains().1) + extra);
        if self.conserving {
            self.window = (self.window - f64::from(segments(ack.lost, self.mss))).max(in_flight + acked);
        } else if self.full {
            self.window = (self.window + acked).min(target);
        } else if self.window < target || self.model.delivered(self.mss) < self.initial {
            self.window += acked;
        }
        self.window = self.window.max(MIN_WINDOW).min(self.limit());
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(self.inflight(PROBE_RTT_WINDOW)).max(MIN_WINDOW);
        }
    }

    /// `BBRBoundCwndForModel`.
    fn limit(&self) -> f64 {
        let long = match (self.mode, self.probe.cycle) {
            (Mode::ProbeBandwidth, Cycle::Cruise) | (Mode::ProbeRtt, _) => self.model.with_headroom(),
            (Mode::ProbeBandwidth, _) => self.model.long_term.unwrap_or(f64::INFINITY),
            _ => f64::INFINITY,
        };
        long.min(self.model.short_term().unwrap_or(f64::INFINITY)).max(MIN_WINDOW)
    }
}

impl Controller for Bbr3State {
    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        let in_flight = f64::from(segments(ack.in_flight, self.mss));
        let limited =
            ack.rate.is_some_and(|s| (self.limited.0..=self.limited.1).contains(&s.prior_delivered));
        self.model.on_ack(ack, self.mss, limited, self.window);
        let probing =
            self.mode == Mode::ProbeBandwidth && self.probe.is_probing() || self.mode == Mode::Startup;
        if self.model.round_start {
            self.model.end_round(probing);
        }
        let acked = segments(ack.bytes, self.mss);
        if ack.rate.is_some() {
            let window = self.window as u32;
            // ACKs that are told as one did not come at once.
            self.aggregation.on_ack(
                now,
                ack.segments_each(self.mss),
                self.model.rate(),
                window,
                self.model.round_start,
            );
        }
        self.check_startup(ack);
        self.check_drain(now, in_flight);
        if self.mode == Mode::ProbeBandwidth {
            let state = probe::View {
                in_flight,
                target: self.inflight(1.0),
                up_target: self.inflight(1.25),
                window: self.window,
                acked: f64::from(acked),
                min_rtt: self.min_rtt.unwrap_or(Span::ZERO),
            };
            self.probe.on_ack(now, ack, &state, &mut self.model, self.mss);
        }
        self.update_min_rtt(now, ack, in_flight);
        self.model.advance();
        self.set_pacing(ack);
        self.set_window(ack, in_flight);
    }

    fn on_congestion(&mut self, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Ecn {
            return;
        }
        self.prior_window = if self.phase < Phase::Recovery && self.mode != Mode::ProbeRtt {
            self.window
        } else {
            self.prior_window.max(self.window)
        };
        self.model.save_short_term(self.window);
        if event.kind == CongestionKind::Timeout {
            self.phase = Phase::Timeout;
            self.conserving = false;
            self.window = 1.0;
        }
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.model.reset_short_term();
        self.window = self.window.max(self.prior_window);
    }

    fn window(&self) -> Bytes {
        Bytes::new(self.window.max(1.0) as u64 * u64::from(self.mss))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_sec(self.pacing * f64::from(self.mss)))
    }

    fn governs_recovery(&self) -> bool {
        true
    }

    fn snapshot(&self) -> Snapshot {
        let phase = match (self.mode, self.probe.cycle) {
            (Mode::Startup, _) => "startup",
            (Mode::Drain, _) => "drain",
            (Mode::ProbeRtt, _) => "probe rtt",
            (_, Cycle::Down) => "probe bandwidth down",
            (_, Cycle::Cruise) => "probe bandwidth cruise",
            (_, Cycle::Refill) => "probe bandwidth refill",
            (_, Cycle::Up) => "probe bandwidth up",
        };
        Snapshot { window: self.window(), ssthresh: None, phase }
    }
}
