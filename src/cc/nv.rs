//! New Vegas: keeps the window near what the best rate of a round trip fills in the smallest RTT.
//!
//! Source: Brakmo, "TCP-NV" (2010), Linux `net/ipv4/tcp_nv.c`, whose constants these are. Windows in
//! segments, rates in segments per second. Departure: the smallest window to decide at does not grow with
//! offloads.

use super::linux::LinuxWindow;
use super::random::uniform;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Phase};
use crate::cc::event::segments;
use crate::units::Timestamp;

/// Segments allowed in the queue (`nv_pad`) and how far below that growth starts (`nv_pad_buffer`).
const PAD: u32 = 10;
const PAD_BUFFER: u32 = 2;
/// Share of the excess given up: 30 % x 128 / 100 in 128ths (`nv_cong_dec_mult`).
const DECREASE: f64 = 38.0 / 128.0;
/// The threshold is this times the largest good window (`nv_ssthresh_factor` / 8).
const THRESHOLD: f64 = 1.0;
/// Kept at a loss: 819/1024 (`nv_loss_dec_factor`).
const LOSS_KEEP: f64 = 819.0 / 1024.0;
/// RTTs are smoothed with this weight for the new one (`nv_rtt_factor` / 256).
const WEIGHT: f64 = 128.0 / 256.0;
/// Samples needed to grow, to shrink, and to leave slow start.
const GROW_CALLS: u32 = 20;
const SHRINK_CALLS: u32 = 60;
const LEAVE_CALLS: u32 = 30;
/// Round trips that must pass before shrinking, and after which growth stops without a decision.
const MIN_ROUNDS: u32 = 2;
const STOP_ROUNDS: u32 = 10;
/// Good rounds that take back one halving of growth (`nv_cwnd_growth_rate_neg`), and the most halvings.
const REGAIN: u32 = 8;
const MOST_HALVINGS: u32 = 8;
/// The smallest RTT is learnt anew this often, give or take a quarter.
const RESET: f64 = 5.0;
/// It does not shrink the window below this.
const MIN_WINDOW: u32 = 2;

/// The row.
pub(super) struct Nv;

impl Algorithm for Nv {
    fn name(&self) -> &'static str {
        "nv"
    }

    fn reference(&self) -> &'static str {
        "Brakmo 2010; Linux tcp_nv.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::new(setup.seed)))
    }
}

#[derive(Debug)]
struct Rule {
    random: u64,
    may_grow: bool,
    halvings: u32,
    rtt: Option<f64>,
    min_rtt: f64,
    next_min_rtt: f64,
    reset_at: f64,
    max_rate: f64,
    round_end: u64,
    calls: u32,
    rounds: u32,
    good: u32,
    restart: bool,
}

impl Rule {
    const fn new(random: u64) -> Self {
        Self {
            random,
            may_grow: true,
            halvings: 0,
            rtt: None,
            min_rtt: f64::INFINITY,
            next_min_rtt: f64::INFINITY,
            // The first time after two seconds.
            reset_at: 2.0,
            max_rate: 0.0,
            round_end: 0,
            calls: 0,
            rounds: 0,
            good: 0,
            restart: false,
        }
    }

    fn sample(&mut self, now: Timestamp, rtt: f64, in_flight: u32) {
        let smoothed = self.rtt.map_or(rtt, |held| WEIGHT * rtt + (1.0 - WEIGHT) * held);
        if self.rtt.is_none() {
            self.min_rtt = 2.0 * smoothed;
        }
        self.rtt = Some(smoothed);
        self.max_rate = self.max_rate.max(f64::from(in_flight) / smoothed.max(1e-9));
        self.calls = self.calls.saturating_add(1);
        self.min_rtt = self.min_rtt.min(smoothed);
        self.next_min_rtt = self.next_min_rtt.min(smoothed);
        let seconds = now.since(Timestamp::ZERO).as_secs_f64();
        if seconds >= self.reset_at {
            self.min_rtt = self.next_min_rtt;
            self.next_min_rtt = f64::INFINITY;
            self.reset_at = seconds + RESET * (0.75 + 0.5 * uniform(&mut self.random));
        }
    }

