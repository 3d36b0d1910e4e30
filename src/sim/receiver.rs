//! The receiver: reassembly, delayed ACKs (RFC 5681 section 4.2), SACK blocks (RFC 2018), DSACK (RFC 2883),
//! timestamp echoes and protection against wrapped numbers (RFC 7323), and congestion marks.

use super::flow::Data;
use super::ranges::Ranges;
use crate::units::{Span, Timestamp};

/// SACK blocks that fit beside timestamps (RFC 2018 section 3).
pub(super) const BLOCKS: usize = 3;

/// An ACK. Segments are counted, not bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack {
    /// Everything below was received.
    pub(super) next: u64,
    /// Received above it, most recent first.
    pub(super) blocks: [(u64, u64); BLOCKS],
    pub(super) block_count: u8,
    /// A segment that came twice.
    pub(super) duplicate: Option<u64>,
    /// When the segment was sent whose timestamp is echoed.
    pub(super) echo: Timestamp,
    /// Segments with a congestion mark since the last ACK.
    pub(super) marked: u32,
}

/// How a stack delays ACKs.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckPolicy {
    /// The longest an ACK waits for a second segment.
    pub(super) delay: Span,
    /// Full segments that are acknowledged together.
    pub(super) every: u32,
    /// Segments acknowledged at once at the start of a connection.
    pub(super) quick: u32,
}

/// A timestamp option counts milliseconds (Linux `TCP_TS_HZ`, FreeBSD `tcp_ts_getticks`); it is what protection
/// against wrapped numbers looks at (RFC 7323 section 5).
const fn stamp(at: Timestamp) -> i64 {
    at.as_nanos() / 1_000_000
}

#[derive(Debug)]
pub(super) struct Receiver {
    policy: AckPolicy,
    next: u64,
    above: Ranges,
    recent: [u64; BLOCKS + 1],
    echo: Timestamp,
    acked: u64,
    pending: u32,
    marked: u32,
    quick_left: u32,
    /// More is to come of what was handed up as one.
    merged: bool,
    deadline: Option<Timestamp>,
}

impl Receiver {
    pub(super) fn new(policy: AckPolicy) -> Self {
        Self {
            policy,
            next: 0,
            above: Ranges::default(),
            recent: [u64::MAX; BLOCKS + 1],
            echo: Timestamp::ZERO,
            acked: 0,
            pending: 0,
            marked: 0,
            quick_left: policy.quick,
            merged: false,
            deadline: None,
        }
    }

    /// Segments received in order.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// When the delayed ACK must go.
    pub(super) const fn deadline(&self) -> Option<Timestamp> {
        self.deadline
    }

    /// A segment arrives; the ACK it releases at once, if any: none while there are `more` that were merged with it.
    pub(super) fn on_data(&mut self, now: Timestamp, data: &Data) -> Option<Ack> {
        let &Data { number, sent, marked, more, .. } = data;
        self.marked += u32::from(marked);
        let stale = stamp(sent) < stamp(self.echo);
        if number <= self.acked && !stale {
            self.echo = sent;
        }
        if number < self.next || self.above.containing(number).is_some() {
            return Some(self.acknowledge(Some(number)));
        }
        // Whatever it holds, it is refused, and its repair must wait until the sender takes it for lost.
        if stale {
            return Some(self.acknowledge(None));
        }
        if number > self.next {
            self.above.insert(number, number + 1, |_, _| ());
            self.recent.rotate_right(1);
            self.recent[0] = number;
            if more {
                return None;
            }
            return Some(self.acknowledge(None));
        }
        let hole = !self.above.is_empty();
        self.next += 1;
        if let Some(end) = self.above.pop_reached(self.next) {
            self.next = end;
        }
        self.pending += 1;
        if more {
            self.merged = true;
            return None;
        }
        // What was handed up as one is more than a segment, and is acknowledged at once.
        let merged = std::mem::take(&mut self.merged);
        if merged || hole || self.pending >= self.policy.every || self.quick_left > 0 {
            self.quick_left = self.quick_left.saturating_sub(1);
            return Some(self.acknowledge(None));
        }
        self.deadline = Some(now + self.policy.delay);
        None
    }

    /// The delayed ACK's time has come.
    pub(super) fn on_deadline(&mut self) -> Ack {
        self.acknowledge(None)
    }

