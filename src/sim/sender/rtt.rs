//! Smoothed RTT and retransmission timeout (RFC 6298), as the stacks compute them.

use crate::sim::profile::Timer;
use crate::units::{Span, Timestamp};

/// Before the first sample (RFC 6298 section 2.1).
const INITIAL: Span = Span::from_secs(1);
/// Linux: least variation term, longest timeout.
const LINUX_MIN: Span = Span::from_millis(200);
const LINUX_MAX: Span = Span::from_secs(120);
/// FreeBSD base.
const BSD_SLOP: Span = Span::from_millis(200);
const BSD_MIN: Span = Span::from_millis(30);
const BSD_MAX: Span = Span::from_secs(64);
/// FreeBSD RACK.
const RACK_MAX: Span = Span::from_secs(4);
/// Fraction bits of FreeBSD's SRTT and RTTVAR (`TCP_RTT_SHIFT`, `TCP_RTTVAR_SHIFT` with `TCP_DELTA_SHIFT` 2).
const SRTT_SHIFT: u32 = 5;
const VAR_SHIFT: u32 = 4;

#[derive(Debug)]
pub(super) struct RttEstimator {
    timer: Timer,
    hz: u32,
    srtt: f64,
    var: f64,
    /// Linux: largest deviation of this round, taken into `var` at its end.
    round_var: f64,
    round_end: u64,
    sampled: bool,
    srtt_ticks: i64,
    var_ticks: i64,
    backoff: u32,
}

impl RttEstimator {
    pub(super) const fn new(timer: Timer, hz: u32) -> Self {
        Self {
            timer,
            hz,
            srtt: 0.0,
            var: 0.0,
            round_var: 0.0,
            round_end: 0,
            sampled: false,
            srtt_ticks: 0,
            var_ticks: 0,
            backoff: 0,
        }
    }

    /// A segment sent at `sent` is acknowledged `now`; `acked_to` and `sent_to` tell rounds apart.
    pub(super) fn sample(&mut self, now: Timestamp, sent: Timestamp, acked_to: u64, sent_to: u64) {
        self.backoff = 0;
        let rtt = now.since(sent).as_secs_f64();
        if self.timer == Timer::FreeBsd {
            self.sample_ticks(now, sent);
        } else if self.sampled {
            let error = (rtt - self.srtt).abs();
            if self.timer == Timer::Linux {
                self.linux_deviation(rtt, acked_to, sent_to);
            } else {
                self.var += (error - self.var) / 4.0;
            }
            self.srtt += (rtt - self.srtt) / 8.0;
        } else {
            self.srtt = rtt;
            self.var = rtt / 2.0;
            self.round_var = (2.0 * rtt).max(LINUX_MIN.as_secs_f64()) / 4.0;
            if self.timer == Timer::Linux {
                self.var = self.var.max(self.round_var);
            }
            self.round_end = sent_to;
        }
        self.sampled = true;
    }

    /// `tcp_rtt_estimator`: the mean deviation rises at once and falls once a round; a fall of the RTT itself
    /// counts for little. The variation term never goes below 200 ms.
    fn linux_deviation(&mut self, rtt: f64, acked_to: u64, sent_to: u64) {
        let floor = LINUX_MIN.as_secs_f64() / 4.0;
        let error = rtt - self.srtt;
        let mut change = (error.abs() - self.round_var) / 4.0;
        if error < 0.0 && change > 0.0 {
            change /= 8.0;
        }
        self.round_var = (self.round_var + change).max(0.0);
        let peak = self.round_var.max(floor);
        if peak > self.var {
            self.var = peak;
        }
        if acked_to > self.round_end {
            if peak < self.var {
                self.var -= (self.var - peak) / 4.0;
            }
            self.round_end = sent_to;
        }
    }

