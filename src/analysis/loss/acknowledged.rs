//! What an acknowledgment tells of the segments that were sent: which arrived, when, and which copy.

use std::ops::Range;

use super::frto::Heard;
use super::record::Closed;
use super::scoreboard::Entry;
use super::{AckEdge, LossStage};
use crate::analysis::facts::Facts;
use crate::decode::Segment;
use crate::seq::{SeqNumber, StreamOffset};
use crate::units::{Span, Timestamp};

impl LossStage {
    /// A segment passed from receiver to sender. `edge` is what was known before it.
    #[inline]
    pub(in crate::analysis) fn on_ack(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        edge: AckEdge,
        unwrap: impl Fn(SeqNumber) -> i64,
        closed: &mut dyn FnMut(Closed),
    ) {
        let Some(ack) = facts.ack.map(StreamOffset::get) else { return };
        self.ledger.hear(segment.frame);
        let at = segment.at;
        let stamps = segment.options.timestamps;
        if let Some((tsval, _)) = stamps {
            self.timing.on_ack_stamp(tsval, at);
        }
        self.episode.on_ack(
            at,
            facts.ack_advance > 0,
            facts.duplicate_ack || !segment.options.sack.is_empty(),
        );
        let patience = self.timing.down.patience();
        let before_timeout = self.frto.since();
        let is_original = |entry: &Entry| {
            entry.copies == 1 && before_timeout.is_some_and(|timeout| entry.last.at < timeout)
        };
        let mut original = false;
        let mut blocks = segment.options.sack.iter();
        if facts.dsack
            && let Some((start, end)) = blocks.next()
            && !self.ledger.is_empty()
        {
            let range = unwrap(start)..unwrap(end);
            if range.start < range.end && range.end <= edge.next {
                self.ledger.reported_twice(&range, at, self.timing.down.min());
            }
        }
        if facts.ack_advance > 0 {
            let from = edge.una.unwrap_or(ack - facts.ack_advance);
            let mut newest = None;
            let mut left: Option<(i64, Timestamp)> = None;
            let mut queued = false;
            self.board.acknowledge(ack, |entry| {
                original |= !entry.sacked && is_original(entry);
                if entry.copies == 1 && !entry.sacked {
                    newest = Some(entry.last.at);
                }
                match left {
                    None => left = Some((entry.bytes.end, entry.last.at)),
                    Some((_, filled)) => queued |= entry.copies == 1 && entry.last.at < filled,
                }
            });
            if let Some(sent) = newest {
                self.timing.down.add(at.since(sent));
            }
            let missed = if self.holes.is_empty() { 0 } else { self.holes.settle(ack) };
            let missed = missed + u64::try_from(edge.unseen).unwrap_or(0);
            if missed > 0 {
                self.tail.missed(missed.div_ceil(self.mss));
            }
            if !self.sack
                && queued
                && let Some((end, filled)) = left
            {
                self.ledger.jumped(&(end..ack), filled);
            }
            if !self.ledger.is_empty() {
                self.ledger.delivered(&(from..ack), at, stamps.map(|(_, echo)| echo), true, patience);
            }
        }
        for (start, end) in blocks {
            let block = unwrap(start)..unwrap(end);
            // Blocks of what was never sent are not believed.
            if block.start < block.end && block.start >= ack && block.end <= edge.next {
                original |= self.on_sack(block, at, patience, is_original);
            }
        }
        if before_timeout.is_some() {
            let heard = Heard {
                ack,
                advances: facts.ack_advance > 0,
                duplicate: facts.duplicate_ack || !segment.options.sack.is_empty(),
                original,
            };
            if let Some(bytes) = self.frto.on_ack(&heard, self.sack) {
                self.ledger.went_on(&bytes);
            }
        }
        self.close_due(at, closed);
    }

    /// Gives whether something that `is_original` is among what is selectively acknowledged for the first time.
    fn on_sack(
        &mut self,
        block: Range<i64>,
        at: Timestamp,
        patience: Span,
        is_original: impl Fn(&Entry) -> bool,
    ) -> bool {
        let (mut newest, mut original) = (None, false);
        let ledger = &mut self.ledger;
        self.board.sack(block, |entry| {
            original |= is_original(entry);
            if entry.copies == 1 {
                newest = Some(entry.last.at);
            }
            if !ledger.is_empty() {
                ledger.delivered(&entry.bytes, at, None, false, patience);
            }
        });
        if let Some(sent) = newest {
            self.timing.down.add(at.since(sent));
        }
        original
    }
}
