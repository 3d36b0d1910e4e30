//! How much more than expected is acknowledged at once: the allowance for bunched ACKs.
//!
//! Source: `bbr_update_ack_aggregation` of Linux `net/ipv4/tcp_bbr.c` (since 5.1). Segments.

use crate::units::{Span, Timestamp};

/// Rounds for which a maximum is kept at least; at most twice as many (`bbr_extra_acked_win_rtts`).
const ROUNDS: u32 = 5;
/// The allowance is at most what this time carries (`bbr_extra_acked_max_us`).
const MOST: Span = Span::from_millis(100);
/// An epoch that counted so much starts anew (`bbr_ack_epoch_acked_reset_thresh`).
const RESET: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(in crate::cc) struct AckAggregation {
    epoch: Timestamp,
    acked: u64,
    rounds: u32,
    current: usize,
    most: [u32; 2],
}

impl AckAggregation {
    pub(in crate::cc) fn on_ack(
        &mut self,
        now: Timestamp,
        acked: u32,
        rate: f64,
        window: u32,
        round_start: bool,
    ) {
        if acked == 0 {
            return;
        }
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.current = 1 - self.current;
                self.most[self.current] = 0;
            }
        }
        let mut expected = (rate * now.since(self.epoch).as_secs_f64()) as u64;
        if self.acked <= expected || self.acked + u64::from(acked) >= RESET {
            self.acked = 0;
            self.epoch = now;
            expected = 0;
        }
        self.acked += u64::from(acked);
        let extra = (self.acked - expected).min(u64::from(window)) as u32;
        self.most[self.current] = self.most[self.current].max(extra);
    }

    /// What the window may exceed its target by.
    pub(in crate::cc) fn extra(&self, rate: f64) -> u32 {
        self.most[0].max(self.most[1]).min((rate * MOST.as_secs_f64()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 1000 segments/s; 20 ms of silence, then 20 at once: 20 more than the none expected in a new epoch.
    #[test]
    fn a_bunch_of_acks_is_allowed_for() {
        let mut aggregation = AckAggregation::default();
        aggregation.on_ack(Timestamp::from_nanos(20_000_000), 20, 1000.0, 500, false);
        assert_eq!(aggregation.extra(1000.0), 20);
        assert_eq!(aggregation.extra(100.0), 10);
    }
}