    /// `tcp_xmit_timer`: the timestamp clock runs in milliseconds but moves only when the kernel's does; an
    /// RTT below a tick counts as one, and the filter then stalls at 7/32 of a tick.
    fn sample_ticks(&mut self, now: Timestamp, sent: Timestamp) {
        let tick = 1_000_000_000 / i64::from(self.hz);
        let clock = |at: Timestamp| at.as_nanos() / tick * tick / 1_000_000;
        let millis = clock(now) - clock(sent);
        let rtt = millis * i64::from(self.hz) / 1000 + 1;
        if self.srtt_ticks == 0 {
            self.srtt_ticks = rtt << SRTT_SHIFT;
            self.var_ticks = rtt << (VAR_SHIFT - 1);
        } else {
            let mut delta = ((rtt - 1) << 2) - (self.srtt_ticks >> (SRTT_SHIFT - 2));
            self.srtt_ticks = (self.srtt_ticks + delta).max(1);
            delta = delta.abs() - (self.var_ticks >> (VAR_SHIFT - 2));
            self.var_ticks = (self.var_ticks + delta).max(1);
        }
        self.srtt = self.srtt_ticks as f64 / 32.0 / f64::from(self.hz);
        self.var = self.var_ticks as f64 / 16.0 / f64::from(self.hz);
    }

    /// The smoothed RTT.
    pub(super) fn smoothed(&self) -> Option<Span> {
        self.sampled.then(|| Span::from_secs_f64(self.srtt))
    }

    /// The retransmission timeout with its back-off.
    pub(super) fn timeout(&self) -> Span {
        let raw = Span::from_secs_f64(self.srtt + 4.0 * self.var);
        let (least, most, slop) = match self.timer {
            Timer::Linux => (LINUX_MIN, LINUX_MAX, Span::ZERO),
            Timer::FreeBsd => (BSD_MIN, BSD_MAX, BSD_SLOP),
            Timer::FreeBsdRack => (BSD_MIN, RACK_MAX, Span::ZERO),
        };
        let base = if self.sampled { (raw + slop).max(least) } else { INITIAL };
        base.scale(f64::from(1_u32 << self.backoff.min(10))).min(most)
    }

    /// The timer fired (RFC 6298 section 5.5).
    pub(super) const fn back_off(&mut self) {
        self.backoff += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(timer: Timer, hz: u32, rtt_us: i64, count: i64) -> RttEstimator {
        let mut rtt = RttEstimator::new(timer, hz);
        for i in 1..=count {
            let sent = Timestamp::from_nanos(i * 7_000_300);
            rtt.sample(sent + Span::from_micros(rtt_us), sent, i as u64, i as u64 + 1);
        }
        rtt
    }

    // RFC 6298 with Linux's floor: a steady 50 ms gives 50 + 200 ms.
    #[test]
    fn linux_never_waits_less_than_200_ms_more() {
        let rtt = feed(Timer::Linux, 1000, 50_000, 200);
        assert!((rtt.timeout().as_secs_f64() - 0.25).abs() < 1e-3, "{:?}", rtt.timeout());
        let mut rtt = rtt;
        rtt.back_off();
        rtt.back_off();
        assert!((rtt.timeout().as_secs_f64() - 1.0).abs() < 4e-3);
    }

    // tcp_xmit_timer: below a tick the SRTT comes to rest at 7/32 tick = 2.19 ms at 100 Hz (RTT 10 us: hardly
    // ever across a tick).
    #[test]
    fn freebsd_stalls_below_a_tick() {
        let rtt = feed(Timer::FreeBsd, 100, 10, 400);
        assert!((rtt.srtt - 0.002_187_5).abs() < 1e-9, "{}", rtt.srtt);
    }

    #[test]
    fn freebsd_measures_a_long_rtt() {
        let rtt = feed(Timer::FreeBsd, 1000, 54_000, 400);
        assert!((rtt.srtt - 0.0545).abs() < 0.001, "{}", rtt.srtt);
        assert!(rtt.timeout() > Span::from_millis(254) && rtt.timeout() < Span::from_millis(262));
    }
}
