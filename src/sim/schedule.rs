//! Which of many flows comes next: a tournament, in which the winner of each pair is kept.

use super::flow::Lane;
use crate::units::Timestamp;

#[derive(Debug)]
pub(super) struct Schedule {
    next: Vec<Option<(Timestamp, Lane)>>,
    /// Of node `k` of a tree, whose children are `2k` and `2k + 1`, the flow that comes first; flow `i` is leaf `leaves + i`.
    first: Vec<u32>,
    leaves: usize,
}

impl Schedule {
    pub(super) fn new(next: impl IntoIterator<Item = Option<(Timestamp, Lane)>>) -> Self {
        let next: Vec<_> = next.into_iter().collect();
        let leaves = next.len().next_power_of_two();
        let flow = |node: u32| node.saturating_sub(leaves as u32);
        let mut schedule = Self { next, first: (0..2 * leaves as u32).map(flow).collect(), leaves };
        for node in (1..leaves).rev() {
            schedule.first[node] = schedule.winner(node);
        }
        schedule
    }

    fn at(&self, flow: u32) -> Timestamp {
        self.next.get(flow as usize).copied().flatten().map_or(Timestamp::MAX, |(at, _)| at)
    }

    /// Of two at the same time the one with the smaller number.
    fn winner(&self, node: usize) -> u32 {
        let (left, right) = (self.first[2 * node], self.first[2 * node + 1]);
        if self.at(right) < self.at(left) { right } else { left }
    }

    /// The next event of one flow, from now on.
    #[inline]
    pub(super) fn set(&mut self, flow: usize, next: Option<(Timestamp, Lane)>) {
        self.next[flow] = next;
        let mut node = (self.leaves + flow) >> 1;
        while node > 0 {
            self.first[node] = self.winner(node);
            node >>= 1;
        }
    }

    /// The first event of all.
    #[inline]
    pub(super) fn first(&self) -> Option<(Timestamp, usize, Lane)> {
        let flow = if self.leaves == 1 { 0 } else { self.first[1] as usize };
        let (at, lane) = (*self.next.get(flow)?)?;
        Some((at, flow, lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::random::Stream;

    // Against a search through all.
    #[test]
    fn the_first_of_any_number_is_found() {
        let mut stream = Stream::new(7);
        for count in [1, 2, 3, 5, 8, 13] {
            let mut draw =
                || (!stream.chance(0.2)).then(|| Timestamp::from_nanos((stream.uniform() * 9.0) as i64));
            let mut all: Vec<_> = (0..count).map(|_| draw()).collect();
            let of = |at: Option<Timestamp>| at.map(|at| (at, Lane::Ack));
            let mut schedule = Schedule::new(all.iter().map(|at| of(*at)));
            for round in 0..200 {
                let found = schedule.first().map(|(at, flow, _)| (at, flow));
                let first = all.iter().enumerate().filter_map(|(i, at)| Some(((*at)?, i))).min();
                assert_eq!(found, first);
                let flow = round * 7 % count;
                all[flow] = draw();
                schedule.set(flow, of(all[flow]));
            }
        }
    }
}
