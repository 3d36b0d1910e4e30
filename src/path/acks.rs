//! ACKs lost on their way to the tap.
//!
//! Where the receiver numbers its packets one by one (IP identification), numbers that are passed over are ACKs that did not
//! arrive. A host may count all its packets together, those for others too: then what follows a missing number acknowledges
//! no more than what follows none, and nothing is known.

use super::{Estimate, loss};
use crate::report::{PathSlice, Vantage};

/// ACKs that were lost, and all that were sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AckLosses {
    /// Lost between the receiver and the tap.
    pub lost: f64,
    /// Sent.
    pub sent: f64,
}

/// An ACK after a lost one acknowledges for both. It is believed from this part of it on.
const BELIEVED: f64 = 0.5;

impl AckLosses {
    /// `None` at the receiver, where all its ACKs are seen, and where its packets are not counted.
    pub(super) fn of(slice: &PathSlice, vantage: Vantage) -> Option<Self> {
        let steps = &slice.ack_steps;
        if vantage == Vantage::Receiver || steps.seen == 0 {
            return None;
        }
        let (lost, sent) = (steps.missing as f64, (steps.seen + steps.missing) as f64);
        (steps.missing == 0 || Self::show(slice) >= BELIEVED).then_some(Self { lost, sent })
    }

    /// Which part of the numbers passed over shows in what the next ACK acknowledges.
    fn show(slice: &PathSlice) -> f64 {
        let ((plain, plain_bytes), (beyond, beyond_bytes, missing)) =
            (slice.ack_steps.next, slice.ack_steps.beyond);
        if plain == 0 || beyond == 0 || missing == 0 {
            return 0.0;
        }
        let each = plain_bytes as f64 / plain as f64;
        (beyond_bytes as f64 / each - beyond as f64) / missing as f64
    }

    /// The probability that an ACK is lost.
    pub fn rate(&self) -> Estimate {
        loss::rate(self.lost, self.sent, 1.0)
    }

    /// What two transfers show together.
    pub(super) fn with(self, other: Self) -> Self {
        Self { lost: self.lost + other.lost, sent: self.sent + other.sent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::AckSteps;

    fn of(beyond_bytes: u64) -> Option<AckLosses> {
        // Of 125 ACKs for two segments each 25 were lost, one before each of 25.
        let ack_steps =
            AckSteps { seen: 100, missing: 25, next: (75, 75 * 2_896), beyond: (25, beyond_bytes, 25) };
        AckLosses::of(&PathSlice { ack_steps, ..PathSlice::default() }, Vantage::Sender)
    }

    #[test]
    fn an_ack_after_a_lost_one_acknowledges_for_both() {
        let rate = of(25 * 2 * 2_896).unwrap().rate();
        assert!((rate.value - 0.2).abs() < 1e-9);
        // Poisson of 25: 18.6 to 31.4 by its standard deviation.
        assert!((0.14..0.16).contains(&rate.low) && (0.25..0.27).contains(&rate.high), "{rate:?}");
    }

    #[test]
    fn numbers_given_to_packets_for_others_are_no_losses() {
        assert_eq!(of(25 * 2_896), None);
    }

    #[test]
    fn at_the_receiver_nothing_is_missing_and_nothing_known() {
        let ack_steps = AckSteps { seen: 100, ..AckSteps::default() };
        let slice = PathSlice { ack_steps, ..PathSlice::default() };
        assert_eq!(AckLosses::of(&slice, Vantage::Receiver), None);
        assert!(AckLosses::of(&slice, Vantage::Sender).unwrap().rate().value.abs() < 1e-12);
    }
}
