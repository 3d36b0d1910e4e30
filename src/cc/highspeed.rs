//! `HighSpeed` TCP: grows faster and falls less the larger the window.
//!
//! Source: RFC 3649 section 5; Linux `net/ipv4/tcp_highspeed.c`. Windows in segments. Linux reads increase
//! and decrease from the RFC's rounded table (appendix B) and counts ACKs; here the formulas are used and
//! segments counted.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, Controller};
use crate::units::Timestamp;

/// Up to this window it is Reno (`Low_Window`).
const LOW: f64 = 38.0;
/// `High_Window` and `High_Decrease`: where the response function was anchored.
const HIGH: f64 = 83_000.0;
const HIGH_DECREASE: f64 = 0.1;

/// The row.
pub(super) struct HighSpeed;

impl Algorithm for HighSpeed {
    fn name(&self) -> &'static str {
        "highspeed"
    }

    fn reference(&self) -> &'static str {
        "RFC 3649"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule::default()))
    }
}

/// RFC 3649 section 5: b(w), the share of the window given up at a loss.
fn decrease(window: f64) -> f64 {
    if window <= LOW {
        return 0.5;
    }
    let window = window.min(HIGH);
    0.5 + (HIGH_DECREASE - 0.5) * (window / LOW).ln() / (HIGH / LOW).ln()
}

/// RFC 3649 section 5: a(w), segments of growth a round trip, with p(w) = 0.078 / w^1.2.
fn increase(window: f64) -> f64 {
    if window <= LOW {
        return 1.0;
    }
    // Beyond the window it was made for, the function stays as it is there.
    let window = window.min(HIGH);
    let b = decrease(window);
    window * window * (0.078 / window.powf(1.2)) * 2.0 * b / (2.0 - b)
}

#[derive(Debug, Default)]
struct Rule {
    /// The window that `step` is for.
    at: u32,
    step: f64,
    part: f64,
}

impl LinuxRule for Rule {
    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, ack: &Acked, acked: u32) {
        if window.in_slow_start() {
            window.slow_start(acked);
            return;
        }
        if self.at != window.cwnd {
            self.at = window.cwnd;
            self.step = increase(f64::from(window.cwnd)) / f64::from(window.cwnd);
        }
        // Once for an ACK, however many segments it is for (`hstcp_cong_avoid` takes no notice of `acked`): with delayed ACKs half
        // of what the RFC has.
        self.part += self.step * f64::from(ack.acks.max(1));
        window.cwnd = window.cwnd.saturating_add(self.part as u32);
        self.part = self.part.fract();
    }

    /// `tcp_init_cwnd_reduction` sets `snd_cwnd_cnt` to nothing.
    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, _event: &Congestion) {
        self.part = 0.0;
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        let cwnd = f64::from(window.cwnd);
        (cwnd * (1.0 - decrease(cwnd))) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 3649 appendix B, table 4: window, increase, decrease.
    #[test]
    fn the_table_of_the_rfc() {
        let rows = [
            (38.0, 1.0, 0.50),
            (118.0, 2.0, 0.44),
            (221.0, 3.0, 0.41),
            (347.0, 4.0, 0.38),
            (495.0, 5.0, 0.37),
            (1058.0, 8.0, 0.33),
            (83_000.0, 71.0, 0.10),
        ];
        for (window, a, b) in rows {
            assert!((decrease(window) - b).abs() < 0.006, "b({window}) = {}", decrease(window));
            assert!((increase(window) - a).abs() < 0.03 * a, "a({window}) = {}", increase(window));
        }
    }
}