    /// Once a round trip; whether a decision was made.
    fn decide(&mut self, window: &mut LinuxWindow) -> bool {
        // A capture may hold any time and any flight.
        let best = ((self.max_rate * self.min_rtt) as u32).saturating_add(PAD);
        if window.cwnd > best {
            let first = window.ssthresh == super::linux::UNSET;
            if self.rounds < MIN_ROUNDS || self.calls < if first { LEAVE_CALLS } else { SHRINK_CALLS } {
                if self.rounds > STOP_ROUNDS {
                    self.may_grow = false;
                }
                return false;
            }
            self.may_grow = false;
            window.ssthresh = ((f64::from(best) * THRESHOLD) as u32).max(2);
            let excess = window.cwnd - best;
            window.cwnd =
                if excess > 2 { window.cwnd - ((f64::from(excess) * DECREASE) as u32).max(2) } else { best };
            self.good = 0;
        } else if window.cwnd <= best - PAD_BUFFER {
            if self.calls < GROW_CALLS {
                return false;
            }
            self.may_grow = true;
            self.good += 1;
            if self.halvings > 0 && self.good > REGAIN {
                self.halvings -= 1;
                self.good = 0;
            }
        } else {
            return false;
        }
        window.cwnd = window.cwnd.max(MIN_WINDOW);
        true
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, window: &mut LinuxWindow, now: Timestamp, ack: &Acked) {
        if ack.phase != Phase::Open {
            return;
        }
        if std::mem::take(&mut self.restart) {
            (self.calls, self.rounds, self.good, self.max_rate, self.rtt) = (0, 0, 0, 0.0, None);
            self.round_end = ack.acked_to;
        }
        let (Some(rtt), in_flight) = (ack.rtt, segments(ack.prior_in_flight, window.mss)) else { return };
        if in_flight == 0 {
            return;
        }
        self.sample(now, rtt.as_secs_f64(), in_flight);
        if ack.acked_to > self.round_end {
            self.round_end = ack.sent_to;
            self.rounds += 1;
            if self.decide(window) {
                (self.calls, self.rounds, self.max_rate) = (0, 0, 0.0);
            }
        }
    }

    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        if !self.may_grow {
            return;
        }
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left > 0 {
            let per = if self.halvings > 0 { window.cwnd << self.halvings } else { window.cwnd.max(4) };
            window.additive(per, left);
        }
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        (f64::from(window.cwnd) * LOSS_KEEP) as u32
    }

    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, event: &Congestion) {
        self.restart = true;
        self.may_grow = false;
        if event.kind == CongestionKind::Timeout {
            self.halvings = (self.halvings + 1).min(MOST_HALVINGS);
        }
    }

    fn recovered(&mut self, _window: &mut LinuxWindow, _now: Timestamp) {
        // Growth comes back with the next good round; nothing to undo here.
        self.restart = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(max_rate: f64) -> Rule {
        Rule { max_rate, min_rtt: 0.05, rounds: 3, calls: 100, ..Rule::new(1) }
    }

    // tcp_nv.c by hand: 2000 segments/s in 50 ms are 100, and 10 of pad: 150 gives up 38/128 of 40, that is
    // 11.
    #[test]
    fn the_excess_shrinks_by_three_tenths() {
        let mut window = LinuxWindow::new(1448, 150);
        assert!(rule(2000.0).decide(&mut window));
        assert_eq!((window.cwnd, window.ssthresh), (139, 110));
    }

    #[test]
    fn below_the_pad_it_grows() {
        let mut window = LinuxWindow::new(1448, 108);
        let mut nv = rule(2000.0);
        nv.may_grow = false;
        assert!(nv.decide(&mut window));
        assert!(nv.may_grow && window.cwnd == 108);
    }

    // Found by fuzz/fuzz_targets/segments.rs.
    #[test]
    fn a_rate_that_no_path_has_overflows_nothing() {
        let mut window = LinuxWindow::new(1448, 100);
        let mut nv = rule(1e15);
        assert!(nv.decide(&mut window));
        assert!(nv.may_grow && window.cwnd == 100);
    }
}
