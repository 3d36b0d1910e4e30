//! The limit of any algorithm: a window a round trip (RFC 7323 section 1.1).

use super::{ClosedForm, Conditions};

pub(super) struct WindowLimit;

impl ClosedForm for WindowLimit {
    fn name(&self) -> &'static str {
        "window/RTT"
    }

    fn reference(&self) -> &'static str {
        "RFC 7323 section 1.1"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["bbr", "bic", "cubic", "dctcp", "highspeed", "htcp", "reno", "scalable"]
    }

    /// Where the window is what binds: far below the link, and hardly any loss.
    fn applies(&self, c: &Conditions) -> bool {
        c.max_window < 0.5 * c.capacity * c.rtt && c.loss * c.max_window < 0.05
    }

    fn rate(&self, c: &Conditions) -> f64 {
        c.max_window / c.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::closed_form::tests_support::at;

    // 45 segments of 1448 bytes (64 kB) at 100 ms: 450 segments/s, 5.2 Mbit/s.
    #[test]
    fn sixty_four_kilobytes_at_a_tenth_of_a_second() {
        let c = Conditions { max_window: 45.0, capacity: 8000.0, ..at(0.1, 1e-5) };
        assert!((WindowLimit.rate(&c) - 450.0).abs() < 1e-9 && WindowLimit.applies(&c));
    }
}
