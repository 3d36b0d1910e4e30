//! Which of two segments was sent first, whatever order they passed the tap in.
//!
//! `TSval` never runs backwards at the sender (RFC 7323 section 5.4), and a host that numbers its packets
//! counts the IP identification up. Equal stamps decide nothing; an identification decides only where
//! the host is seen to count (RFC 6864 gives it no meaning in atomic datagrams).

use std::cmp::Ordering;

use super::scoreboard::Copy;
use crate::analysis::grounds::{Ground, IP_ID_ORDER, TSVAL_ORDER};

/// Packets further apart than this may stand on different turns of the 16-bit counter.
const NEAR: i16 = 1 << 13;

/// How far behind the newest a late packet's identification may be.
const LATE: u16 = 512;

/// Whether a host counts its packets.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::analysis) struct IdClock {
    last: Option<u16>,
    steps: u8,
    jumps: u8,
}

impl IdClock {
    /// Takes note of the identification of a packet. Gives by how much it moved past all before, if that is a
    /// plausible count of packets.
    #[inline]
    pub(in crate::analysis) fn observe(&mut self, id: Option<u16>) -> Option<u16> {
        let id = id?;
        let Some(last) = self.last else {
            self.last = Some(id);
            return None;
        };
        let moved = id.wrapping_sub(last);
        if moved.wrapping_neg() <= LATE {
            // It was overtaken; the count goes on from the newest.
            return None;
        }
        self.last = Some(id);
        // Steps of 256 are those of a host that writes its count in the other byte order.
        if (1..=1_024).contains(&moved) && !moved.is_multiple_of(256) {
            self.steps = self.steps.saturating_add(1);
            if self.steps.is_multiple_of(16) {
                self.jumps = self.jumps.saturating_sub(1);
            }
            Some(moved)
        } else {
            self.jumps = self.jumps.saturating_add(1);
            None
        }
    }

    /// Whether a packet with this identification, just observed, was overtaken.
    pub(in crate::analysis) fn is_behind(self, id: u16) -> bool {
        self.last.is_some_and(|last| id != last)
    }

    /// Whether the host was seen to count.
    pub(in crate::analysis) const fn counts(self) -> bool {
        self.steps >= 3 && self.jumps <= 2 + self.steps / 16
    }
}

/// The order in which two copies left the sender, and what tells; `None` where nothing does.
pub(super) fn sent_order(a: &Copy, b: &Copy, ids_count: bool) -> Option<(Ordering, &'static Ground)> {
    if let (Some(a), Some(b)) = (a.tsval, b.tsval)
        && a != b
    {
        return Some((a.wrapping_sub(b).cast_signed().cmp(&0), &TSVAL_ORDER));
    }
    if ids_count && let (Some(a), Some(b)) = (a.id, b.id) {
        let apart = a.wrapping_sub(b).cast_signed();
        if apart != 0 && apart.unsigned_abs() < NEAR.unsigned_abs() {
            return Some((apart.cmp(&0), &IP_ID_ORDER));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Timestamp;

    fn copy(tsval: Option<u32>, id: Option<u16>) -> Copy {
        Copy { at: Timestamp::default(), frame: 1, tsval, id, refused: false }
    }

    #[test]
    fn stamps_decide_before_identifications_and_both_wrap() {
        let order = |a, b| sent_order(&a, &b, true).map(|(order, _)| order);
        assert_eq!(order(copy(Some(u32::MAX), Some(9)), copy(Some(1), Some(2))), Some(Ordering::Less));
        assert_eq!(order(copy(Some(7), Some(2)), copy(Some(7), Some(65_530))), Some(Ordering::Greater));
        assert_eq!(order(copy(Some(7), None), copy(Some(7), None)), None);
        assert_eq!(sent_order(&copy(None, Some(1)), &copy(None, Some(9)), false), None);
    }

    #[test]
    fn a_host_that_draws_its_identifications_does_not_count() {
        let mut counting = IdClock::default();
        let mut drawing = IdClock::default();
        for step in 0..40_u16 {
            counting.observe(Some(step.wrapping_mul(2).wrapping_add(65_500)));
            drawing.observe(Some(step.wrapping_mul(40_503)));
        }
        assert!(counting.counts());
        assert!(!drawing.counts());
    }
}
