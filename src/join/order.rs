//! Reordering between the taps, by the order in which packets passed both (RFC 4737 sections 3 and 4.2.1).

use std::collections::VecDeque;

/// Packets that came in order of which the place is remembered; an extent beyond them is called this large.
const MOST: usize = 4_096;

/// What arrived so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// Packets that were the newest when they arrived: serial number by sending, place by arrival. Both rise.
    newest: VecDeque<(u64, u64)>,
    arrived: u64,
}

impl Order {
    /// The next packet in the order of arrival, by its serial number in the order of sending. Gives its reordering
    /// extent: how many packets came since the first that was sent later; 0 if none was.
    pub(super) fn arrive(&mut self, serial: u64) -> u64 {
        let place = self.arrived;
        self.arrived += 1;
        if self.newest.back().is_none_or(|(newest, _)| *newest < serial) {
            if self.newest.len() == MOST {
                self.newest.pop_front();
            }
            self.newest.push_back((serial, place));
            return 0;
        }
        let first = self.newest.partition_point(|(newest, _)| *newest < serial);
        self.newest.get(first).map_or(0, |(_, since)| place - since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 4737 section 7.1, table 2: packets 1 2 3 7 8 9 10 4 5 6 11; 4 has the extent 4, 5 five, 6 six.
    #[test]
    fn extents_are_those_of_the_rfc() {
        let mut order = Order::default();
        let extents: Vec<u64> =
            [1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11].map(|serial| order.arrive(serial)).to_vec();
        assert_eq!(extents, [0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 0]);
    }
}
