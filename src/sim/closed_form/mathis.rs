//! The square-root formula: Mathis et al., "The macroscopic behavior of the TCP congestion avoidance
//! algorithm" (1997).

use super::{ClosedForm, Conditions};

/// For periodic loss and an ACK that counts for every segment: sqrt(3/2).
const CONSTANT: f64 = 1.224_744_871;

pub(super) struct Mathis;

impl ClosedForm for Mathis {
    fn name(&self) -> &'static str {
        "Mathis"
    }

    fn reference(&self) -> &'static str {
        "Mathis et al. 1997, c 1.22"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["reno", "dctcp"]
    }

    /// No timeouts (loss up to 1 %), and the window of the formula fits.
    fn applies(&self, c: &Conditions) -> bool {
        (1e-7..=0.01).contains(&c.loss) && self.rate(c) * c.rtt < c.max_window
    }

    fn rate(&self, c: &Conditions) -> f64 {
        CONSTANT / (c.rtt * (c.acked_per_growth * c.events).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // The estimate of the field report: 1448 bytes, 54 ms, 0.05 % with delayed ACKs (c 0.87 = 1.22/sqrt(2)):
    // 1.04 MB/s.
    #[test]
    fn the_estimate_of_the_field_report() {
        let rate = Mathis.rate(&Conditions { acked_per_growth: 2.0, ..at(0.054, 5e-4) });
        assert!((rate * 1448.0 / 1e6 - 1.038).abs() < 0.002, "{rate}");
    }
}
