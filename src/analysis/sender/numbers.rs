//! ACKs that their receiver sent and that never passed the tap, by the numbers it gives its packets.

use crate::analysis::loss::IdClock;
use crate::report::AckSteps;

/// Follows the IP identifications of one host's ACKs, where it counts them up one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckNumbers {
    clock: IdClock,
    /// The last packet was an ACK, and what it acknowledged.
    last: Option<i64>,
}

impl AckNumbers {
    /// A packet of the receiver passed: its identification if it is an ACK without data, and what it acknowledges. `plain`: it says
    /// nothing of a hole.
    pub(super) fn observe(&mut self, id: Option<u16>, ack: i64, plain: bool, steps: &mut AckSteps) {
        let Some(id) = id else {
            // Data may have come in a super-segment of many numbers.
            self.last = None;
            return;
        };
        let (moved, late) = (self.clock.observe(Some(id)), self.clock.is_behind(id));
        if !self.clock.counts() {
            return;
        }
        if late {
            steps.missing = steps.missing.saturating_sub(1);
            steps.seen += 1;
            return;
        }
        let last = self.last.replace(ack);
        let (Some(moved), Some(last)) = (moved, last) else { return };
        let passed_over = u64::from(moved) - 1;
        steps.seen += 1;
        steps.missing += passed_over;
        let Ok(bytes @ 1..) = u64::try_from(ack - last) else { return };
        if !plain {
            return;
        }
        if passed_over == 0 {
            steps.next = (steps.next.0 + 1, steps.next.1 + bytes);
        } else {
            let (count, so_far, numbers) = steps.beyond;
            steps.beyond = (count + 1, so_far + bytes, numbers + passed_over);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(acks: &[(Option<u16>, i64)]) -> AckSteps {
        let (mut numbers, mut steps) = (AckNumbers::default(), AckSteps::default());
        for &(id, ack) in acks {
            numbers.observe(id, ack, true, &mut steps);
        }
        steps
    }

    // By hand: numbers 100 to 110, of which 105, 106 and 109 are missing, and 108 comes after 110.
    #[test]
    fn numbers_that_were_passed_over_are_missing_unless_they_come_late() {
        let numbers = [100, 101, 102, 103, 104, 107, 110, 108];
        let acks: Vec<_> = numbers.iter().map(|&id| (Some(id), i64::from(id) * 2_896)).collect();
        let steps = steps(&acks);
        // The first four packets show that the host counts.
        assert_eq!((steps.seen, steps.missing), (4, 3));
        assert_eq!((steps.next, steps.beyond), ((1, 2_896), (2, 6 * 2_896, 4)));
    }

    #[test]
    fn data_between_two_acks_is_not_counted() {
        let mut acks: Vec<_> = (0..8).map(|id| (Some(id), i64::from(id))).collect();
        acks.push((None, 8));
        acks.push((Some(30), 9));
        acks.push((Some(31), 10));
        assert_eq!(steps(&acks).missing, 0);
    }
}
