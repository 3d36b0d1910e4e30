//! Westwood+: after a loss the window is what the measured rate fills in the smallest RTT.
//!
//! Source: Mascolo et al., "TCP Westwood" (2001), Grieco and Mascolo (2004); Linux `net/ipv4/tcp_westwood.c`.
//! Rates in bytes per second.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, CongestionKind, Controller, Prevalence};
use crate::cc::event::jiffies;
use crate::units::{Span, Timestamp};

/// Shortest time over which the rate is sampled (`TCP_WESTWOOD_RTT_MIN`).
const SAMPLE_TIME: Span = Span::from_millis(50);
/// Each of the two filters keeps 7/8.
const KEEP: f64 = 7.0 / 8.0;

/// The row.
pub(super) struct Westwood;

impl Algorithm for Westwood {
    fn name(&self) -> &'static str {
        "westwood"
    }

    fn reference(&self) -> &'static str {
        "Grieco, Mascolo 2004; Linux tcp_westwood.c"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Known
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        let rule = Rule { hz: setup.clock_hz, ..Rule::default() };
        Box::new(LinuxController::new(LinuxWindow::of(setup), rule))
    }
}

#[derive(Debug, Default)]
struct Rule {
    /// The kernel's clock; 0 for an exact one.
    hz: u32,
    start: Option<Timestamp>,
    acked: u64,
    /// After the first and after the second filter.
    rates: Option<(f64, f64)>,
    rtt: Option<Span>,
    min_rtt: Option<Span>,
    forget_min: bool,
}

impl Rule {
    /// Segments that fill the path without a queue (`tcp_westwood_bw_rttmin`).
    fn pipe(&self, mss: u32) -> u32 {
        let rate = self.rates.map_or(0.0, |(_, second)| second);
        let rtt = self.min_rtt.map_or(0.0, Span::as_secs_f64);
        ((rate * rtt / f64::from(mss)) as u32).max(2)
    }
}

impl LinuxRule for Rule {
    fn measure(&mut self, _window: &mut LinuxWindow, now: Timestamp, ack: &Acked) {
        if let Some(rtt) = ack.rtt {
            // `usecs_to_jiffies` rounds up: on a short path much.
            self.rtt = Some(jiffies(rtt, self.hz));
        }
        let start = *self.start.get_or_insert(now);
        self.acked += ack.bytes.get();
        let elapsed = now.since(start);
        if let Some(rtt) = self.rtt
            && elapsed > rtt.max(SAMPLE_TIME)
        {
            let sample = self.acked as f64 / elapsed.as_secs_f64();
            self.rates = Some(self.rates.map_or((sample, sample), |(first, second)| {
                let first = KEEP * first + (1.0 - KEEP) * sample;
                (first, KEEP * second + (1.0 - KEEP) * first)
            }));
            self.acked = 0;
            self.start = Some(now);
        }
        if let Some(rtt) = self.rtt {
            self.min_rtt = match self.min_rtt {
                Some(held) if !self.forget_min => Some(held.min(rtt)),
                _ => Some(rtt),
            };
            self.forget_min = false;
        }
    }

    fn reduced(&mut self, window: &mut LinuxWindow, _now: Timestamp, event: &Congestion) {
        if event.kind == CongestionKind::Timeout {
            window.ssthresh = self.pipe(window.mss);
            self.forget_min = true;
        }
    }

    fn recovered(&mut self, window: &mut LinuxWindow, _now: Timestamp) {
        let pipe = self.pipe(window.mss);
        window.ssthresh = pipe;
        window.cwnd = pipe;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    // 10 segments of 1000 bytes every 60 ms, RTT 100 ms: 166,667 B/s fill 16 segments.
    #[test]
    fn the_window_after_a_loss_is_rate_times_smallest_rtt() {
        let mut window = LinuxWindow::new(1000, 64);
        let mut rule = Rule::default();
        for i in 0..400 {
            let ack =
                Acked { bytes: Bytes::new(10_000), rtt: Some(Span::from_millis(100)), ..Acked::default() };
            rule.measure(&mut window, Timestamp::from_nanos(i * 60_000_000), &ack);
        }
        rule.recovered(&mut window, Timestamp::ZERO);
        assert!((16..=18).contains(&window.cwnd), "{}", window.cwnd);
    }
}
