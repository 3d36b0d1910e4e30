//! BBR version 1: sends at the bottleneck rate it measures and keeps twice the bandwidth-delay product as its
//! limit.
//!
//! Source: Cardwell et al., "BBR: congestion-based congestion control" (2016) and Linux `net/ipv4/tcp_bbr.c`,
//! whose names and constants are kept. Rates in segments per second, windows in segments. Losses do not
//! change the rate; they are subtracted from the window, and the first round of a recovery conserves packets.
//! Departures: rates are floating point; time spent waiting in the pacing layer is not subtracted from what
//! is in flight. Linux 4 knows no extra ACK allowance (added in 5.1) and no pacing margin (4.20).

pub(super) mod aggregation;
mod policer;

use aggregation::AckAggregation;
use policer::Policer;

use super::filter::MaxFilter;
use super::random::splitmix;
use super::{Acked, Algorithm, CcSetup, Congestion, Controller, Phase, Prevalence, Snapshot, Stack};
use crate::cc::event::{CongestionKind, Sent, segments};
use crate::cc::linux::MOST_SEGMENTS;
use crate::units::{Bytes, Rate, Span, Timestamp};

/// 2/ln 2: the smallest gain that doubles the rate each round (`bbr_high_gain`, 739/256).
const HIGH_GAIN: f64 = 739.0 / 256.0;
/// `bbr_drain_gain`, 88/256.
const DRAIN_GAIN: f64 = 88.0 / 256.0;
/// `bbr_pacing_gain`: one round above, one below, six at the rate.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// `bbr_cwnd_gain`.
const WINDOW_GAIN: f64 = 2.0;
/// Rounds in the bandwidth filter (`bbr_bw_rtts` = cycle + 2).
const BANDWIDTH_ROUNDS: u64 = 10;
/// The smallest RTT is trusted this long (`bbr_min_rtt_win_sec`).
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// Time with a minimal window to measure it anew (`bbr_probe_rtt_mode_ms`).
const PROBE_RTT_TIME: Span = Span::from_millis(200);
/// `bbr_cwnd_min_target`.
const MIN_WINDOW: u32 = 4;
/// The pipe is full after so many rounds (`bbr_full_bw_cnt`) without this growth (`bbr_full_bw_thresh`).
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;
/// `bbr_pacing_margin_percent`: one percent below the rate, so that no queue stays.
const PACING_MARGIN: f64 = 0.99;
/// Below this rate one segment is sent at a time (`bbr_min_tso_rate`), bits per second.
const MIN_BURST_RATE: f64 = 1_200_000.0;

/// The row.
pub(super) struct Bbr;

impl Algorithm for Bbr {
    fn name(&self) -> &'static str {
        "bbr"
    }

    fn reference(&self) -> &'static str {
        "Cardwell et al. 2016; Linux tcp_bbr.c"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Usual
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(BbrState::new(setup))
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
#[expect(clippy::struct_excessive_bools, reason = "the kernel's flags, one for one")]
struct BbrState {
    mss: u32,
    initial: u32,
    modern: bool,
    random: u64,
    mode: Mode,
    window: u32,
    prior_window: u32,
    pacing: f64,
    seen_rtt: bool,
    bandwidth: MaxFilter,
    round: u64,
    round_start: bool,
    next_round: u64,
    min_rtt: Option<Span>,
    min_rtt_at: Timestamp,
    probe_done: Option<Timestamp>,
    probe_round_done: bool,
    from_idle: bool,
    full: bool,
    full_bandwidth: f64,
    full_count: u32,
    cycle: usize,
    cycle_start: Timestamp,
    phase: Phase,
    conserving: bool,
    /// Bytes delivered between which samples were held down by the RTT probe itself.
    limited: (u64, u64),
    aggregation: Option<AckAggregation>,
    policer: Policer,
}

impl BbrState {
    fn new(setup: &CcSetup) -> Self {
        let modern = !matches!(setup.stack, Stack::Linux(major) if major < 5);
        Self {
            mss: setup.mss,
            initial: setup.initial_window,
            modern,
            random: setup.seed,
            mode: Mode::Startup,
            window: setup.initial_window,
            prior_window: 0,
            // Before the first sample an RTT of 1 ms is assumed.
            pacing: HIGH_GAIN * f64::from(setup.initial_window) * 1000.0,
            seen_rtt: false,
            bandwidth: MaxFilter::new(BANDWIDTH_ROUNDS),
            round: 0,
            round_start: false,
            next_round: 0,
            min_rtt: None,
            min_rtt_at: Timestamp::ZERO,
            probe_done: None,
            probe_round_done: false,
            from_idle: false,
            full: false,
            full_bandwidth: 0.0,
            full_count: 0,
            cycle: 0,
            cycle_start: Timestamp::ZERO,
            phase: Phase::Open,
            conserving: false,
            limited: (u64::MAX, 0),
            aggregation: modern.then(AckAggregation::default),
            policer: Policer::default(),
        }
    }

