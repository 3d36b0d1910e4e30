//! What the sender has outstanding, as its kernel counts it: `packets_out`, `sacked_out`, `lost_out` and `retrans_out` of
//! `struct tcp_sock`, here in bytes.
//!
//! It differs from the verdicts' scoreboard in its time: acknowledgments count when the sender has heard them, not when
//! they pass the tap. Memory is bounded by the flight and [`MOST`].

use std::collections::VecDeque;
use std::ops::Range;

use super::rate::Stamp;
use crate::analysis::MOST_BLOCKS;
use crate::analysis::moves::Moves;
use crate::analysis::ranges::RangeSet;
use crate::units::{Span, Timestamp};

/// Most entries; the oldest are forgotten beyond it.
const MOST: usize = 1 << 17;

/// How many entries one retransmission may make look at.
const LOOK: usize = 1_024;

/// Bytes that were sent together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) start: i64,
    pub(super) end: i64,
    /// When the latest copy was sent, and the first.
    pub(super) sent: Timestamp,
    pub(super) first: Timestamp,
    /// `TSval` of the latest copy.
    pub(super) tsval: Option<u32>,
    pub(super) stamp: Stamp,
    /// More than one copy was sent.
    pub(super) again: bool,
    sacked: bool,
    /// It is lost, and a retransmission is under way, if these are the numbers of now ([`Marks`]).
    lost: u32,
    resent: u32,
}

/// What the marks on entries are held against, so that all of them are set or forgotten at once: a timer may do that to a hundred thousand
/// of them again and again.
#[derive(Clone, Copy, Debug)]
struct Marks {
    lost: u32,
    resent: u32,
    /// All before it was given up.
    given_up: i64,
}

impl Default for Marks {
    fn default() -> Self {
        Self { lost: 1, resent: 1, given_up: i64::MIN }
    }
}

impl Marks {
    const fn is_lost(&self, entry: &Entry) -> bool {
        !entry.sacked && (entry.lost == self.lost || entry.end <= self.given_up)
    }

    const fn is_resent(&self, entry: &Entry) -> bool {
        entry.resent == self.resent
    }

    fn forget_lost(&mut self) {
        self.lost = self.lost.wrapping_add(1).max(1);
        self.given_up = i64::MIN;
    }

    fn forget_resent(&mut self) {
        self.resent = self.resent.wrapping_add(1).max(1);
    }
}

/// What one acknowledgment delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivered {
    /// Bytes, cumulatively or selectively.
    pub(super) bytes: u64,
    /// Bytes by which the left edge moved.
    pub(super) advanced: u64,
    /// Sending times of the oldest and the newest segment acknowledged that were sent once and not reported before.
    pub(super) acked: Option<(Timestamp, Timestamp)>,
    /// The same of those selectively acknowledged.
    pub(super) sacked: Option<(Timestamp, Timestamp)>,
    /// Data that was sent again was acknowledged, so that Karn's rule forbids a sample.
    pub(super) ambiguous: bool,
    /// The segment delivered that was sent last.
    pub(super) newest: Option<Entry>,
    /// A segment that was sent once arrived after one sent later.
    pub(super) reordered: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    entries: VecDeque<Entry>,
    una: i64,
    next: i64,
    blocks: RangeSet,
    sacked: u64,
    lost: u64,
    resent: u64,
    /// Bytes that duplicate acknowledgments without SACK blocks tell to have arrived.
    counted: u64,
    /// Retransmissions under way, in the order of sending: left edge and time.
    again: VecDeque<(i64, Timestamp)>,
    marks: Marks,
    /// All before it was looked at for losses in this recovery.
    scanned: i64,
    moves: Moves,
}

impl Entry {
    /// Sent for the first time.
    pub(super) const fn sent(bytes: Range<i64>, now: Timestamp, tsval: Option<u32>, stamp: Stamp) -> Self {
        Self {
            start: bytes.start,
            end: bytes.end,
            sent: now,
            first: now,
            tsval,
            stamp,
            again: false,
            sacked: false,
            lost: 0,
            resent: 0,
        }
    }
}

const fn len(range: &Range<i64>) -> u64 {
    (range.end - range.start).unsigned_abs()
}

impl Board {
    pub(super) const fn una(&self) -> i64 {
        self.una
    }

    pub(super) const fn next(&self) -> i64 {
        self.next
    }

    /// `tcp_packets_in_flight`: outstanding, less what is known to have left the network, plus retransmissions.
    pub(super) fn in_flight(&self) -> u64 {
        (self.outstanding() + self.resent).saturating_sub(self.sacked + self.lost + self.counted)
    }

