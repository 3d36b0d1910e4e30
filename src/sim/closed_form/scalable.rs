//! The response function of Scalable TCP: Kelly (2003): a share `a` gained of each window and `b` lost of it,
//! so w = (a/b)/p.

use super::{ClosedForm, Conditions};

pub(super) struct Scalable;

impl ClosedForm for Scalable {
    fn name(&self) -> &'static str {
        "Scalable's response function"
    }

    fn reference(&self) -> &'static str {
        "Kelly 2003"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["scalable"]
    }

    /// Above 100 segments it is no longer Reno-like growth.
    fn applies(&self, c: &Conditions) -> bool {
        let window = self.rate(c) * c.rtt;
        c.loss > 0.0 && window > 200.0 && window < c.max_window
    }

    fn rate(&self, c: &Conditions) -> f64 {
        0.01 / 0.125 / c.events / c.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    #[test]
    fn the_window_is_inverse_to_the_loss() {
        assert!((Scalable.rate(&at(0.1, 1e-4)) * 0.1 - 800.0).abs() < 1e-9);
        assert!(Scalable.applies(&at(0.1, 1e-4)) && !Scalable.applies(&at(0.1, 1e-2)));
    }
}
