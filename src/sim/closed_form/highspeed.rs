//! The response function of `HighSpeed` TCP: RFC 3649 section 4.

use super::{ClosedForm, Conditions};

pub(super) struct HighSpeed;

impl ClosedForm for HighSpeed {
    fn name(&self) -> &'static str {
        "HighSpeed's response function"
    }

    fn reference(&self) -> &'static str {
        "RFC 3649 section 4"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["highspeed"]
    }

    fn applies(&self, c: &Conditions) -> bool {
        (1e-8..=0.01).contains(&c.loss) && self.rate(c) * c.rtt < c.max_window
    }

    /// w = 0.12 / p^0.835 below a loss of 0.0015, 1.2 / sqrt(p) above.
    fn rate(&self, c: &Conditions) -> f64 {
        let p = c.events;
        (0.12 / p.powf(0.835)).max(1.2 / p.sqrt()) / c.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // RFC 3649 table 3 (and RFC 9438 table 1).
    #[test]
    fn the_table_of_the_rfc() {
        for (p, window) in [(1e-2, 12.0), (1e-3, 38.0), (1e-4, 263.0), (1e-5, 1795.0), (1e-6, 12_280.0)] {
            let w = HighSpeed.rate(&at(0.1, p)) * 0.1;
            assert!((w / window - 1.0).abs() < 0.01 + 0.5 / window, "{p}: {w}");
        }
    }
}