    /// Sent and not cumulatively acknowledged.
    pub(super) const fn outstanding(&self) -> u64 {
        (self.next - self.una).unsigned_abs()
    }

    pub(super) const fn sacked(&self) -> u64 {
        self.sacked
    }

    /// New bytes after all others; a gap before them counts as sent with them.
    pub(super) fn push(&mut self, bytes: Range<i64>, now: Timestamp, tsval: Option<u32>, stamp: Stamp) {
        if self.entries.is_empty() && self.next == 0 && self.una == 0 {
            (self.una, self.next) = (bytes.start, bytes.start);
        }
        let entry = |range: Range<i64>| Entry::sent(range, now, tsval, stamp);
        if bytes.start > self.next {
            self.entries.push_back(entry(self.next..bytes.start));
        }
        self.next = self.next.max(bytes.end);
        self.entries.push_back(entry(bytes));
        self.moves.appended();
        while self.entries.len() > self.moves.longest(MOST)
            && let Some(first) = self.entries.front().copied()
        {
            self.acknowledge(first.end, &mut Delivered::default());
        }
    }

    fn index(&self, offset: i64) -> usize {
        self.entries.partition_point(|entry| entry.end <= offset)
    }

    /// Has an entry begin at `offset`, unless the list is as long as it may be; whether that cut one.
    fn split(&mut self, offset: i64) -> bool {
        if self.entries.len() >= self.moves.longest(MOST) {
            return false;
        }
        let at = self.index(offset);
        let Some(entry) = self.entries.get_mut(at).filter(|entry| entry.start < offset && offset < entry.end)
        else {
            return false;
        };
        let head = Entry { end: offset, ..*entry };
        entry.start = offset;
        self.moves.inserted(at, self.entries.len());
        self.entries.insert(at, head);
        true
    }

    /// Bytes that were sent before are sent again; gives how many of them had not been deemed lost.
    pub(super) fn resend(
        &mut self,
        bytes: Range<i64>,
        now: Timestamp,
        tsval: Option<u32>,
        stamp: Stamp,
    ) -> u64 {
        self.split(bytes.start);
        self.split(bytes.end);
        let from = self.index(bytes.start);
        let mut first = true;
        let (before, marks) = (self.lost, self.marks);
        for entry in self.entries.range_mut(from..).take(LOOK).take_while(|entry| entry.end <= bytes.end) {
            let size = len(&(entry.start..entry.end));
            if entry.sacked || entry.start < bytes.start {
                continue;
            }
            if !marks.is_lost(entry) {
                entry.lost = marks.lost;
                self.lost += size;
            }
            if !marks.is_resent(entry) {
                entry.resent = marks.resent;
                self.resent += size;
            }
            entry.again = true;
            entry.sent = now;
            entry.tsval = tsval;
            entry.stamp = stamp;
            if first {
                self.again.push_back((entry.start, now));
                first = false;
            }
        }
        if self.again.len() > MOST {
            self.again.pop_front();
        }
        self.lost - before
    }

    fn leaves(&mut self, entry: &Entry) {
        let size = len(&(entry.start..entry.end));
        if entry.sacked {
            self.sacked = self.sacked.saturating_sub(size);
        }
        if self.marks.is_lost(entry) {
            self.lost = self.lost.saturating_sub(size);
        }
        if self.marks.is_resent(entry) {
            self.resent = self.resent.saturating_sub(size);
        }
    }

    /// All before `ack` has arrived.
    pub(super) fn acknowledge(&mut self, ack: i64, delivered: &mut Delivered) {
        if ack <= self.una {
            return;
        }
        delivered.advanced += (ack - self.una).unsigned_abs();
        let above = self.blocks.last().map_or(i64::MIN, |last| last.start);
        while let Some(entry) = self.entries.front() {
            if entry.end > ack {
                // One is acknowledged in part, unless the list is as long as it may be.
                if entry.start >= ack || !self.split(ack) {
                    break;
                }
                continue;
            }
            if entry.again {
                delivered.ambiguous = true;
            } else if !entry.sacked {
                let first = delivered.acked.map_or(entry.sent, |(first, _)| first);
                delivered.acked = Some((first, entry.sent));
                delivered.reordered |= entry.end <= above;
            }
            if !entry.sacked {
                delivered.take(entry);
            }
            if entry.sacked || self.lost + self.resent > 0 {
                let entry = *entry;
                self.leaves(&entry);
            }
            self.entries.pop_front();
        }
        self.una = ack;
        self.next = self.next.max(ack);
        self.blocks.remove_before(ack);
    }

