//! What was sent and what became of it: one record for each segment between the first unacknowledged and the
//! last sent (RFC 6675's scoreboard, with the send times that RACK and the delivery rate need).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::sim::ranges::Ranges;
use crate::sim::receiver::Ack;
use crate::units::Timestamp;

const SACKED: u8 = 1;
const LOST: u8 = 2;
/// A retransmission is in the network.
const RESENT: u8 = 4;
/// It was sent more than once.
const REPEATED: u8 = 8;
const APP_LIMITED: u8 = 16;

/// A segment as it was last sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) sent: Timestamp,
    /// Segments delivered when it was sent, and when the last of them was.
    pub(super) delivered: u64,
    pub(super) delivered_at: Timestamp,
    /// When the segment was sent whose delivery was the newest then.
    pub(super) first_sent: Timestamp,
    pub(super) in_flight: u32,
    pub(super) lost: u64,
    flags: u8,
}

impl Segment {
    pub(super) const fn repeated(&self) -> bool {
        self.flags & REPEATED != 0
    }

    pub(super) const fn app_limited(&self) -> bool {
        self.flags & APP_LIMITED != 0
    }
}

/// What one ACK delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivered {
    /// Segments newly known to be received.
    pub(super) count: u32,
    /// Whether the left edge moved.
    pub(super) advanced: bool,
    /// Send time of the first newly acknowledged segment that was sent once, and of the last one.
    pub(super) first_once: Option<Timestamp>,
    pub(super) last_once: Option<Timestamp>,
    /// The segment sent last of all newly delivered.
    pub(super) newest: Option<(u64, Segment)>,
    /// A segment sent once arrived below one that had arrived before: the path reorders.
    pub(super) reordered: bool,
}

#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    una: u64,
    segments: VecDeque<Segment>,
    sacked: Ranges,
    /// Transmissions in order of time; an entry whose time is no longer the segment's is stale.
    order: VecDeque<(u64, Timestamp)>,
    waiting: BinaryHeap<Reverse<u64>>,
    sacked_count: u32,
    lost_count: u32,
    resent_count: u32,
}

impl Scoreboard {
    pub(super) const fn una(&self) -> u64 {
        self.una
    }

    pub(super) fn next(&self) -> u64 {
        self.una + self.segments.len() as u64
    }

    pub(super) fn outstanding(&self) -> u32 {
        self.segments.len() as u32
    }

    /// RFC 6675's pipe.
    pub(super) fn in_flight(&self) -> u32 {
        self.outstanding() - self.sacked_count - self.lost_count + self.resent_count
    }

    pub(super) const fn sacked_count(&self) -> u32 {
        self.sacked_count
    }

    /// Segments sent again that are still under way.
    pub(super) const fn resent_count(&self) -> u32 {
        self.resent_count
    }

    /// Whether any is, or the first segment out was (`tcp_any_retrans_done`).
    pub(super) fn is_repairing(&self) -> bool {
        self.resent_count > 0 || self.segments.front().is_some_and(Segment::repeated)
    }

    pub(super) const fn lost_count(&self) -> u32 {
        self.lost_count
    }

    pub(super) const fn sacked(&self) -> &Ranges {
        &self.sacked
    }

