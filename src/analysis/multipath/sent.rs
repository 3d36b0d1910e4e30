//! Which data of one way of a connection were sent, by data sequence number, and in which frame.

use std::collections::BTreeMap;

use crate::decode::Mapping;

/// Most pieces kept; the lowest are forgotten beyond it. They are what can still be reinjected: the flight.
const MOST: usize = 4_096;

/// Data that one mapping covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) frame: u64,
    pub(super) subflow: u64,
    /// Data sequence number less subflow sequence number: what is mapped twice alike is the same data in the same place.
    pub(super) shift: u64,
}

/// The pieces by their first number; they do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    pieces: BTreeMap<u64, (u64, Piece)>,
    /// After the highest, to tell the upper half of numbers of which the lower was sent.
    next: Option<u64>,
}

impl Sent {
    /// The number of a mapping in 64 bits: nearest to what was sent last, where only 32 were given.
    pub(super) fn unwrap(&self, mapping: &Mapping) -> u64 {
        match self.next {
            Some(next) if !mapping.wide => {
                // The lower half of the difference, with its sign.
                next.wrapping_add_signed((mapping.data.wrapping_sub(next) << 32).cast_signed() >> 32)
            }
            _ => mapping.data,
        }
    }

    /// `piece` carries `len` bytes from `start` on. Gives the frame that carried the first of them before, unless that was the
    /// same mapping.
    pub(super) fn add(&mut self, start: u64, len: u64, piece: Piece) -> Option<u64> {
        let end = start.checked_add(len)?;
        let from = self.pieces.range(..=start).next_back().map_or(start, |(&first, _)| first);
        let over: Vec<(u64, u64, Piece)> = self
            .pieces
            .range(from..end)
            .filter(|(_, (stop, _))| *stop > start)
            .map(|(&first, &(stop, piece))| (first, stop, piece))
            .collect();
        let same = |old: &Piece| old.subflow == piece.subflow && old.shift == piece.shift;
        let before = over.iter().find(|(.., old)| !same(old)).map(|(.., old)| old.frame);
        for (first, stop, old) in over {
            self.pieces.remove(&first);
            if first < start {
                self.pieces.insert(first, (start, old));
            }
            if stop > end {
                self.pieces.insert(end, (stop, old));
            }
        }
        self.pieces.insert(start, (end, piece));
        while self.pieces.len() > MOST {
            self.pieces.pop_first();
        }
        self.next = Some(self.next.map_or(end, |next| next.max(end)));
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(frame: u64, subflow: u64, shift: u64) -> Piece {
        Piece { frame, subflow, shift }
    }

    #[test]
    fn what_another_subflow_carried_is_told_with_its_frame() {
        let mut sent = Sent::default();
        assert_eq!(sent.add(1_000, 100, piece(1, 0, 999)), None);
        assert_eq!(sent.add(1_100, 100, piece(2, 1, 1_099)), None);
        // The mapping of a large segment is repeated on each of its packets.
        assert_eq!(sent.add(1_000, 100, piece(3, 0, 999)), None);
        assert_eq!(sent.add(1_000, 50, piece(4, 1, 799)), Some(3));
        // The other half is still the first subflow's.
        assert_eq!(sent.add(1_050, 50, piece(5, 1, 799)), Some(3));
        // On the same subflow, in another place of it.
        assert_eq!(sent.add(1_100, 100, piece(6, 1, 500)), Some(2));
        assert_eq!(sent.add(1_200, 100, piece(7, 1, 500)), None);
    }

    #[test]
    fn half_numbers_are_the_nearest() {
        let mapping = |data, wide| Mapping { data, wide, subflow: 1, len: 10 };
        let mut sent = Sent::default();
        assert_eq!(sent.unwrap(&mapping(0xffff_fff0, false)), 0xffff_fff0);
        sent.add(0xffff_fff0, 10, piece(1, 0, 0));
        assert_eq!(sent.unwrap(&mapping(0x5, false)), 0x1_0000_0005);
        assert_eq!(sent.unwrap(&mapping(0xffff_ff00, false)), 0xffff_ff00);
        assert_eq!(sent.unwrap(&mapping(7, true)), 7);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sent = Sent::default();
        for number in 0..10_000 {
            sent.add(number * 10, 5, piece(number, 0, 0));
        }
        assert_eq!(sent.pieces.len(), MOST);
        assert_eq!(sent.add(99_990, 5, piece(1, 1, 0)), Some(9_999), "the highest stay");
    }
}