    fn acknowledge(&mut self, duplicate: Option<u64>) -> Ack {
        let mut blocks = [(0, 0); BLOCKS];
        let mut count = 0;
        // A duplicate's own block takes the first place.
        let room = BLOCKS - usize::from(duplicate.is_some());
        if !self.above.is_empty() {
            for &number in &self.recent {
                if count == room {
                    break;
                }
                if let Some(range) = self.above.containing(number)
                    && !blocks[..count].contains(&range)
                {
                    blocks[count] = range;
                    count += 1;
                }
            }
        }
        let marked = std::mem::take(&mut self.marked);
        self.pending = 0;
        self.deadline = None;
        self.acked = self.next;
        Ack { next: self.next, blocks, block_count: count as u8, duplicate, echo: self.echo, marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(number: u64, sent: Timestamp) -> Data {
        Data { at: sent, number, sent, marked: false, more: false }
    }

    fn receiver() -> Receiver {
        Receiver::new(AckPolicy { delay: Span::from_millis(40), every: 2, quick: 0 })
    }

    #[test]
    fn every_second_segment_is_acknowledged() {
        let mut receiver = receiver();
        let at = Timestamp::ZERO;
        assert!(receiver.on_data(at, &data(0, at)).is_none());
        assert_eq!(receiver.deadline(), Some(at + Span::from_millis(40)));
        assert_eq!(receiver.on_data(at, &data(1, at)).unwrap().next, 2);
        assert_eq!(receiver.deadline(), None);
    }

    // RFC 2018 section 4: the first block holds the segment that triggered the ACK; RFC 2883 for the
    // duplicate.
    #[test]
    fn holes_are_reported_at_once() {
        let mut receiver = receiver();
        let at = Timestamp::ZERO;
        let ack = receiver.on_data(at, &data(2, at)).unwrap();
        assert_eq!((ack.next, ack.block_count, ack.blocks[0]), (0, 1, (2, 3)));
        let ack = receiver.on_data(at, &data(5, at)).unwrap();
        assert_eq!((ack.block_count, ack.blocks[0], ack.blocks[1]), (2, (5, 6), (2, 3)));
        assert_eq!(receiver.on_data(at, &data(5, at)).unwrap().duplicate, Some(5));
        receiver.on_data(at, &data(0, at));
        let ack = receiver.on_data(at, &data(1, at)).unwrap();
        assert_eq!((ack.next, ack.block_count, ack.blocks[0]), (3, 1, (5, 6)));
    }

    // RFC 7323 section 5.3, R1: a segment stamped before the newest one that came in order is not acceptable, be
    // it needed or not, and is answered by an ACK. Clocks of a millisecond: 2.9 ms is not before 2 ms.
    #[test]
    fn an_original_overtaken_by_a_later_repair_is_refused() {
        let mut receiver = receiver();
        let at = |us: i64| Timestamp::from_nanos(us * 1_000);
        receiver.on_data(at(5_000), &data(1, at(1_100)));
        receiver.on_data(at(6_000), &data(0, at(2_900)));
        let ack = receiver.on_data(at(7_000), &data(2, at(1_200))).unwrap();
        assert_eq!((ack.next, ack.block_count, ack.echo), (2, 0, at(2_900)));
        receiver.on_data(at(8_000), &data(2, at(2_000)));
        assert_eq!(receiver.next(), 3);
    }

    // FreeBSD `DELAY_ACK`: what LRO made of several segments is acknowledged at once, and once.
    #[test]
    fn merged_segments_get_one_ack_at_once() {
        let mut receiver = receiver();
        let at = Timestamp::ZERO;
        for number in 0..4 {
            assert!(receiver.on_data(at, &Data { more: true, ..data(number, at) }).is_none());
        }
        assert_eq!(receiver.deadline(), None);
        assert_eq!(receiver.on_data(at, &data(4, at)).unwrap().next, 5);
        assert!(receiver.on_data(at, &Data { more: true, ..data(6, at) }).is_none());
        let ack = receiver.on_data(at, &data(7, at)).unwrap();
        assert_eq!((ack.next, ack.blocks[0]), (5, (6, 8)));
    }

    // RFC 7323 section 4.3: the echo is of the segment that moved the left edge, not of one beyond a hole.
    #[test]
    fn the_echo_is_of_the_segment_that_fills_the_hole() {
        let mut receiver = receiver();
        let at = Timestamp::from_nanos;
        receiver.on_data(at(10), &data(1, at(1)));
        let ack = receiver.on_data(at(20), &data(0, at(9))).unwrap();
        assert_eq!((ack.next, ack.echo), (2, at(9)));
    }
}
