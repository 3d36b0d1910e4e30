//! When a segment may leave: pacing at the controller's rate, and Linux's deferral for larger bursts.

use crate::units::{Bytes, Rate, Span, Timestamp};

/// A burst is what the rate carries in this time (`sk_pacing_shift` 10), within the bounds below.
const BURST_TIME: f64 = 1.0 / 1024.0;
const MIN_BURST: u32 = 2;
/// 64 kB of full segments.
const MAX_BURST: u32 = 44;
/// Below this rate a burst is one segment (`bbr_min_tso_rate`), bits per second.
const SINGLE_RATE: f64 = 1.2e6;
/// A sender that wrote nothing for so long does not defer (`tcp_tso_should_defer`).
const DEFER_TIME: Span = Span::from_millis(1);
/// Nor does it if a third of the window is free (`tcp_tso_win_divisor`).
const WINDOW_SHARE: u32 = 3;
/// Without pacing the rate that sizes a burst is this times window over SRTT (`tcp_pacing_ca_ratio`).
const AVOIDANCE_RATIO: f64 = 1.2;

#[derive(Debug)]
pub(super) struct Pacer {
    defer: bool,
    next: Timestamp,
    blocked: bool,
    burst_at: Timestamp,
    burst_left: u32,
    last_sent: Timestamp,
}

impl Pacer {
    pub(super) const fn new(defer: bool) -> Self {
        Self {
            defer,
            next: Timestamp::ZERO,
            blocked: false,
            burst_at: Timestamp::MIN,
            burst_left: 0,
            last_sent: Timestamp::MIN,
        }
    }

    pub(super) const fn blocked_until(&self) -> Option<Timestamp> {
        if self.blocked { Some(self.next) } else { None }
    }

    pub(super) const fn unblock(&mut self) {
        self.blocked = false;
    }

    pub(super) const fn on_sent(&mut self, now: Timestamp) {
        self.last_sent = now;
    }

    /// Whether a segment may leave now; if so it is charged.
    pub(super) fn admit(&mut self, now: Timestamp, rate: Option<Rate>, mss: u32) -> bool {
        let Some(rate) = rate else { return true };
        if now != self.burst_at {
            self.burst_left = 0;
        }
        if self.burst_left == 0 {
            if now < self.next {
                self.blocked = true;
                return false;
            }
            let least = if rate.as_bits_per_sec() < SINGLE_RATE { 1 } else { MIN_BURST };
            let worth = rate.as_bytes_per_sec() * BURST_TIME / f64::from(mss);
            self.burst_left = (worth as u32).clamp(least, MAX_BURST);
            self.burst_at = now;
        }
        self.burst_left -= 1;
        self.next = self.next.max(now) + rate.time_for(Bytes::new(u64::from(mss)));
        true
    }

    /// Whether to wait for more room in the window (`tcp_tso_should_defer`).
    pub(super) fn defers(
        &self,
        now: Timestamp,
        room: u32,
        window: u32,
        srtt: Option<Span>,
        mss: u32,
    ) -> bool {
        if !self.defer || now.since(self.last_sent) > DEFER_TIME || now == self.last_sent {
            return false;
        }
        let Some(srtt) = srtt.filter(|srtt| *srtt > DEFER_TIME) else { return false };
        let rate = AVOIDANCE_RATIO * f64::from(window) * f64::from(mss) / srtt.as_secs_f64();
        let goal = ((rate * BURST_TIME / f64::from(mss)) as u32).clamp(MIN_BURST, MAX_BURST);
        room < goal.min(window / WINDOW_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 12 Mbit/s of 1500-byte payloads: 1 ms each, and 1/1024 s carries less than one, so two at a time.
    #[test]
    fn bursts_of_two_at_the_rate() {
        let mut pacer = Pacer::new(false);
        let rate = Some(Rate::from_bits_per_sec(12e6));
        let mut sent = 0;
        for us in 0..10_000 {
            let now = Timestamp::from_nanos(us * 1_000);
            while pacer.admit(now, rate, 1500) {
                sent += 1;
            }
        }
        assert_eq!(sent, 10);
    }

    // 120 segments in 10 ms: a burst goal of 1.2 * 12,000 / 1024 = 14 segments; a third of the window is
    // more.
    #[test]
    fn waits_for_a_burst_but_not_for_long() {
        let mut pacer = Pacer::new(true);
        pacer.on_sent(Timestamp::ZERO);
        let srtt = Some(Span::from_millis(10));
        let at = |us: i64| Timestamp::from_nanos(us * 1_000);
        assert!(pacer.defers(at(200), 13, 120, srtt, 1448));
        assert!(!pacer.defers(at(200), 14, 120, srtt, 1448));
        assert!(!pacer.defers(at(1_001), 2, 120, srtt, 1448));
    }
}
