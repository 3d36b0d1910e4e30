//! Retransmissions whose verdict is still open, found by the bytes they carry.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::evidence::Open;
use crate::report::Trigger;
use crate::units::{Span, Timestamp};

/// How many verdicts one packet may make look at, where more could only be there to waste time.
const LOOK: usize = 1_024;

/// Most verdicts open at a time in one direction; the oldest bytes are closed with what is known beyond it.
const MOST: usize = 1 << 16;

type Key = (i64, u32);

/// Open verdicts of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    open: BTreeMap<Key, Open>,
    /// Those that were acknowledged, by the moment after which no more evidence is to be expected.
    due: VecDeque<(Timestamp, Key)>,
    count: u32,
    longest: i64,
    /// No open one has bytes from here on.
    top: i64,
    /// The frame that is being heard, kept with what it proves.
    hearing: u64,
}

impl Ledger {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// All that is told until the next call was heard in this frame.
    #[inline]
    pub(super) const fn hear(&mut self, frame: u64) {
        self.hearing = frame;
    }

    /// Adds one. If it is of bytes that are acknowledged already, it stays open until `due`.
    pub(super) fn add(&mut self, open: Open, due: Option<Timestamp>) {
        self.longest = self.longest.max(open.bytes.end - open.bytes.start);
        self.top = if self.open.is_empty() { open.bytes.end } else { self.top.max(open.bytes.end) };
        let key = (open.bytes.start, self.count);
        self.count = self.count.wrapping_add(1);
        if let Some(due) = due {
            self.due.push_back((due, key));
        }
        self.open.insert(key, open);
    }

    /// Shows `look` the retransmissions that carry bytes of `range`, those that begin latest first, and not more than
    /// `most` of them; of those that begin before it the nearest [`LOOK`].
    fn visit(&mut self, range: &Range<i64>, most: usize, mut look: impl FnMut(&Key, &mut Open)) {
        let (start, end) = (range.start, range.end);
        // What is acknowledged lies mostly behind all that was sent again.
        if start >= self.top {
            return;
        }
        let lowest = start.saturating_sub(self.longest);
        let (mut inside, mut before) = (0, 0);
        for (key, open) in self.open.range_mut((lowest, 0)..(end, 0)).rev() {
            if key.0 < start {
                if before == LOOK {
                    return;
                }
                before += 1;
                if open.bytes.end > start {
                    look(key, open);
                }
            } else if inside < most {
                inside += 1;
                look(key, open);
            } else {
                // More are inside than may be looked at; on to those before.
                return self.visit_before(start, look);
            }
        }
    }

    fn visit_before(&mut self, start: i64, mut look: impl FnMut(&Key, &mut Open)) {
        let before = (start.saturating_sub(self.longest), 0)..(start, 0);
        for (key, open) in self.open.range_mut(before).rev().take(LOOK) {
            if open.bytes.end > start {
                look(key, open);
            }
        }
    }

    /// The receiver has all of `range` at `at`. `left` is its left edge if the acknowledgment was cumulative, and then
    /// `tsecr` names the segment that moved it (RFC 7323 section 4.3).
    pub(super) fn delivered(
        &mut self,
        range: &Range<i64>,
        at: Timestamp,
        tsecr: Option<u32>,
        cumulative: bool,
        patience: Span,
    ) {
        let mut due = Vec::new();
        let hearing = self.hearing;
        self.visit(range, usize::MAX, |key, open| {
            if cumulative
                && open.echo.is_none()
                && open.bytes.start <= range.start
                && let (Some(tsecr), Some(tsval)) = (tsecr, open.copy.tsval)
            {
                open.echo = Some(tsecr.wrapping_sub(tsval).cast_signed().cmp(&0));
                (open.witness.echo, open.witness.tsecr) = (hearing, tsecr);
            }
            if open.delivered.is_none() && open.bytes.end <= range.end {
                open.delivered = Some(at);
                open.witness.delivered = hearing;
                due.push((at.max(open.copy.at) + patience, *key));
            }
        });
        due.sort_unstable();
        self.due.extend(due);
    }

    /// The receiver says at `at` that it got `range` twice: the latest copies that can have been answered by then are
    /// the ones it means.
    pub(super) fn reported_twice(&mut self, range: &Range<i64>, at: Timestamp, min_down: Option<Span>) {
        let least = min_down.map_or(Span::ZERO, |min| Span::from_nanos(min.as_nanos() / 4 * 3));
        let mut answered: Vec<(u32, i64, i64)> = Vec::new();
        self.visit(range, LOOK, |key, open| {
            if !open.dsacked && at.since(open.copy.at) >= least {
                answered.push((key.1, open.bytes.start, open.bytes.end));
            }
        });
        answered.sort_unstable_by(|a, b| b.cmp(a));
        let mut left = super::super::ranges::RangeSet::new();
        left.insert(range.clone());
        for (count, start, end) in answered {
            if left.remove(start..end) > 0
                && let Some(open) = self.open.get_mut(&(start, count))
            {
                open.dsacked = true;
                open.witness.duplicate = self.hearing;
                open.witness.reported = range.clone();
            }
        }
    }

    /// One segment, sent at `filled`, moved the left edge over all of `range`: what was sent again after it had not
    /// been waited for.
    pub(super) fn jumped(&mut self, range: &Range<i64>, filled: Timestamp) {
        let hearing = self.hearing;
        self.visit(range, usize::MAX, |_, open| {
            if open.bytes.start >= range.start && open.bytes.end <= range.end && open.copy.at >= filled {
                open.jumped = true;
                open.witness.jump = hearing;
            }
        });
    }

    /// What a timer sent again of `bytes` was not needed.
    pub(super) fn went_on(&mut self, bytes: &Range<i64>) {
        let hearing = self.hearing;
        self.visit(bytes, LOOK, |_, open| {
            if open.trigger == Trigger::Rto {
                open.went_on = true;
                open.witness.went_on = hearing;
            }
        });
    }

    /// A copy of `bytes` came that was sent before those of `after` say: they overtook it.
    pub(super) fn overtaken(&mut self, bytes: &Range<i64>, sent_before: impl Fn(&Open) -> bool) -> bool {
        let mut any = false;
        self.visit(bytes, LOOK, |_, open| {
            if sent_before(open) {
                open.overtaken = true;
                any = true;
            }
        });
        any
    }

    /// Takes out one whose time has come by `now`.
    pub(super) fn pop_due(&mut self, now: Timestamp) -> Option<Open> {
        while let Some(&(due, key)) = self.due.front() {
            if due > now && self.open.len() <= MOST {
                break;
            }
            self.due.pop_front();
            if let Some(open) = self.open.remove(&key) {
                if self.open.is_empty() {
                    self.longest = 0;
                }
                return Some(open);
            }
        }
        if self.open.len() > MOST { self.pop() } else { None }
    }

    /// Takes out the one with the lowest bytes.
    pub(super) fn pop(&mut self) -> Option<Open> {
        self.open.pop_first().map(|(_, open)| open)
    }
}
