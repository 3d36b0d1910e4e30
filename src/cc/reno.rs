//! Reno and `NewReno`: one segment more a round trip, half the window after a loss.
//!
//! Source: RFC 5681 sections 3.1 and 3.2, RFC 6582; Linux `net/ipv4/tcp_cong.c`, FreeBSD
//! `sys/netinet/cc/cc_newreno.c`. Windows in segments on Linux, in bytes on FreeBSD. What FreeBSD adds (ABE,
//! `HyStart`++) is off there by default.

use super::bsd::BsdWindow;
use super::linux::LinuxWindow;
use super::rule::{BsdController, BsdRule, LinuxController, LinuxRule};
use super::{Algorithm, CcSetup, Controller, Prevalence, Stack};

/// The row.
pub(super) struct Reno;

impl Algorithm for Reno {
    fn name(&self) -> &'static str {
        "reno"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["newreno"]
    }

    fn reference(&self) -> &'static str {
        "RFC 5681, RFC 6582"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Usual
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        match setup.stack {
            Stack::Linux(_) => Box::new(LinuxController::new(LinuxWindow::of(setup), Plain)),
            Stack::FreeBsd(_) => Box::new(BsdController::new(BsdWindow::of(setup), Plain)),
        }
    }
}

/// The rule in which nothing differs from the kernels' defaults.
#[derive(Debug)]
struct Plain;

impl LinuxRule for Plain {}

impl BsdRule for Plain {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::{Acked, Congestion, CongestionKind};
    use crate::units::{Bytes, Timestamp};

    fn ack(segments: u64) -> Acked {
        Acked { bytes: Bytes::new(segments * 1448), window_full: true, ..Acked::default() }
    }

    // RFC 5681 section 3.1: in slow start the window doubles each round trip; equation (4): half the flight,
    // at least 2.
    #[test]
    fn doubles_then_halves_on_both_stacks() {
        for stack in [Stack::Linux(6), Stack::FreeBsd(14)] {
            let mut reno = Reno.start(&CcSetup { stack, ..CcSetup::default() });
            for _ in 0..10 {
                reno.on_ack(Timestamp::ZERO, &ack(1));
            }
            assert_eq!(reno.window().get(), 20 * 1448);
            let event = Congestion::first(CongestionKind::Loss, reno.window());
            reno.on_congestion(Timestamp::ZERO, &event);
            assert_eq!(reno.window().get(), 10 * 1448);
        }
    }
}