    /// `block` has arrived out of order.
    pub(super) fn sack(&mut self, block: Range<i64>, delivered: &mut Delivered) {
        let block = block.start.max(self.una)..block.end.min(self.next);
        if block.start >= block.end || self.blocks.covers(&block) {
            return;
        }
        let above = self.blocks.last().map_or(i64::MIN, |last| last.start);
        let fresh: Vec<Range<i64>> = self.blocks.gaps(block.clone()).collect();
        self.blocks.insert(block);
        self.blocks.forget_lowest_beyond(MOST_BLOCKS);
        for part in fresh {
            self.split(part.start);
            self.split(part.end);
            let from = self.index(part.start);
            for at in from..self.entries.len() {
                let entry = self.entries[at];
                if entry.start >= part.end {
                    break;
                }
                if entry.sacked || entry.start < part.start || entry.end > part.end {
                    continue;
                }
                self.leaves(&entry);
                self.sacked += len(&(entry.start..entry.end));
                self.entries[at] = Entry { sacked: true, lost: 0, resent: 0, ..entry };
                if !entry.again {
                    let first = delivered.sacked.map_or(entry.sent, |(first, _)| first);
                    delivered.sacked = Some((first, entry.sent));
                    delivered.reordered |= entry.start < above;
                }
                delivered.take(&entry);
            }
        }
    }

    /// Without SACK each duplicate tells that a segment has arrived (`tcp_add_reno_sack`), and an advance that the first of
    /// the rest was a hole (`tcp_remove_reno_sacks`). Called after [`Self::acknowledge`].
    pub(super) fn count_duplicates(&mut self, duplicate: bool, mss: u64, delivered: &mut Delivered) {
        if delivered.advanced > 0 {
            self.counted = self.counted.saturating_sub(delivered.advanced.saturating_sub(mss));
            if self.outstanding() == 0 {
                self.counted = 0;
            }
        } else if duplicate {
            self.counted = (self.counted + mss).min(self.outstanding().saturating_sub(self.lost));
            delivered.bytes += mss;
        }
    }

    /// The first segment outstanding is lost (`tcp_newreno_mark_lost`). Gives the bytes.
    pub(super) fn mark_head(&mut self) -> u64 {
        let Some(entry) = self.entries.front_mut() else { return 0 };
        if self.marks.is_lost(entry) || entry.sacked || entry.again {
            return 0;
        }
        entry.lost = self.marks.lost;
        let size = len(&(entry.start..entry.end));
        self.lost += size;
        size
    }

    /// A recovery is over: what duplicates told is settled.
    pub(super) const fn forget_duplicates(&mut self) {
        self.counted = 0;
    }

    /// A recovery begins: everything is looked at again.
    pub(super) const fn rescan(&mut self) {
        self.scanned = self.una;
    }

    /// Marks what RACK would call lost (RFC 8985 section 6.2 step 5): what was sent longer than `patience` before the newest
    /// segment that has arrived. Gives the bytes.
    pub(super) fn mark_lost(&mut self, newest: Timestamp, patience: Span) -> u64 {
        let before = self.lost.saturating_sub(self.resent);
        let mut at = self.index(self.scanned.max(self.una));
        while let Some(entry) = self.entries.get_mut(at) {
            if !entry.again && entry.sent + patience >= newest {
                break;
            }
            if !entry.sacked && !self.marks.is_lost(entry) && !entry.again {
                entry.lost = self.marks.lost;
                self.lost += len(&(entry.start..entry.end));
            }
            self.scanned = entry.end;
            at += 1;
        }
        while let Some(&(start, sent)) = self.again.front() {
            if sent + patience >= newest {
                break;
            }
            self.again.pop_front();
            let at = self.index(start);
            if let Some(entry) = self.entries.get_mut(at)
                && self.marks.is_resent(entry)
                && entry.sent == sent
            {
                // The retransmission was lost too.
                entry.resent = 0;
                self.resent = self.resent.saturating_sub(len(&(entry.start..entry.end)));
            }
        }
        self.lost.saturating_sub(self.resent).saturating_sub(before)
    }

    /// The timer gave up all that is outstanding (`tcp_enter_loss`). Gives the bytes newly lost.
    pub(super) fn give_up(&mut self) -> u64 {
        let all = self.outstanding().saturating_sub(self.sacked);
        let given = self.resent + all.saturating_sub(self.lost);
        (self.lost, self.resent) = (all, 0);
        self.marks.forget_resent();
        self.marks.given_up = self.next;
        self.again.clear();
        given
    }

    /// Nothing was lost after all.
    pub(super) fn forget_losses(&mut self) {
        (self.lost, self.resent) = (0, 0);
        self.marks.forget_lost();
        self.marks.forget_resent();
        self.again.clear();
    }
}

