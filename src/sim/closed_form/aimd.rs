//! Additive increase, multiplicative decrease with any pair: Floyd, Handley and Padhye, "A comparison of
//! equation-based and AIMD congestion control" (2000): w = sqrt(a (1 + b) / (2 (1 - b) p)) for `a` segments a
//! round trip and `b` kept.

use super::{ClosedForm, Conditions};

pub(super) struct Aimd {
    name: &'static str,
    algorithms: &'static [&'static str],
    increase: f64,
    keep: f64,
}

/// Veno and NV under random loss.
pub(super) static VENO: Aimd =
    Aimd { name: "AIMD(1, 0.8)", algorithms: &["veno", "nv"], increase: 1.0, keep: 0.8 };

impl ClosedForm for Aimd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reference(&self) -> &'static str {
        "Floyd, Handley, Padhye 2000"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        self.algorithms
    }

    fn applies(&self, c: &Conditions) -> bool {
        (1e-6..=0.01).contains(&c.loss) && self.rate(c) * c.rtt < c.max_window
    }

    fn rate(&self, c: &Conditions) -> f64 {
        (self.increase * (1.0 + self.keep) / (2.0 * (1.0 - self.keep) * c.events)).sqrt() / c.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // Reno is AIMD(1, 1/2): sqrt(1.5/p). RFC 9438 section 4.3 chooses CUBIC's pair so that it equals Reno's.
    #[test]
    fn the_friendly_pair_equals_reno() {
        let reno = Aimd { name: "", algorithms: &[], increase: 1.0, keep: 0.5 };
        let friendly = Aimd { increase: 9.0 / 17.0, keep: 0.7, ..reno };
        let c = at(1.0, 1e-4);
        assert!((reno.rate(&c) - 122.47).abs() < 0.01);
        assert!((friendly.rate(&c) / reno.rate(&c) - 1.0).abs() < 0.01);
        assert!((VENO.rate(&c) - 212.1).abs() < 0.1);
    }
}
