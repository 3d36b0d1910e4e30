//! The test for a token-bucket policer: two intervals in a row with equal rate and a fifth of the packets
//! lost.
//!
//! Source: `bbr_lt_bw_sampling` of Linux `net/ipv4/tcp_bbr.c`. Rates in segments per second.

use crate::cc::Acked;
use crate::units::Timestamp;

/// An interval has at least so many rounds (`bbr_lt_intvl_min_rtts`) and at most four times as many.
const MIN_ROUNDS: u32 = 4;
/// Lost over delivered in a lossy interval (`bbr_lt_loss_thresh`, 50/256).
const LOSSY: f64 = 50.0 / 256.0;
/// Rates this close are one rate (`bbr_lt_bw_ratio`, 1/8), or this close in bytes per second
/// (`bbr_lt_bw_diff`).
const RATIO: f64 = 0.125;
const DIFFERENCE: f64 = 500.0;
/// A policed rate is used for so many rounds (`bbr_lt_bw_max_rtts`).
const MAX_ROUNDS: u32 = 48;

#[derive(Debug, Default)]
pub(super) struct Policer {
    sampling: bool,
    in_use: bool,
    rate: Option<f64>,
    rounds: u32,
    start: Timestamp,
    delivered: u64,
    lost_total: u64,
    lost: u64,
}

impl Policer {
    /// The policed rate, where there is one.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate.filter(|_| self.in_use)
    }

    fn restart(&mut self, now: Timestamp, ack: &Acked) {
        self.start = now;
        self.delivered = ack.delivered;
        self.lost = self.lost_total;
        self.rounds = 0;
    }

    fn reset(&mut self, now: Timestamp, ack: &Acked) {
        self.sampling = false;
        self.in_use = false;
        self.rate = None;
        self.restart(now, ack);
    }

    /// Takes an ACK; `true` when a policed rate has been in use long enough and gain cycling starts again.
    pub(super) fn on_ack(
        &mut self,
        now: Timestamp,
        ack: &Acked,
        app_limited: bool,
        round_start: bool,
        probing: bool,
        mss: u32,
    ) -> bool {
        self.lost_total += ack.lost.get();
        if self.in_use {
            self.rounds += u32::from(probing && round_start);
            let over = self.rounds >= MAX_ROUNDS;
            if over {
                self.reset(now, ack);
            }
            return over;
        }
        if !self.sampling {
            if ack.lost.get() == 0 {
                return false;
            }
            self.restart(now, ack);
            self.sampling = true;
        }
        self.rounds += u32::from(round_start);
        if app_limited || self.rounds > 4 * MIN_ROUNDS {
            self.reset(now, ack);
            return false;
        }
        if self.rounds < MIN_ROUNDS || ack.lost.get() == 0 {
            return false;
        }
        let delivered = ack.delivered - self.delivered;
        let lost = self.lost_total - self.lost;
        let seconds = now.since(self.start).as_secs_f64();
        if delivered == 0 || (lost as f64) < LOSSY * delivered as f64 || seconds < 1e-3 {
            return false;
        }
        let rate = delivered as f64 / seconds / f64::from(mss);
        match self.rate {
            Some(held)
                if (rate - held).abs() <= RATIO * held
                    || (rate - held).abs() * f64::from(mss) <= DIFFERENCE =>
            {
                self.rate = Some(f64::midpoint(rate, held));
                self.in_use = true;
                self.rounds = 0;
            }
            _ => {
                self.rate = Some(rate);
                self.restart(now, ack);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn drive(loss_per_round: u64) -> Policer {
        let mut policer = Policer::default();
        for round in 1..=16 {
            let ack = Acked {
                delivered: round * 100_000,
                lost: Bytes::new(loss_per_round),
                bytes: Bytes::new(100_000),
                ..Acked::default()
            };
            policer.on_ack(
                Timestamp::from_nanos(round.cast_signed() * 100_000_000),
                &ack,
                false,
                true,
                true,
                1000,
            );
        }
        policer
    }

    #[test]
    fn a_fifth_lost_at_a_steady_rate_is_a_policer() {
        assert!((drive(20_000).rate().unwrap() - 1000.0).abs() < 1e-6);
        assert_eq!(drive(19_000).rate(), None);
    }
}
