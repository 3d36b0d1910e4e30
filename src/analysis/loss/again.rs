//! Segments with bytes below the highest seen: a further copy, or one that was overtaken on its way.

use std::cmp::Ordering;
use std::ops::Range;

use super::evidence::{Open, Witness};
use super::order::sent_order;
use super::origin::{Origin, Past, origin};
use super::record::length;
use super::scoreboard::Copy;
use super::trigger::Situation;
use super::{Closed, LossStage, Passed, StreamState};
use crate::analysis::facts::Facts;
use crate::analysis::grounds::Ground;
use crate::report::{Kind, Trigger, Verdict};
use crate::units::{Span, Timestamp};

/// How long after its acknowledgment a byte may still come as out of order of the capture alone.
const LATE_STAMP: Span = Span::from_millis(2);

/// The same of what comes next in sequence, as where both directions were stamped by two clocks.
const LATE_NEXT: Span = Span::from_millis(20);

impl LossStage {
    /// Bytes below the highest seen: a second copy, or what fills a hole.
    pub(super) fn on_old(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        facts: &Facts,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) -> Option<Passed> {
        let hole = self.holes.fill(bytes);
        let before = self.board.overlapping(bytes.clone()).map(|entry| entry.last).max_by_key(|last| last.at);
        let copies_before =
            self.board.overlapping(bytes.clone()).map(|entry| entry.copies).max().unwrap_or(0);
        let una = stream.una;
        let delivered_before = una.is_some_and(|una| bytes.end <= una) || self.board.is_sacked(bytes);
        let all_fresh = facts.fresh == facts.data_len;
        let past = Past {
            before: before.as_ref(),
            hole: hole.as_ref(),
            missed: all_fresh && delivered_before,
            ids_count: self.ids.counts(),
            up: self.timing.up,
        };
        let (origin, order) = origin(&copy, &past);
        if copy.frame == self.watch.frame {
            self.watch.on_old(&copy, &past, origin, self.board.overlapping(bytes.clone()));
        }
        if let Origin::Late(by) = origin {
            self.on_late(bytes, copy, by, before.is_some(), closed);
            return None;
        }
        let missed = all_fresh && delivered_before && hole.is_none() && before.is_none();
        if missed && self.late_stamp(copy.at, self.board.end() == Some(bytes.start)) {
            self.board.replace(bytes.clone(), copy);
            return None;
        }
        if order == Ordering::Greater || before.is_some() {
            self.ids.observe(copy.id);
        }

        let left = una.unwrap_or(bytes.start);
        let situation = Situation {
            bytes,
            at: copy.at,
            una: left,
            next: stream.next,
            sacked_above: self.board.sacked_after(bytes.end, 2 * self.mss),
            mss: self.mss,
            sack: stream.sack,
            stamped: copy.tsval.is_some(),
        };
        if copy.frame == self.watch.frame {
            self.watch.on_sent_again(&situation, &self.episode, &self.timing);
        }
        let trigger = self.episode.classify(&situation, &self.timing);
        match trigger {
            Trigger::Rto => self.frto.on_timeout(bytes, copy.at, stream.next),
            _ => self.frto.on_again(),
        }
        let half = Span::from_nanos(self.timing.round_trip().as_nanos() / 2);
        let may_be_refused = before.is_some_and(|last| self.paws.may_be_refused(&last, bytes.start, half));
        self.paws.on_again(copy.at, bytes.start);
        let open = Open {
            bytes: bytes.clone(),
            copy,
            kind: Kind::Retransmission,
            trigger,
            copies_before,
            original_frame: before.map(|last| last.frame),
            before_tsval: before.and_then(|last| last.tsval),
            resent_by: if let Origin::Resent(by) = origin { by } else { "" },
            delivered_before,
            hole_reported: situation.sacked_above > 0 && !delivered_before,
            delivered: delivered_before.then_some(copy.at),
            echo: None,
            dsacked: false,
            jumped: false,
            overtaken: false,
            refused_before: before.is_some_and(|last| last.refused),
            may_be_refused,
            went_on: false,
            witness: Witness::default(),
        };
        self.counts.retransmitted_packets += 1;
        self.counts.retransmitted_segments += self.segments(bytes);
        self.counts.retransmitted_bytes += u64::from(facts.data_len - facts.fresh).max(if all_fresh {
            u64::from(facts.data_len)
        } else {
            0
        });
        self.board.replace(bytes.clone(), copy);
        let due = delivered_before.then(|| copy.at + self.timing.down.patience());
        self.ledger.add(open, due);
        Some(Passed { again: Some(trigger) })
    }

    /// A copy that was overtaken on its way.
    fn on_late(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        by: &Ground,
        seen_before: bool,
        closed: &mut dyn FnMut(Closed),
    ) {
        let counts = self.ids.counts();
        let sent_before = |open: &Open| {
            sent_order(&copy, &open.copy, counts).is_some_and(|(order, _)| order == Ordering::Less)
        };
        let overtook = self.ledger.overtaken(bytes, sent_before);
        self.ids.observe(copy.id);
        self.counts.reordered += 1;
        closed(Closed {
            frame: copy.frame,
            at: copy.at,
            offset: bytes.start,
            len: length(bytes),
            kind: Kind::Reordering,
            trigger: Trigger::Unknown,
            verdict: Some(Verdict::Reordered),
            evidence: by.id,
            confidence: by.confidence,
            original_frame: None,
        });
        if !overtook || !seen_before {
            self.board.replace(bytes.clone(), copy);
        }
    }

    /// Whether the acknowledgment that covers bytes seen only now is so recent that their order in the capture is at fault.
    fn late_stamp(&self, at: Timestamp, is_next: bool) -> bool {
        let most = if is_next { LATE_NEXT } else { LATE_STAMP };
        self.episode.last_heard().is_some_and(|heard| at.since(heard).abs() <= most)
    }
}
