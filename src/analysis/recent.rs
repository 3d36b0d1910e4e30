//! The prints of the latest packets of one direction with their times, oldest first: a ring that grows as far as it must.

use serde::{Deserialize, Serialize};

use crate::units::{Span, Timestamp};

/// Prints and times stand apart, so that the former can be searched at speed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Recent {
    prints: Vec<u64>,
    times: Vec<Timestamp>,
    head: usize,
    len: usize,
}

impl Recent {
    /// How many are remembered.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Whether the next one needs room.
    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.len == self.prints.len()
    }

    /// Where the one stands that is `place` after the oldest.
    #[inline]
    const fn at(&self, place: usize) -> usize {
        let at = self.head + place;
        if at >= self.prints.len() { at - self.prints.len() } else { at }
    }

    /// Adds the latest.
    #[inline]
    pub(super) fn push(&mut self, print: u64, time: Timestamp) {
        if self.is_full() {
            self.grow();
        }
        let at = self.at(self.len);
        (self.prints[at], self.times[at]) = (print, time);
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        self.prints.rotate_left(self.head);
        self.times.rotate_left(self.head);
        self.head = 0;
        let room = (self.len * 2).max(4);
        self.prints.resize(room, 0);
        self.times.resize(room, Timestamp::ZERO);
    }

    /// Forgets the oldest.
    #[inline]
    pub(super) fn forget_oldest(&mut self) {
        if self.len > 0 {
            self.head = self.at(1);
            self.len -= 1;
        }
    }

    /// Forgets the oldest while they lie more than `within` before `now`.
    #[cold]
    pub(super) fn forget(&mut self, now: Timestamp, within: Span) {
        while self.len > 0 && now.since(self.times[self.head]) > within {
            self.forget_oldest();
        }
    }

    /// Forgets all but the latest `keep`, and the room for them.
    pub(super) fn shrink(&mut self, keep: usize) {
        let keep = keep.min(self.len);
        self.head = if keep == 0 { 0 } else { self.at(self.len - keep) };
        self.prints.rotate_left(self.head);
        self.times.rotate_left(self.head);
        (self.head, self.len) = (0, keep);
        self.prints.truncate(keep);
        self.times.truncate(keep);
        self.prints.shrink_to_fit();
        self.times.shrink_to_fit();
    }

    /// Whether this print is among them at all.
    pub(super) fn holds(&self, print: u64) -> bool {
        let end = self.head + self.len;
        let wrapped = end.saturating_sub(self.prints.len());
        self.prints[self.head..end - wrapped].contains(&print) || self.prints[..wrapped].contains(&print)
    }

    /// Whether it is among those that passed within this time before `now`, looked at from the latest back to the first that did not.
    pub(super) fn holds_within(&self, print: u64, now: Timestamp, within: Span) -> bool {
        let latest_first = (0..self.len).rev().map(|place| self.at(place));
        latest_first.take_while(|&at| now.since(self.times[at]) <= within).any(|at| self.prints[at] == print)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a list that is plainly right.
        #[test]
        fn a_ring_is_a_list(steps in prop::collection::vec((0..4_u8, 0..8_u64, 0..30_i64), 0..200)) {
            let mut ring = Recent::default();
            let mut list: VecDeque<(u64, i64)> = VecDeque::new();
            let mut now = 0;
            for (what, print, later) in steps {
                now += later;
                let at = Timestamp::from_nanos(now);
                match what {
                    0 | 1 => {
                        ring.push(print, at);
                        list.push_back((print, now));
                    }
                    2 => {
                        ring.forget(at, Span::from_nanos(100));
                        while list.front().is_some_and(|front| now - front.1 > 100) {
                            list.pop_front();
                        }
                        if list.len() >= 16 {
                            ring.forget_oldest();
                            list.pop_front();
                        }
                    }
                    _ => {
                        ring.shrink(2);
                        list.drain(..list.len().saturating_sub(2));
                    }
                }
                prop_assert_eq!(ring.len(), list.len());
                prop_assert_eq!(ring.holds(print), list.iter().any(|one| one.0 == print));
                let near = list.iter().rev().take_while(|one| now - one.1 <= 40).any(|one| one.0 == print);
                prop_assert_eq!(ring.holds_within(print, at, Span::from_nanos(40)), near);
            }
        }
    }
}
