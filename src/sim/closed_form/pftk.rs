//! The full model with timeouts: Padhye, Firoiu, Towsley and Kurose, "Modeling TCP Reno performance" (2000),
//! equation (32).

use super::{ClosedForm, Conditions};

pub(super) struct Pftk;

/// The chance that a loss in a window of `w` is noticed by a timeout (equation 24).
fn timeout_chance(p: f64, w: f64) -> f64 {
    if w <= 3.0 {
        return 1.0;
    }
    let q = 1.0 - p;
    let three = 1.0 - q.powi(3);
    (three * (1.0 + q.powi(3) * (1.0 - q.powf(w - 3.0))) / (1.0 - q.powf(w))).min(1.0)
}

impl ClosedForm for Pftk {
    fn name(&self) -> &'static str {
        "PFTK"
    }

    fn reference(&self) -> &'static str {
        "Padhye et al. 2000"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["reno", "dctcp"]
    }

    fn applies(&self, c: &Conditions) -> bool {
        (1e-6..=0.2).contains(&c.loss) && (c.events - c.loss).abs() < 1e-12
    }

    fn rate(&self, c: &Conditions) -> f64 {
        let (p, b) = (c.events, c.acked_per_growth);
        let (q, base) = (1.0 - p, (2.0 + b) / (3.0 * b));
        let window = base + (8.0 * q / (3.0 * b * p) + base * base).sqrt();
        // f(p), equation 29.
        let backoff = 1.0
            + p
            + 2.0 * p.powi(2)
            + 4.0 * p.powi(3)
            + 8.0 * p.powi(4)
            + 16.0 * p.powi(5)
            + 32.0 * p.powi(6);
        if window < c.max_window {
            let chance = timeout_chance(p, window);
            (q / p + window + chance / q)
                / (c.rtt * (b * window / 2.0 + 1.0) + chance * backoff * c.timeout / q)
        } else {
            let (window, chance) = (c.max_window, timeout_chance(p, c.max_window));
            (q / p + window + chance / q)
                / (c.rtt * (b * window / 8.0 + q / (p * window) + 2.0) + chance * backoff * c.timeout / q)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // RFC 5348's form, the same model simplified, agrees within a few percent while timeouts are rare:
    // X = 1/(R sqrt(2bp/3)) at small p; and the full one lies below it as timeouts set in.
    #[test]
    fn it_tends_to_the_square_root_at_low_loss() {
        let c = at(0.1, 1e-6);
        let limit = 1.0 / (0.1 * (2.0e-6_f64 / 3.0).sqrt());
        assert!((Pftk.rate(&c) / limit - 1.0).abs() < 0.02);
        let high = at(0.1, 0.05);
        assert!(Pftk.rate(&high) < 0.8 / (0.1 * (0.1_f64 / 3.0).sqrt()));
    }

    // By hand at p 0.02, b 2, R 0.1, T0 1: W 8.7771, Q 0.39954, f 1.02083:
    // (49 + 8.7771 + 0.40769)/(0.97771 + 0.41618) = 41.74 segments/s.
    #[test]
    fn a_hand_computed_value() {
        let c = Conditions { acked_per_growth: 2.0, timeout: 1.0, ..at(0.1, 0.02) };
        assert!((Pftk.rate(&c) - 41.74).abs() < 0.02, "{}", Pftk.rate(&c));
    }

    #[test]
    fn a_small_receive_window_is_the_limit() {
        let c = Conditions { max_window: 10.0, ..at(0.1, 1e-6) };
        assert!((Pftk.rate(&c) - 100.0).abs() < 1.0);
    }
}
