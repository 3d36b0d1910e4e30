//! The sender's scoreboard as the tap can keep it: which bytes passed, in which copy, and what became of them.
//!
//! Entries are ordered and do not overlap; where a copy has other borders than the first, the entries are cut to
//! fit. What the tap did not see (a hole) has no entry. Memory is bounded by the flight.

use std::collections::VecDeque;
use std::ops::Range;

use crate::analysis::MOST_BLOCKS;
use crate::analysis::moves::Moves;
use crate::analysis::ranges::RangeSet;
use crate::units::Timestamp;

/// Acknowledged entries kept, so that a late copy still finds what it repeats.
const KEPT: usize = 512;

/// Most entries that wait for an acknowledgment, and the same where none was ever seen, as in a capture of one direction;
/// the oldest are forgotten beyond it.
const MOST: usize = 1 << 17;
const MOST_UNANSWERED: usize = 1 << 12;

/// How many entries one segment may make look at.
const LOOK: usize = 1_024;

/// One copy of some bytes as it passed the tap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    /// When.
    pub(super) at: Timestamp,
    /// In which frame.
    pub(super) frame: u64,
    /// Its `TSval`.
    pub(super) tsval: Option<u32>,
    /// Its IP identification, where the host numbers its packets.
    pub(super) id: Option<u16>,
    /// It came behind a later stamp, and the receiver refuses such.
    pub(super) refused: bool,
}

/// Bytes and their latest copy.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) bytes: Range<i64>,
    pub(super) last: Copy,
    /// The frame of the first copy.
    pub(super) first_frame: u64,
    /// Copies that passed the tap.
    pub(super) copies: u16,
    /// Selectively acknowledged.
    pub(super) sacked: bool,
}

/// Scoreboard of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    entries: VecDeque<Entry>,
    /// Entries at the front that are acknowledged.
    settled: usize,
    sacked: RangeSet,
    answered: bool,
    moves: Moves,
}

impl Scoreboard {
    /// New bytes after all others.
    #[inline]
    pub(super) fn push(&mut self, bytes: Range<i64>, copy: Copy) {
        self.entries.push_back(Entry {
            bytes,
            last: copy,
            first_frame: copy.frame,
            copies: 1,
            sacked: false,
        });
        self.moves.appended();
        self.trim();
    }

    /// Forgets the oldest beyond the bound.
    #[inline]
    fn trim(&mut self) {
        let most = self.moves.longest(if self.answered { MOST } else { MOST_UNANSWERED });
        while self.entries.len() - self.settled > most || self.settled > KEPT {
            self.entries.pop_front();
            self.settled = self.settled.saturating_sub(1);
        }
    }

    /// After the highest bytes that passed.
    pub(super) fn end(&self) -> Option<i64> {
        self.entries.back().map(|entry| entry.bytes.end)
    }

    /// The entries that hold bytes of `range`, in order; the first [`LOOK`] where they are more.
    pub(super) fn overlapping(&self, range: Range<i64>) -> impl Iterator<Item = &Entry> {
        let from = self.entries.partition_point(|entry| entry.bytes.end <= range.start);
        self.entries.range(from..).take(LOOK).take_while(move |entry| entry.bytes.start < range.end)
    }

    /// A further copy of bytes, or the first seen of bytes in a hole. Takes the place of what it overlaps.
    pub(super) fn replace(&mut self, bytes: Range<i64>, copy: Copy) {
        let from = self.entries.partition_point(|entry| entry.bytes.end <= bytes.start);
        let to = self.entries.partition_point(|entry| entry.bytes.start < bytes.end);
        let mut merged =
            Entry { bytes: bytes.clone(), last: copy, first_frame: copy.frame, copies: 1, sacked: from < to };
        let (mut before, mut after) = (None, None);
        for entry in self.entries.range(from..to) {
            if entry.copies >= merged.copies {
                merged.copies = entry.copies.saturating_add(1);
                merged.first_frame = entry.first_frame;
            }
            merged.sacked &= entry.sacked;
            if entry.bytes.start < bytes.start {
                before = Some(Entry { bytes: entry.bytes.start..bytes.start, ..entry.clone() });
            }
            if entry.bytes.end > bytes.end {
                after = Some(Entry { bytes: bytes.end..entry.bytes.end, ..entry.clone() });
            }
        }
        // The usual case: the same borders as before.
        if to - from == 1 && before.is_none() && after.is_none() {
            self.entries[from] = merged;
            return;
        }
        let settled_inside = self.settled.clamp(from, to) - from;
        self.entries.drain(from..to);
        let pieces = [before, Some(merged), after];
        let mut at = from;
        for piece in pieces.into_iter().flatten() {
            self.moves.inserted(at, self.entries.len());
            self.entries.insert(at, piece);
            at += 1;
        }
        if self.settled >= to {
            self.settled = self.settled - (to - from) + (at - from);
        } else {
            self.settled -= settled_inside;
        }
        self.trim();
    }

