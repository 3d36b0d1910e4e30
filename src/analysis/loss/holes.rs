//! Bytes that the tap has not seen though later ones have passed.

use std::collections::VecDeque;
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

/// Holes in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Holes {
    holes: VecDeque<Hole>,
}

impl Holes {
    /// `bytes` were passed over by `opener`.
    pub(super) fn open(&mut self, bytes: Range<i64>, opener: Copy) {
        self.holes.push_back(Hole { bytes, opener });
        if self.holes.len() > MOST {
            self.holes.pop_front();
        }
    }

    /// The hole in which `bytes` begin or end; they are no part of it any more.
    pub(super) fn fill(&mut self, bytes: &Range<i64>) -> Option<Hole> {
        let from = self.holes.partition_point(|hole| hole.bytes.end <= bytes.start);
        let found = self.holes.get(from).filter(|hole| hole.bytes.start < bytes.end)?.clone();
        let mut at = from;
        while let Some(hole) = self.holes.get_mut(at)
            && hole.bytes.start < bytes.end
        {
            let rest = bytes.end..hole.bytes.end;
            let opener = hole.opener;
            hole.bytes.end = hole.bytes.end.min(bytes.start);
            if hole.bytes.start < hole.bytes.end {
                at += 1;
            } else {
                self.holes.remove(at);
            }
            if rest.start < rest.end {
                self.holes.insert(at, Hole { bytes: rest, opener });
                break;
            }
        }
        Some(found)
    }

    /// Whether nothing is missing.
    pub(super) fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }

    /// What is acknowledged is no hole of the receiver's: the capture missed what filled it. Gives how many bytes.
    #[inline]
    pub(super) fn settle(&mut self, ack: i64) -> u64 {
        let mut missed = 0;
        while let Some(hole) = self.holes.front()
            && hole.bytes.end <= ack
        {
            missed += hole.bytes.end.abs_diff(hole.bytes.start);
            self.holes.pop_front();
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
        let opener = Copy { at: Timestamp::default(), frame: 7, tsval: None, id: None };
        let mut holes = Holes::default();
        holes.open(0..100, opener);
        holes.open(200..300, opener);
        assert!(holes.fill(&(120..180)).is_none());
        assert_eq!(holes.fill(&(40..60)).unwrap().bytes, 0..100);
        assert_eq!(holes.fill(&(60..250)).unwrap().bytes, 60..100);
        let left: Vec<_> = holes.holes.iter().map(|hole| hole.bytes.clone()).collect();
        assert_eq!(left, [0..40, 250..300]);
        assert_eq!(holes.settle(45), 40);
        assert_eq!(holes.holes.len(), 1);
    }
}