    /// `bbr_bw`, segments per second.
    fn rate(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.bandwidth.get())
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBandwidth if self.policer.rate().is_some() => (1.0, WINDOW_GAIN),
            Mode::ProbeBandwidth => (CYCLE[self.cycle], WINDOW_GAIN),
            Mode::ProbeRtt => (1.0, 1.0),
        }
    }

    /// Segments sent in one burst: a millisecond's worth, at least two (`bbr_tso_segs_goal`).
    fn burst(&self) -> u32 {
        let rate = self.pacing * f64::from(self.mss);
        let least = if rate * 8.0 < MIN_BURST_RATE { 1 } else { 2 };
        // pacing shift 10: 1/1024 s; 64 kB less the headers is the largest burst.
        (((rate / 1024.0).min(65_000.0) / f64::from(self.mss)) as u32).clamp(least, 127)
    }

    fn bdp(&self, rate: f64, gain: f64) -> u32 {
        let bdp = |rtt: Span| (rate * rtt.as_secs_f64() * gain).ceil().min(f64::from(MOST_SEGMENTS)) as u32;
        self.min_rtt.map_or(self.initial, bdp)
    }

    fn with_quantum(&self, window: u32) -> u32 {
        let even = (window + 3 * self.burst()).next_multiple_of(2);
        even + if self.modern && self.mode == Mode::ProbeBandwidth && self.cycle == 0 { 2 } else { 0 }
    }

    fn inflight(&self, gain: f64) -> u32 {
        self.with_quantum(self.bdp(self.bandwidth.get(), gain))
    }

    fn update_bandwidth(&mut self, now: Timestamp, ack: &Acked) {
        self.round_start = false;
        let Some((sample, rate)) = ack.rate.and_then(|s| Some((s, s.rate()?))) else { return };
        let limited =
            sample.app_limited || (self.limited.0..=self.limited.1).contains(&sample.prior_delivered);
        if sample.prior_delivered >= self.next_round {
            self.next_round = ack.delivered;
            self.round += 1;
            self.round_start = true;
            self.conserving = false;
        }
        let probing = self.mode == Mode::ProbeBandwidth;
        if self.policer.on_ack(now, ack, limited, self.round_start, probing, self.mss) {
            self.enter_probe_bandwidth(now);
        }
        let rate = rate.as_bytes_per_sec() / f64::from(self.mss);
        if !limited || rate >= self.bandwidth.get() {
            self.bandwidth.update(self.round, rate);
        }
    }

    fn enter_probe_bandwidth(&mut self, now: Timestamp) {
        self.mode = Mode::ProbeBandwidth;
        // Any phase but the one that drains.
        let drawn = (splitmix(&mut self.random) % 7) as usize;
        self.cycle = (CYCLE.len() - drawn) % CYCLE.len();
        self.cycle_start = now;
    }

    fn update_cycle(&mut self, now: Timestamp, ack: &Acked) {
        if self.mode != Mode::ProbeBandwidth {
            return;
        }
        let whole = self.min_rtt.is_some_and(|rtt| now.since(self.cycle_start) > rtt);
        let gain = self.gains().0;
        let in_flight = segments(ack.prior_in_flight, self.mss);
        let next = if gain > 1.0 {
            whole && (ack.lost.get() > 0 || in_flight >= self.inflight(gain))
        } else if gain < 1.0 {
            whole || in_flight <= self.inflight(1.0)
        } else {
            whole
        };
        if next {
            self.cycle = (self.cycle + 1) % CYCLE.len();
            self.cycle_start = now;
        }
    }

    fn check_full(&mut self, ack: &Acked) {
        if self.full || !self.round_start || ack.rate.is_none_or(|s| s.app_limited) {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * FULL_GROWTH {
            self.full_bandwidth = self.bandwidth.get();
            self.full_count = 0;
        } else {
            self.full_count += 1;
            self.full = self.full_count >= FULL_ROUNDS;
        }
    }

    fn check_drain(&mut self, now: Timestamp, ack: &Acked) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && segments(ack.in_flight, self.mss) <= self.inflight(1.0) {
            self.enter_probe_bandwidth(now);
        }
    }

    fn save_window(&mut self) {
        self.prior_window = if self.phase < Phase::Recovery && self.mode != Mode::ProbeRtt {
            self.window
        } else {
            self.prior_window.max(self.window)
        };
    }

    fn update_min_rtt(&mut self, now: Timestamp, ack: &Acked) {
        let expired = now.since(self.min_rtt_at) > MIN_RTT_WINDOW;
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|held| rtt <= held))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = now;
        }
        if expired && !self.from_idle && self.mode != Mode::ProbeRtt {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            self.probe_done = None;
            self.limited.0 = ack.delivered;
        }
        if self.mode == Mode::ProbeRtt {
            self.limited.1 = ack.delivered + ack.in_flight.get();
            match self.probe_done {
                None if segments(ack.in_flight, self.mss) <= MIN_WINDOW => {
                    self.probe_done = Some(now + PROBE_RTT_TIME);
                    self.probe_round_done = false;
                    self.next_round = ack.delivered;
                }
                Some(done) => {
                    self.probe_round_done |= self.round_start;
                    if self.probe_round_done && now > done {
                        self.min_rtt_at = now;
                        self.window = self.window.max(self.prior_window);
                        if self.full {
                            self.enter_probe_bandwidth(now);
                        } else {
                            self.mode = Mode::Startup;
                        }
                    }
                }
                None => {}
            }
        }
        if ack.rate.is_some_and(|s| s.delivered.get() > 0) {
            self.from_idle = false;
        }
    }

    fn set_pacing(&mut self, ack: &Acked, gain: f64) {
        let margin = if self.modern { PACING_MARGIN } else { 1.0 };
        if let (false, Some(srtt)) = (self.seen_rtt, ack.srtt) {
            self.seen_rtt = true;
            self.pacing = HIGH_GAIN * f64::from(self.window) / srtt.as_secs_f64().max(1e-6) * margin;
        }
        let rate = self.rate() * gain * margin;
        if self.full || rate > self.pacing {
            self.pacing = rate;
        }
    }

    /// `bbr_set_cwnd`, with packet conservation in the first round of a recovery.
    fn set_window(&mut self, ack: &Acked, gain: f64) {
        let acked = segments(ack.bytes, self.mss);
        if acked > 0 {
            let in_flight = segments(ack.in_flight, self.mss);
            let lost = segments(ack.lost, self.mss);
            let mut window = self.window.saturating_sub(lost).max(1);
            if ack.phase == Phase::Recovery && self.phase != Phase::Recovery {
                self.conserving = true;
                self.next_round = ack.delivered;
                window = in_flight + acked;
            } else if self.phase >= Phase::Recovery && ack.phase < Phase::Recovery {
                window = window.max(self.prior_window);
                self.conserving = false;
            }
            self.phase = ack.phase;
            if self.conserving {
                window = window.max(in_flight + acked);
            } else {
                let rate = self.rate();
                let extra = match &self.aggregation {
                    Some(aggregation) if self.full => aggregation.extra(rate),
                    _ => 0,
                };
                let target = self.with_quantum(self.bdp(rate, gain) + extra);
                if self.full {
                    window = (window + acked).min(target);
                } else if window < target || ack.delivered < u64::from(self.initial * self.mss) {
                    window += acked;
                }
                window = window.max(MIN_WINDOW);
            }
            self.window = window;
        }
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(MIN_WINDOW);
        }
    }
}

