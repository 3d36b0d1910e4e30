//! CUBIC: after a loss the window follows a cubic of time, flat about the window at which the loss came.
//!
//! Source: RFC 9438; the kernels' versions differ in their clock and in their Reno-friendly region, and so
//! are two files: [`linux`] and [`bsd`].

mod bsd;
mod linux;

use super::{Algorithm, CcSetup, Controller, Prevalence, Stack};

/// Scale of the cubic in segments per second cubed (RFC 9438 section 5).
const C: f64 = 0.4;

/// The row.
pub(super) struct Cubic;

impl Algorithm for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn reference(&self) -> &'static str {
        "RFC 9438"
    }

    fn prevalence(&self) -> Prevalence {
        Prevalence::Usual
    }

    fn start(&self, setup: &CcSetup) -> Box<dyn Controller> {
        match setup.stack {
            Stack::Linux(_) => Box::new(linux::LinuxCubic::new(setup)),
            Stack::FreeBsd(_) => Box::new(bsd::BsdCubic::new(setup)),
        }
    }
}
