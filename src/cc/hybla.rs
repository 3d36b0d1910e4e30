//! Hybla: grows as a connection with an RTT of 25 ms would, whatever its own.
//!
//! Source: Caini and Firrincieli, "TCP Hybla" (2004); Linux `net/ipv4/tcp_hybla.c`. Windows in segments.
//! Departure: fractions of a segment are kept exactly, not in 1/128.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Controller};
use crate::units::Timestamp;

/// RTT of the reference connection (`rtt0`), seconds.
const REFERENCE_RTT: f64 = 0.025;
/// The window is kept below this (`snd_cwnd_clamp`).
const CLAMP: u32 = 65_535;
/// In slow start the exponent is limited as in the kernel.
const MAX_EXPONENT: f64 = 16.0;

/// The row.
pub(super) struct Hybla;

impl Algorithm for Hybla {
    fn name(&self) -> &'static str {
        "hybla"
    }

    fn reference(&self) -> &'static str {
        "Caini, Firrincieli 2004; Linux tcp_hybla.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        // The initial window is twice rho in the kernel, but no smaller than the usual one.
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::default()))
    }
}

#[derive(Debug, Default)]
struct Rule {
    min_rtt: Option<f64>,
    part: f64,
}

impl Rule {
    fn rho(&self) -> f64 {
        self.min_rtt.map_or(1.0, |rtt| (rtt / REFERENCE_RTT).max(1.0))
    }
}

impl LinuxRule for Rule {
    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked, _acked: u32) {
        if let Some(srtt) = ack.srtt.map(crate::units::Span::as_secs_f64)
            && self.min_rtt.is_none_or(|least| srtt < least)
        {
            self.min_rtt = Some(srtt);
        }
        let rho = self.rho();
        // Once for an ACK, however many segments it is for (`hybla_cong_avoid` takes no notice of `acked`): with delayed ACKs
        // half of what the paper has.
        let gain = if window.in_slow_start() {
            rho.min(MAX_EXPONENT).exp2() - 1.0
        } else {
            rho * rho / f64::from(window.cwnd)
        };
        self.part += gain * f64::from(ack.acks.max(1));
        let whole = self.part as u32;
        self.part -= f64::from(whole);
        let limit = if window.in_slow_start() { window.ssthresh } else { CLAMP };
        window.cwnd = window.cwnd.saturating_add(whole).min(limit.max(window.cwnd)).min(CLAMP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    // Rho is 4 at 100 ms: 2^4 - 1 = 15 segments for each ACK in slow start, then 16 for a round trip of an ACK a segment.
    #[test]
    fn a_long_path_grows_as_a_short_one() {
        let mut window = LinuxWindow::new(1448, 10);
        let mut rule = Rule::default();
        let ack = Acked { srtt: Some(Span::from_millis(100)), ..Acked::default() };
        rule.grow(&mut window, Timestamp::ZERO, &ack, 2);
        rule.grow(&mut window, Timestamp::ZERO, &ack, 2);
        assert_eq!(window.cwnd, 40);
        window.leave_slow_start();
        // 16/40 for the first ACK, less and less as the window grows: 47 after 20, as 40^2 + 2 * 16 * 20 = 47.3^2.
        for _ in 0..20 {
            rule.grow(&mut window, Timestamp::ZERO, &ack, 2);
        }
        assert_eq!(window.cwnd, 47);
    }
}
