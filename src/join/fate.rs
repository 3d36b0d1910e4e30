//! What became of each copy of the bytes of one direction, in the order of sending, and so whether each that was sent
//! again was needed.

use std::ops::Range;

use crate::analysis::ranges::RangeSet;

/// Most stretches kept; beyond it the oldest hole counts as filled.
const MOST: usize = 1 << 16;

/// What became of one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It passed the far tap.
    Arrived,
    /// It did not.
    Lost,
    /// The far tap does not have it, but its bytes were acknowledged: lost by the capture, not by the network.
    Missed,
    /// It passed while the other capture did not run yet, or any more.
    Outside,
}

/// Whether a copy that was sent again was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// No earlier copy of any of its bytes arrived.
    Needed,
    /// An earlier copy of all its bytes arrived.
    Spurious,
    /// Of some of them.
    Partial,
    /// The far capture misses what would tell.
    Undecided,
}

/// The bytes of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Fates {
    sent: RangeSet,
    /// Of which a copy arrived.
    arrived: RangeSet,
    /// Of which a copy may have arrived.
    maybe: RangeSet,
}

impl Fates {
    /// The next copy in the order of sending. Gives how many of its bytes had been sent before and what that makes of
    /// it; `None` where all are new.
    pub(super) fn next(&mut self, bytes: &Range<i64>, fate: Fate) -> Option<(u64, Need)> {
        let again = self.sent.overlap(bytes);
        let need = (again > 0).then(|| {
            let (had, maybe) = (self.arrived.overlap(bytes), self.maybe.overlap(bytes));
            if had >= again {
                Need::Spurious
            } else if maybe > 0 {
                Need::Undecided
            } else if had == 0 {
                Need::Needed
            } else {
                Need::Partial
            }
        });
        insert(&mut self.sent, bytes.clone());
        match fate {
            Fate::Arrived => insert(&mut self.arrived, bytes.clone()),
            Fate::Missed | Fate::Outside => insert(&mut self.maybe, bytes.clone()),
            Fate::Lost => {}
        }
        need.map(|need| (again, need))
    }

    /// A copy arrived of which the near tap does not tell when it was sent.
    pub(super) fn arrived_unseen(&mut self, bytes: &Range<i64>) {
        insert(&mut self.sent, bytes.clone());
        insert(&mut self.arrived, bytes.clone());
    }
}

/// Adds a range and keeps the set small.
pub(super) fn insert(set: &mut RangeSet, bytes: Range<i64>) {
    set.insert(bytes);
    if set.len() > MOST {
        let mut ranges = set.iter();
        if let (Some(first), Some(second)) = (ranges.next(), ranges.next()) {
            drop(ranges);
            set.insert(first.end..second.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_earlier_copies_became_decides() {
        let mut fates = Fates::default();
        assert_eq!(fates.next(&(0..100), Fate::Lost), None);
        assert_eq!(fates.next(&(100..200), Fate::Arrived), None);
        assert_eq!(fates.next(&(0..100), Fate::Lost), Some((100, Need::Needed)));
        assert_eq!(fates.next(&(0..200), Fate::Arrived), Some((200, Need::Partial)));
        assert_eq!(fates.next(&(0..100), Fate::Arrived), Some((100, Need::Spurious)));
        // Old and new bytes in one segment: the old ones decide.
        assert_eq!(fates.next(&(150..250), Fate::Lost), Some((50, Need::Spurious)));
        assert_eq!(fates.next(&(200..250), Fate::Missed), Some((50, Need::Needed)));
        assert_eq!(fates.next(&(200..250), Fate::Arrived), Some((50, Need::Undecided)));
    }
}
