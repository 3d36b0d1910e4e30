//! The algorithm that was really used, simulated: how far it misses what was measured.
//!
//! What it misses has two causes. The path or the simulation is wrong, which holds for the other algorithms as well; or the
//! transfer was lucky, which does not. How much one run differs from another tells the two apart: behind a full bottleneck
//! hardly at all, so that all of the error counts, and with a handful of losses by a fifth, so that little of it does.

/// Measured against simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Measured goodput, bits a second.
    pub measured: f64,
    /// Simulated.
    pub simulated: f64,
    /// Logarithm of measured over simulated.
    error: f64,
    /// Part of it that is no luck.
    gain: f64,
    /// Part of the link that its simulation fills.
    fills: f64,
}

/// What was measured of the algorithm itself counts at least that much.
const OWN: f64 = 0.5;

impl Anchor {
    /// `runs`: mean and standard deviation of the logarithm of the simulated goodput. `model_error`: what a simulation misses.
    pub(super) fn of(measured: f64, runs: (f64, f64), model_error: f64, link: f64) -> Self {
        let error = measured.max(1.0).ln() - runs.0;
        let gain = model_error.powi(2) / (model_error.powi(2) + runs.1.powi(2));
        let simulated = runs.0.exp();
        Self { measured, simulated, error, gain, fills: (simulated / link.max(1.0)).clamp(0.0, 1.0) }
    }

    /// Simulated over measured, less 1.
    pub fn miss(&self) -> f64 {
        self.simulated / self.measured.max(1.0) - 1.0
    }

    /// The correction of the logarithm of an algorithm that leaves this part of the link free, and what is left of the error.
    /// What fills the link depends on nothing that was missed, unless the one that was used should have filled it as well and did not:
    /// then others had their share of it.
    pub(super) fn applied(&self, is_used: bool, free: f64) -> (f64, f64) {
        let part = free.max(self.fills);
        let gain = if is_used { self.gain.max(OWN) } else { self.gain * part };
        (gain * self.error, (1.0 - gain) * self.error.abs() * part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luck_is_not_taken_for_an_error() {
        let sure = Anchor::of(20e6, (16e6_f64.ln(), 0.0), 0.1, 1e9);
        assert!((sure.applied(false, 1.0).0 - 1.25_f64.ln()).abs() < 1e-9);
        assert!((sure.miss() + 0.2).abs() < 1e-9);
        let lucky = Anchor::of(20e6, (16e6_f64.ln(), 0.3), 0.1, 1e9);
        assert!((lucky.applied(false, 1.0).0 - 0.1 * 1.25_f64.ln()).abs() < 1e-9);
        // A full link stays full.
        assert!(sure.applied(false, 0.0).0.abs() < 0.01);
        // A link that should have been full and was not is shared.
        let shared = Anchor::of(10e6, (19e6_f64.ln(), 0.0), 0.1, 19e6);
        assert!((shared.applied(false, 0.0).0 - (10.0_f64 / 19.0).ln()).abs() < 1e-9);
    }
}
