//! Bytes that the tap has not seen though later ones have passed.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scoreboard::Copy;

/// Most holes kept; the oldest is forgotten beyond it.
const MOST: usize = 1 << 16;

/// A hole and the packet that showed it by passing first.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub(super) bytes: Range<i64>,
    pub(super) opener: Copy,
}

/// Holes in order, by where they end: whatever order they are filled in, each costs the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    holes: BTreeMap<i64, (i64, Copy)>,
}

impl Holes {
    /// `bytes` were passed over by `opener`.
    pub(super) fn open(&mut self, bytes: Range<i64>, opener: Copy) {
        self.holes.insert(bytes.end, (bytes.start, opener));
        if self.holes.len() > MOST {
            self.holes.pop_first();
        }
    }

    /// The first hole that has some of `bytes`; they are no part of it any more.
    pub(super) fn fill(&mut self, bytes: &Range<i64>) -> Option<Hole> {
        let mut found = None;
        while let Some((&end, &(start, opener))) = self.holes.range(bytes.start.saturating_add(1)..).next()
            && start < bytes.end
        {
            found.get_or_insert(Hole { bytes: start..end, opener });
            if end > bytes.end {
                // Its right part stays where it is.
                self.holes.insert(end, (bytes.end.max(start), opener));
            } else {
                self.holes.remove(&end);
            }
            if start < bytes.start {
                self.holes.insert(bytes.start, (start, opener));
            }
            if end >= bytes.end {
                break;
            }
        }
        found
    }

    /// Whether nothing is missing.
    pub(super) fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }

    /// What is acknowledged is no hole of the receiver's: the capture missed what filled it. Gives how many bytes.
    #[inline]
    pub(super) fn settle(&mut self, ack: i64) -> u64 {
        let mut missed = 0;
        while let Some(first) = self.holes.first_entry()
            && *first.key() <= ack
        {
            let (end, (start, _)) = first.remove_entry();
            missed += end.abs_diff(start);
        }
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Timestamp;

    #[test]
    fn a_hole_shrinks_from_both_ends_and_splits() {
        let opener = Copy { at: Timestamp::default(), frame: 7, tsval: None, id: None, refused: false };
        let mut holes = Holes::default();
        holes.open(0..100, opener);
        holes.open(200..300, opener);
        assert!(holes.fill(&(120..180)).is_none());
        assert_eq!(holes.fill(&(40..60)).unwrap().bytes, 0..100);
        assert_eq!(holes.fill(&(60..250)).unwrap().bytes, 60..100);
        let left: Vec<_> = holes.holes.iter().map(|(end, (start, _))| *start..*end).collect();
        assert_eq!(left, [0..40, 250..300]);
        assert_eq!(holes.settle(45), 40);
        assert_eq!(holes.holes.len(), 1);
    }
}