impl Delivered {
    fn take(&mut self, entry: &Entry) {
        self.bytes += len(&(entry.start..entry.end));
        if self.newest.is_none_or(|newest| entry.sent >= newest.sent) {
            self.newest = Some(*entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_nanos(millis * 1_000_000)
    }

    fn ten() -> Board {
        let mut board = Board::default();
        for number in 0..10 {
            board.push(number * 100..number * 100 + 100, at(number), None, Stamp::default());
        }
        board
    }

    // RFC 6675 section 4's pipe, by hand: 10 sent, 4..8 selectively acknowledged, 0..4 lost of which 0 was sent again.
    #[test]
    fn in_flight_is_what_is_neither_acknowledged_nor_lost() {
        let mut board = ten();
        let mut delivered = Delivered::default();
        board.sack(400..800, &mut delivered);
        assert_eq!((delivered.bytes, board.in_flight()), (400, 600));
        assert_eq!(delivered.sacked, Some((at(4), at(7))));
        board.rescan();
        assert_eq!(board.mark_lost(at(7), Span::ZERO), 400);
        assert_eq!(board.in_flight(), 200);
        board.resend(0..100, at(50), None, Stamp::default());
        assert_eq!(board.in_flight(), 300);
        let mut delivered = Delivered::default();
        board.acknowledge(100, &mut delivered);
        assert!(delivered.ambiguous && delivered.acked.is_none(), "Karn's rule");
        assert_eq!((delivered.bytes, board.in_flight()), (100, 200));
        let mut delivered = Delivered::default();
        board.acknowledge(1_000, &mut delivered);
        assert_eq!((delivered.advanced, delivered.bytes, board.in_flight()), (900, 500, 0));
    }

    #[test]
    fn a_retransmission_that_was_lost_too_leaves_the_flight() {
        let mut board = ten();
        let mut delivered = Delivered::default();
        board.sack(200..1_000, &mut delivered);
        board.rescan();
        board.mark_lost(at(9), Span::ZERO);
        board.resend(0..100, at(20), None, Stamp::default());
        assert_eq!(board.in_flight(), 100);
        // Something sent after it has arrived.
        board.mark_lost(at(30), Span::ZERO);
        assert_eq!(board.in_flight(), 0);
    }

    // RFC 5681 section 3.2: each duplicate acknowledgment tells of one segment that has left the network.
    #[test]
    fn without_sack_duplicates_are_counted() {
        let mut board = ten();
        let mut delivered = Delivered::default();
        for _ in 0..3 {
            board.count_duplicates(true, 100, &mut delivered);
        }
        assert_eq!((delivered.bytes, board.in_flight()), (300, 700));
        let mut delivered = Delivered::default();
        board.acknowledge(400, &mut delivered);
        board.count_duplicates(false, 100, &mut delivered);
        assert_eq!(board.in_flight(), 600);
    }

    #[test]
    fn a_timeout_gives_up_everything_and_an_undo_takes_it_back() {
        let mut board = ten();
        assert_eq!(board.give_up(), 1_000);
        assert_eq!(board.in_flight(), 0);
        board.forget_losses();
        assert_eq!(board.in_flight(), 1_000);
    }

    // A receiver that acknowledges single bytes of large segments, in rising order and in any.
    #[test]
    fn blocks_of_a_byte_do_not_make_the_list_longer_than_it_may_be() {
        for stride in [2, 7_919 * 2] {
            let mut board = Board::default();
            board.push(0..600_000, at(0), None, Stamp::default());
            for number in 0..300_000 {
                let start = number * stride % 600_000;
                board.sack(start..start + 1, &mut Delivered::default());
            }
            assert!(board.entries.len() <= MOST, "{}", board.entries.len());
            assert!(board.blocks.len() <= MOST_BLOCKS, "{}", board.blocks.len());
            assert!(board.in_flight() + board.sacked() == 600_000);
        }
    }

    #[test]
    fn what_was_given_up_and_sent_again_is_given_up_again() {
        let mut board = ten();
        assert_eq!(board.give_up(), 1_000);
        board.resend(0..100, at(20), None, Stamp::default());
        board.push(1_000..1_100, at(21), None, Stamp::default());
        assert_eq!(board.in_flight(), 200);
        assert_eq!(board.give_up(), 200, "the retransmission, and what was sent since");
        assert_eq!(board.in_flight(), 0);
        let mut delivered = Delivered::default();
        board.sack(500..600, &mut delivered);
        board.acknowledge(300, &mut delivered);
        assert_eq!((delivered.bytes, board.in_flight()), (400, 0));
        board.forget_losses();
        assert_eq!(board.in_flight(), 700);
    }
}
