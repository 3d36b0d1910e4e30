//! What it costs to put pieces into the middle of a long list, and when that is too much.
//!
//! Senders append, and repeat what stands near the front: next to nothing is moved, however long the list. Where every packet
//! moves thousands of pieces the order is not a sender's, and a shorter list serves as well.

/// Pieces that may be moved for each that is added, on average, and how many before that counts.
const EACH: u64 = 32;
const AT_FIRST: u64 = 1 << 22;

/// Length of a list that has cost too much.
const SHORT: usize = 1 << 10;

/// Counts the pieces that a list has moved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moves {
    moved: u64,
    added: u64,
}

impl Moves {
    /// A piece was added at the end.
    #[inline]
    pub(super) const fn appended(&mut self) {
        self.added += 1;
    }

    /// A piece was put at `at` into `len` others; the shorter side is what a ring buffer moves.
    pub(super) fn inserted(&mut self, at: usize, len: usize) {
        self.added += 1;
        self.moved += at.min(len.saturating_sub(at)) as u64;
    }

    /// How long the list may be, if it may be `most` otherwise.
    #[inline]
    pub(super) const fn longest(&self, most: usize) -> usize {
        if self.moved <= AT_FIRST + EACH * self.added || most < SHORT { most } else { SHORT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_only_appended_to_stays_long_and_one_that_is_stirred_gets_short() {
        let mut moves = Moves::default();
        for _ in 0..1_000_000 {
            moves.appended();
        }
        for _ in 0..1_000_000 {
            moves.inserted(3, 100_000);
        }
        assert_eq!(moves.longest(100_000), 100_000);
        // Half a million in the middle of 2,000: 500 million pieces moved, 32 allowed for each of 2.5 million.
        for _ in 0..500_000 {
            moves.inserted(1_000, 2_000);
        }
        assert_eq!((moves.longest(100_000), moves.longest(10)), (SHORT, 10));
    }
}
