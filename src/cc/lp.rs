//! TCP-LP, as Linux has it: Reno.
//!
//! Source: Kuzmanovic and Knightly, "TCP-LP: a distributed algorithm for low priority data transfer" (2003); Linux
//! `net/ipv4/tcp_lp.c`. It was to give way as soon as the one-way delay rises. The kernel takes that delay for the difference
//! of the two ends' timestamps (`tcp_lp_owd_calculator`), which since Linux 4.10 begin at a random number on every connection
//! (`tcp_ts_off`), in 32 bits shifted by three: the delay is lost in it, and what is left is `tcp_reno_cong_avoid`.

use super::linux::LinuxWindow;
use super::rule::{LinuxController, LinuxRule};
use super::{Algorithm, CcSetup, Controller};

/// The row.
pub(super) struct Lp;

impl Algorithm for Lp {
    fn name(&self) -> &'static str {
        "lp"
    }

    fn reference(&self) -> &'static str {
        "Kuzmanovic, Knightly 2003; Linux tcp_lp.c"
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        Box::new(LinuxController::new(LinuxWindow::of(setup), Rule))
    }
}

#[derive(Debug)]
struct Rule;

impl LinuxRule for Rule {}
