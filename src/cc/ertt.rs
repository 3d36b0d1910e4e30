//! FreeBSD's enhanced RTT helper: one marked packet a round trip, RTTs in clock units plus one.
//!
//! Source: `sys/netinet/khelp/h_ertt.c`. The unit is the millisecond of TCP timestamps, which moves only when
//! the kernel clock does. Departure: samples spoiled by delayed ACKs need no filter here, since the RTT of an
//! ACK is that of the newest segment it acknowledges.

use super::Acked;
use crate::units::Timestamp;

#[derive(Debug)]
pub(super) struct Ertt {
    hz: u32,
    /// RTT of the newest ACK, smallest and largest ever; 0 before the first.
    pub(super) rtt: i64,
    pub(super) min: i64,
    pub(super) max: i64,
    /// Of the marked packet: its RTT, the window when it was sent, and the bytes sent until it was
    /// acknowledged.
    pub(super) marked_rtt: i64,
    pub(super) marked_window: u64,
    pub(super) marked_bytes: u64,
    mark: Option<(u64, u64)>,
}

impl Ertt {
    pub(super) const fn new(hz: u32) -> Self {
        Self { hz, rtt: 0, min: 0, max: 0, marked_rtt: 0, marked_window: 0, marked_bytes: 0, mark: None }
    }

    /// Milliseconds of a clock that moves `hz` times a second.
    fn clock(&self, at: Timestamp) -> i64 {
        let tick = 1_000_000_000 / i64::from(self.hz.max(1));
        at.as_nanos() / tick * tick / 1_000_000
    }

    /// Takes an ACK; `true` if the marked packet is acknowledged and there is a new measurement.
    pub(super) fn on_ack(&mut self, now: Timestamp, ack: &Acked, window: u64) -> bool {
        if let Some(rtt) = ack.rtt {
            self.rtt = self.clock(now) - self.clock(now - rtt) + 1;
            self.min = if self.min == 0 { self.rtt } else { self.min.min(self.rtt) };
            self.max = self.max.max(self.rtt);
        }
        match self.mark {
            Some((end, _)) if ack.acked_to <= end => false,
            Some((end, held)) => {
                self.marked_rtt = self.rtt;
                self.marked_window = held;
                self.marked_bytes = ack.sent_to - end;
                self.mark = Some((ack.sent_to, window));
                true
            }
            None => {
                self.mark = Some((ack.sent_to, window));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    #[test]
    fn one_measurement_a_round_trip_in_milliseconds_plus_one() {
        let mut ertt = Ertt::new(1000);
        let ack = |acked_to, sent_to| Acked {
            acked_to,
            sent_to,
            rtt: Some(Span::from_micros(54_900)),
            ..Acked::default()
        };
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        assert!(!ertt.on_ack(at(100), &ack(10, 100), 90));
        assert!(!ertt.on_ack(at(120), &ack(100, 150), 90));
        assert!(ertt.on_ack(at(155), &ack(110, 200), 95));
        assert_eq!((ertt.rtt, ertt.marked_bytes, ertt.marked_window), (56, 100, 90));
    }

    #[test]
    fn a_slow_clock_sees_whole_ticks() {
        let mut ertt = Ertt::new(100);
        let rtt = Some(Span::from_millis(5));
        ertt.on_ack(Timestamp::from_nanos(12_000_000), &Acked { rtt, ..Acked::default() }, 0);
        ertt.on_ack(Timestamp::from_nanos(19_000_000), &Acked { rtt, ..Acked::default() }, 0);
        assert_eq!((ertt.min, ertt.max), (1, 11));
    }
}
