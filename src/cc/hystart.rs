//! Leaving slow start before a loss: Linux's `HyStart` and the `HyStart`++ of RFC 9406.
//!
//! Source: Ha and Rhee, "Taming the elephants" (2011), with the constants of Linux `net/ipv4/tcp_cubic.c`;
//! RFC 9406 section 4.3 with FreeBSD's defaults in `sys/netinet/cc/cc.c`.

use super::Acked;
use crate::units::{Span, Timestamp};

/// Below this window slow start goes on whatever is seen (`hystart_low_window`), segments.
const LOW_WINDOW: u32 = 16;
/// ACKs closer than this belong to one train (`hystart_ack_delta_us`).
const TRAIN_GAP: Span = Span::from_millis(2);
/// RTT samples of a round that are looked at (`HYSTART_MIN_SAMPLES`; `N_RTT_SAMPLE`).
const SAMPLES: u32 = 8;
/// Bounds of the delay increase that ends slow start (`HYSTART_DELAY_MIN`, `_MAX`; `MIN_RTT_THRESH`,
/// `MAX_RTT_THRESH`).
const DELAY_MIN: Span = Span::from_millis(4);
const DELAY_MAX: Span = Span::from_millis(16);
/// Growth in conservative slow start is divided by this (`CSS_GROWTH_DIVISOR`).
pub(super) const CSS_DIVISOR: u64 = 4;
/// Rounds it lasts (`CSS_ROUNDS`).
const CSS_ROUNDS: u32 = 5;

/// Linux's `HyStart`, with both detectors.
#[derive(Debug)]
pub(super) struct HyStart {
    paced: bool,
    round_end: u64,
    round_start: Timestamp,
    last_ack: Timestamp,
    round_min: Option<Span>,
    samples: u32,
    found: bool,
}

impl HyStart {
    pub(super) const fn new(paced: bool) -> Self {
        Self {
            paced,
            round_end: 0,
            round_start: Timestamp::ZERO,
            last_ack: Timestamp::ZERO,
            round_min: None,
            samples: 0,
            found: false,
        }
    }

    /// Back to the state of a new connection; called at a timeout.
    pub(super) const fn reset(&mut self) {
        *self = Self::new(self.paced);
    }

    /// Takes an ACK in slow start with a window of `cwnd` segments; `true` when slow start should end now.
    pub(super) fn on_ack(&mut self, now: Timestamp, ack: &Acked, cwnd: u32, base: Span) -> bool {
        if ack.acked_to > self.round_end {
            self.round_end = ack.sent_to;
            self.round_start = now;
            self.last_ack = now;
            self.round_min = None;
            self.samples = 0;
        }
        let Some(rtt) = ack.rtt else { return false };
        if self.found || cwnd < LOW_WINDOW {
            return false;
        }
        if now.since(self.last_ack) <= TRAIN_GAP {
            self.last_ack = now;
            // A paced sender's train is longer than the queue it makes, hence the whole RTT there.
            let limit = if self.paced { base } else { base.scale(0.5) };
            self.found = now.since(self.round_start) > limit;
        }
        let low = self.round_min.map_or(rtt, |held| held.min(rtt));
        self.round_min = Some(low);
        if self.samples < SAMPLES {
            self.samples += 1;
        } else {
            self.found |= low > base + base.scale(0.125).clamp(DELAY_MIN, DELAY_MAX);
        }
        self.found
    }
}

/// What `HyStart`++ asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advice {
    /// Ordinary slow start.
    Go,
    /// Growth divided by [`CSS_DIVISOR`].
    Slow,
    /// Congestion avoidance from here.
    Leave,
}

/// `HyStart`++ (RFC 9406 section 4.2).
#[derive(Debug, Default)]
pub(super) struct HyStartPlusPlus {
    round_end: u64,
    round_min: Option<Span>,
    last_min: Option<Span>,
    samples: u32,
    baseline: Option<Span>,
    slow_rounds: u32,
}

impl HyStartPlusPlus {
    /// Takes an ACK in slow start.
    pub(super) fn on_ack(&mut self, ack: &Acked) -> Advice {
        if ack.acked_to > self.round_end {
            self.round_end = ack.sent_to;
            self.last_min = self.round_min.take();
            self.samples = 0;
            if self.baseline.is_some() {
                self.slow_rounds += 1;
                if self.slow_rounds >= CSS_ROUNDS {
                    return Advice::Leave;
                }
            }
        }
        if let Some(rtt) = ack.rtt {
            self.round_min = Some(self.round_min.map_or(rtt, |held| held.min(rtt)));
            self.samples += 1;
        }
        if let (true, Some(now), Some(last)) = (self.samples >= SAMPLES, self.round_min, self.last_min) {
            match self.baseline {
                None if now >= last + last.scale(0.125).clamp(DELAY_MIN, DELAY_MAX) => {
                    self.baseline = Some(now);
                    self.slow_rounds = 0;
                }
                Some(baseline) if now < baseline => self.baseline = None,
                _ => {}
            }
        }
        if self.baseline.is_some() { Advice::Slow } else { Advice::Go }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(round: u64, rtt_ms: i64) -> Acked {
        Acked {
            rtt: Some(Span::from_millis(rtt_ms)),
            acked_to: round * 100 + 1,
            sent_to: round * 100 + 100,
            ..Acked::default()
        }
    }

    // tcp_cubic.c: at 80 ms the threshold is clamp(80/8, 4, 16) = 10 ms above the smallest RTT, after 8
    // samples.
    #[test]
    fn delay_ends_slow_start_above_an_eighth_of_the_rtt() {
        let base = Span::from_millis(80);
        let run = |rtt| {
            let mut hystart = HyStart::new(false);
            // 5 ms apart: no ACK train.
            (0..12).any(|i| hystart.on_ack(Timestamp::from_nanos(i * 5_000_000), &ack(1, rtt), 20, base))
        };
        assert!(!run(90));
        assert!(run(91));
    }

    #[test]
    fn a_long_ack_train_ends_slow_start_at_half_the_rtt() {
        let mut hystart = HyStart::new(false);
        let base = Span::from_millis(20);
        let left = (0..40)
            .position(|ms| hystart.on_ack(Timestamp::from_nanos(ms * 1_000_000), &ack(1, 20), 20, base));
        assert_eq!(left, Some(11));
    }

    // RFC 9406 section 4.2: the round's minimum must exceed the last one's by clamp(last/8, 4 ms, 16 ms);
    // five rounds of conservative slow start, then congestion avoidance; back to slow start if the RTT falls
    // below the baseline.
    #[test]
    fn conservative_slow_start_lasts_five_rounds() {
        let mut plus = HyStartPlusPlus::default();
        let mut advice = Vec::new();
        for round in 1..=9 {
            let rtt = if round < 3 { 40 } else { 46 };
            for _ in 0..8 {
                advice.push(plus.on_ack(&ack(round, rtt)));
            }
        }
        let slow = advice.iter().position(|a| *a == Advice::Slow);
        let leave = advice.iter().position(|a| *a == Advice::Leave);
        assert_eq!((slow, leave), (Some(2 * 8 + 7), Some(7 * 8)));
    }
}
