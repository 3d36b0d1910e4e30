//! The response function of CUBIC: RFC 9438 section 5.1.

use super::{ClosedForm, Conditions};

pub(super) struct Cubic;

impl ClosedForm for Cubic {
    fn name(&self) -> &'static str {
        "CUBIC's response function"
    }

    fn reference(&self) -> &'static str {
        "RFC 9438 section 5.1"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["cubic"]
    }

    fn applies(&self, c: &Conditions) -> bool {
        (1e-8..=0.01).contains(&c.loss) && self.rate(c) * c.rtt < c.max_window
    }

    /// The larger of the cubic and the Reno-friendly window: (C (3 + beta) / (4 (1 - beta)))^(1/4) RTT^(3/4)
    /// / p^(3/4), and
    /// 1.2 / sqrt(p).
    fn rate(&self, c: &Conditions) -> f64 {
        let (scale, beta) = (0.4_f64, 0.7_f64);
        let constant = (scale * (3.0 + beta) / (4.0 * (1.0 - beta))).powf(0.25);
        let cubic = constant * c.rtt.powf(0.75) / c.events.powf(0.75);
        cubic.max(1.2 / c.events.sqrt()) / c.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // RFC 9438 tables 1 and 2, the columns of C = 0.4.
    #[test]
    fn the_tables_of_the_rfc() {
        let table = [
            (0.1, [(1e-2, 12.0), (1e-3, 38.0), (1e-4, 187.0), (1e-5, 1054.0), (1e-6, 5926.0)]),
            (0.01, [(1e-4, 120.0), (1e-5, 379.0), (1e-6, 1200.0), (1e-7, 5926.0), (1e-8, 33_325.0)]),
        ];
        for (rtt, rows) in table {
            for (p, window) in rows {
                let w = Cubic.rate(&at(rtt, p)) * rtt;
                assert!((w / window - 1.0).abs() < 0.003 + 0.5 / window, "{rtt} {p}: {w}");
            }
        }
    }
}
