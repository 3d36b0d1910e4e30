//! What BBR can get at random loss: all of the link that is not lost, as long as probing sees it: 1.25 (1 -
//! p) >= 1.

use super::{ClosedForm, Conditions};

pub(super) struct BbrBound;

impl ClosedForm for BbrBound {
    fn name(&self) -> &'static str {
        "the bound C(1-p)"
    }

    fn reference(&self) -> &'static str {
        "Cardwell et al. 2016"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["bbr"]
    }

    /// Twice the bandwidth-delay product, and a round trip of repair, must fit the window.
    fn applies(&self, c: &Conditions) -> bool {
        c.capacity.is_finite() && c.loss <= 0.15 && 3.0 * c.capacity * c.rtt < c.max_window
    }

    fn rate(&self, c: &Conditions) -> f64 {
        c.capacity * (1.0 - c.loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    #[test]
    fn a_tenth_lost_leaves_nine_tenths() {
        let c = Conditions { capacity: 1000.0, ..at(0.1, 0.1) };
        assert!((BbrBound.rate(&c) - 900.0).abs() < 1e-9 && BbrBound.applies(&c));
        assert!(!BbrBound.applies(&Conditions { loss: 0.2, ..c }));
    }
}