impl Controller for BbrState {
    fn on_sent(&mut self, _now: Timestamp, sent: &Sent) {
        self.from_idle |= sent.from_idle;
    }

    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        self.update_bandwidth(now, ack);
        let rate = self.rate();
        if let Some(aggregation) = &mut self.aggregation
            && ack.rate.is_some()
        {
            // ACKs that are told as one did not come at once.
            let acked = ack.segments_at_once(self.mss);
            aggregation.on_ack(now, acked, rate, self.window, self.round_start);
        }
        self.update_cycle(now, ack);
        self.check_full(ack);
        self.check_drain(now, ack);
        self.update_min_rtt(now, ack);
        let (pacing_gain, window_gain) = self.gains();
        self.set_pacing(ack, pacing_gain);
        self.set_window(ack, window_gain);
    }

    fn on_congestion(&mut self, _now: Timestamp, event: &Congestion) {
        match event.kind {
            CongestionKind::Loss => self.save_window(),
            CongestionKind::Ecn => {}
            CongestionKind::Timeout => {
                self.save_window();
                self.phase = Phase::Timeout;
                self.full_bandwidth = 0.0;
                self.round_start = true;
                self.conserving = false;
                self.window = 1;
            }
        }
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.full_bandwidth = 0.0;
        self.full_count = 0;
        self.policer = Policer::default();
        self.window = self.window.max(self.prior_window);
    }

    fn window(&self) -> Bytes {
        Bytes::new(u64::from(self.window) * u64::from(self.mss))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_sec(self.pacing * f64::from(self.mss)))
    }

    fn governs_recovery(&self) -> bool {
        true
    }

    fn snapshot(&self) -> Snapshot {
        let phase = match self.mode {
            Mode::Startup => "startup",
            Mode::Drain => "drain",
            Mode::ProbeBandwidth => "probe bandwidth",
            Mode::ProbeRtt => "probe rtt",
        };
        Snapshot { window: self.window(), ssthresh: None, phase }
    }
}