    /// All before `ack` has arrived: hands out the entries that this settles, in order.
    #[inline]
    pub(super) fn acknowledge(&mut self, ack: i64, mut settled: impl FnMut(&Entry)) {
        self.answered = true;
        while let Some(entry) = self.entries.get_mut(self.settled) {
            if entry.bytes.end > ack {
                // Super-segments are acknowledged in parts.
                if entry.bytes.start < ack {
                    let part = Entry { bytes: entry.bytes.start..ack, ..entry.clone() };
                    entry.bytes.start = ack;
                    settled(&part);
                    self.entries.insert(self.settled, part);
                    self.settled += 1;
                }
                break;
            }
            settled(entry);
            self.settled += 1;
        }
        self.trim();
        self.sacked.remove_before(ack);
    }

    /// `block` has arrived out of order: hands out the entries that were not known to have.
    pub(super) fn sack(&mut self, block: Range<i64>, mut arrived: impl FnMut(&Entry)) {
        let fresh: Vec<Range<i64>> = self.sacked.gaps(block.clone()).collect();
        self.sacked.insert(block);
        self.answered = true;
        self.sacked.forget_lowest_beyond(MOST_BLOCKS);
        for part in fresh {
            let from = self.entries.partition_point(|entry| entry.bytes.end <= part.start);
            for entry in self.entries.range_mut(from..) {
                if entry.bytes.start >= part.end {
                    break;
                }
                // A receiver selectively acknowledges what it got as a whole; a super-segment may come in parts.
                if !entry.sacked && self.sacked.covers(&entry.bytes) {
                    entry.sacked = true;
                    arrived(entry);
                }
            }
        }
    }

    /// Bytes selectively acknowledged at or after `offset`, counted until they are more than `enough`.
    pub(super) fn sacked_after(&self, offset: i64, enough: u64) -> u64 {
        self.sacked.overlap_until(offset, enough)
    }

    /// Whether all of `bytes` is selectively acknowledged.
    pub(super) fn is_sacked(&self, bytes: &Range<i64>) -> bool {
        self.sacked.covers(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(millis: i64, frame: u64) -> Copy {
        Copy { at: Timestamp::from_nanos(millis * 1_000_000), frame, tsval: None, id: None, refused: false }
    }

    fn borders(board: &Scoreboard) -> Vec<(i64, i64, u16)> {
        board.entries.iter().map(|entry| (entry.bytes.start, entry.bytes.end, entry.copies)).collect()
    }

    #[test]
    fn a_copy_with_other_borders_cuts_what_it_overlaps() {
        let mut board = Scoreboard::default();
        for step in 0..4 {
            board.push(step * 100..step * 100 + 100, copy(step, 1));
        }
        board.replace(150..250, copy(9, 9));
        assert_eq!(
            borders(&board),
            [(0, 100, 1), (100, 150, 1), (150, 250, 2), (250, 300, 1), (300, 400, 1)]
        );
    }

    #[test]
    fn settled_entries_are_handed_out_once_and_in_parts() {
        let mut board = Scoreboard::default();
        board.push(0..1000, copy(0, 1));
        board.push(1000..2000, copy(1, 2));
        let mut seen = Vec::new();
        board.acknowledge(1500, |entry| seen.push(entry.bytes.clone()));
        board.replace(0..1000, copy(5, 3));
        board.acknowledge(2000, |entry| seen.push(entry.bytes.clone()));
        assert_eq!(seen, [0..1000, 1000..1500, 1500..2000]);
    }

    #[test]
    fn a_hole_gets_an_entry_when_it_is_filled() {
        let mut board = Scoreboard::default();
        board.push(0..100, copy(0, 1));
        board.push(200..300, copy(1, 2));
        let mut arrived = Vec::new();
        board.sack(200..300, |entry| arrived.push(entry.bytes.clone()));
        board.sack(200..300, |entry| arrived.push(entry.bytes.clone()));
        assert_eq!(arrived, std::slice::from_ref(&(200..300)));
        assert_eq!(board.sacked_after(100, 1_000), 100);
        board.replace(100..200, copy(2, 3));
        assert_eq!(borders(&board), [(0, 100, 1), (100, 200, 1), (200, 300, 1)]);
        assert!(!board.is_sacked(&(100..200)));
    }
}
