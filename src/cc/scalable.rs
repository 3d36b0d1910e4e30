//! Scalable TCP: the window grows by a fixed share of what is acknowledged, and falls by an eighth.
//!
//! Source: Kelly, "Scalable TCP" (2003); Linux `net/ipv4/tcp_scalable.c`. Windows in segments.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Acked, Algorithm, CcSetup, Congestion, Controller};
use crate::units::Timestamp;

/// One segment more for so many acknowledged (`TCP_SCALABLE_AI_CNT`), or for a window if that is smaller.
const INCREASE: u32 = 100;
/// The window falls by 1/8 (`TCP_SCALABLE_MD_SCALE` 3).
const DECREASE_SHIFT: u32 = 3;

/// The row.
pub(super) struct Scalable;

impl Algorithm for Scalable {
    fn name(&self) -> &'static str {
        "scalable"
    }

    fn reference(&self) -> &'static str {
        "Kelly 2003; Linux tcp_scalable.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule))
    }
}

#[derive(Debug)]
struct Rule;

impl LinuxRule for Rule {
    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        let left = if window.in_slow_start() { window.slow_start(acked) } else { acked };
        if left > 0 {
            window.additive(window.cwnd.min(INCREASE), left);
        }
    }

    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        window.cwnd - (window.cwnd >> DECREASE_SHIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::CongestionKind;
    use crate::units::Bytes;

    // tcp_scalable.c: above 100 segments one more for every 100 acknowledged; 800 falls to 700.
    #[test]
    fn a_hundredth_up_an_eighth_down() {
        let mut window = LinuxWindow::new(1448, 800);
        window.leave_slow_start();
        Rule.grow(&mut window, Timestamp::ZERO, &Acked::default(), 800);
        assert_eq!(window.cwnd, 808);
        let event = Congestion::first(CongestionKind::Loss, Bytes::new(0));
        window.cwnd = 800;
        assert_eq!(Rule.threshold(&window, Timestamp::ZERO, &event), 700);
    }
}