    pub(super) fn get(&self, number: u64) -> Option<&Segment> {
        self.segments.get(number.checked_sub(self.una)? as usize)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Segment> {
        self.segments.get_mut(number.checked_sub(self.una)? as usize)
    }

    /// Sends `number`, for the first time if it is the next.
    pub(super) fn send(&mut self, number: u64, mut record: Segment, app_limited: bool) {
        record.flags = if app_limited { APP_LIMITED } else { 0 };
        if number == self.next() {
            self.segments.push_back(record);
        } else if let Some(held) = self.get_mut(number) {
            let was_resent = held.flags & RESENT != 0;
            record.flags |= REPEATED | RESENT | (held.flags & (LOST | SACKED));
            *held = record;
            self.resent_count += u32::from(!was_resent);
        }
        self.order.push_back((number, record.sent));
    }

    /// Takes an ACK's edge and blocks.
    pub(super) fn apply(&mut self, ack: &Ack) -> Delivered {
        let mut delivered = Delivered::default();
        let next = self.next();
        let before = self.sacked.end();
        for &(start, end) in &ack.blocks[..usize::from(ack.block_count)] {
            let (start, end) = (start.max(self.una), end.min(next));
            let mut sacked = std::mem::take(&mut self.sacked);
            sacked.insert(start, end, |from, to| {
                for number in from..to {
                    self.sack(number, before, &mut delivered);
                }
            });
            self.sacked = sacked;
        }
        while self.una < ack.next.min(next) {
            self.pop(before, &mut delivered);
        }
        if delivered.advanced {
            self.sacked.remove_below(self.una);
        }
        delivered
    }

    fn sack(&mut self, number: u64, before: Option<u64>, delivered: &mut Delivered) {
        let Some(segment) = self.get_mut(number) else { return };
        let held = *segment;
        segment.flags = (segment.flags & !(LOST | RESENT)) | SACKED;
        self.sacked_count += 1;
        self.forget(held.flags);
        note(number, held, before, delivered);
    }

    fn pop(&mut self, before: Option<u64>, delivered: &mut Delivered) {
        let Some(held) = self.segments.pop_front() else { return };
        let number = self.una;
        self.una += 1;
        delivered.advanced = true;
        if held.flags & SACKED != 0 {
            self.sacked_count -= 1;
        } else {
            self.forget(held.flags);
            note(number, held, before, delivered);
        }
    }

    /// Takes a segment that is neither lost nor resent any more out of the counts.
    fn forget(&mut self, flags: u8) {
        self.lost_count -= u32::from(flags & LOST != 0);
        self.resent_count -= u32::from(flags & RESENT != 0);
    }

    /// Marks a segment as lost, whichever copy was the last; `false` if it is not in the network.
    pub(super) fn mark_lost(&mut self, number: u64) -> bool {
        let Some(segment) = self.get_mut(number) else { return false };
        let flags = segment.flags;
        if flags & SACKED != 0 || (flags & LOST != 0 && flags & RESENT == 0) {
            return false;
        }
        segment.flags = (flags & !RESENT) | LOST;
        self.lost_count += u32::from(flags & LOST == 0);
        self.resent_count -= u32::from(flags & RESENT != 0);
        self.waiting.push(Reverse(number));
        true
    }

    /// The oldest transmission still in the network.
    pub(super) fn oldest(&mut self) -> Option<(u64, Timestamp)> {
        while let Some(&(number, sent)) = self.order.front() {
            let current = self.get(number).is_some_and(|segment| {
                segment.sent == sent
                    && segment.flags & SACKED == 0
                    && (segment.flags & LOST == 0 || segment.flags & RESENT != 0)
            });
            if current {
                return Some((number, sent));
            }
            self.order.pop_front();
        }
        None
    }

    /// The first lost segment that waits for its retransmission.
    pub(super) fn next_lost(&mut self) -> Option<u64> {
        while let Some(&Reverse(number)) = self.waiting.peek() {
            let open =
                self.get(number).is_some_and(|s| s.flags & LOST != 0 && s.flags & (RESENT | SACKED) == 0);
            if open {
                return Some(number);
            }
            self.waiting.pop();
        }
        None
    }

    /// Takes back every loss mark, after an undo.
    pub(super) fn clear_lost(&mut self) {
        for segment in &mut self.segments {
            segment.flags &= !(LOST | RESENT);
        }
        self.lost_count = 0;
        self.resent_count = 0;
        self.waiting.clear();
        let una = self.una;
        self.order.clear();
        self.order.extend(
            (una..).zip(&self.segments).filter(|(_, s)| s.flags & SACKED == 0).map(|(n, s)| (n, s.sent)),
        );
        self.order.make_contiguous().sort_unstable_by_key(|&(number, sent)| (sent, number));
    }
}

fn note(number: u64, held: Segment, before: Option<u64>, delivered: &mut Delivered) {
    delivered.count += 1;
    if !held.repeated() {
        delivered.first_once.get_or_insert(held.sent);
        delivered.last_once = Some(held.sent);
        delivered.reordered |= before.is_some_and(|end| number < end);
    }
    if delivered.newest.is_none_or(|(n, newest)| (held.sent, number) > (newest.sent, n)) {
        delivered.newest = Some((number, held));
    }
}

/// A record of a segment sent now.
pub(super) const fn record(
    sent: Timestamp,
    delivered: u64,
    delivered_at: Timestamp,
    first_sent: Timestamp,
    in_flight: u32,
    lost: u64,
) -> Segment {
    Segment { sent, delivered, delivered_at, first_sent, in_flight, lost, flags: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(count: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..count {
            let at = Timestamp::from_nanos(number as i64);
            board.send(number, record(at, 0, at, at, 0, 0), false);
        }
        board
    }

    fn ack(next: u64, block: (u64, u64)) -> Ack {
        Ack {
            next,
            blocks: [block, (0, 0), (0, 0)],
            block_count: u8::from(block.1 > 0),
            duplicate: None,
            echo: Timestamp::ZERO,
            marked: 0,
        }
    }

    // RFC 6675 section 4: the pipe is what was sent less what is SACKed or lost, plus what was sent again.
    #[test]
    fn the_pipe_follows_sack_loss_and_retransmission() {
        let mut board = board(10);
        assert_eq!(board.apply(&ack(0, (2, 6))).count, 4);
        assert_eq!(board.in_flight(), 6);
        assert!(board.mark_lost(0) && board.mark_lost(1) && !board.mark_lost(2));
        assert_eq!(board.in_flight(), 4);
        assert_eq!(board.next_lost(), Some(0));
        let at = Timestamp::from_nanos(100);
        board.send(0, record(at, 0, at, at, 0, 0), false);
        assert_eq!((board.in_flight(), board.next_lost()), (5, Some(1)));
        let delivered = board.apply(&ack(1, (2, 6)));
        assert_eq!((delivered.count, delivered.advanced, board.in_flight()), (1, true, 4));
        assert_eq!(delivered.newest.unwrap().0, 0);
        assert_eq!(delivered.first_once, None);
    }

    #[test]
    fn a_lost_retransmission_can_be_lost_again() {
        let mut board = board(3);
        board.mark_lost(0);
        let at = Timestamp::from_nanos(100);
        board.send(0, record(at, 0, at, at, 0, 0), false);
        assert_eq!(board.oldest(), Some((1, Timestamp::from_nanos(1))));
        assert!(board.mark_lost(0));
        assert_eq!((board.in_flight(), board.next_lost()), (2, Some(0)));
    }
}
