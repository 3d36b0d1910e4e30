//! Bytes that were delivered but cannot be handed out, joined to as few stretches as there are.

use std::ops::Range;

use super::{Event, Gap, GapReason};
use crate::analysis::ranges::RangeSet;

/// Most given-up stretches that are remembered, to tell what comes late from what comes twice.
const MOST_REMEMBERED: usize = 4_096;

/// The gap that is growing, and those given up lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    open: Option<(Range<i64>, GapReason)>,
    given_up: RangeSet,
}

impl Gaps {
    /// Gives up `range`, of which the bytes in `seen` were on the wire and not captured.
    pub(super) fn add(
        &mut self,
        range: Range<i64>,
        seen: &RangeSet,
        origin: i64,
        out: &mut dyn FnMut(Event<'_>),
    ) {
        let mut at = range.start;
        for hole in seen.gaps(range.clone()) {
            self.grow(at..hole.start, GapReason::Cut, origin, out);
            at = hole.end;
            self.given_up.insert(hole.clone());
            self.grow(hole, GapReason::NotCaptured, origin, out);
        }
        self.grow(at..range.end, GapReason::Cut, origin, out);
        while self.given_up.len() > MOST_REMEMBERED
            && let Some(first) = self.given_up.first()
        {
            self.given_up.remove_before(first.end);
        }
    }

    /// Tells of the gap that has ended.
    pub(super) fn close(&mut self, origin: i64, out: &mut dyn FnMut(Event<'_>)) {
        if let Some((range, reason)) = self.open.take() {
            let len = range.end.abs_diff(range.start);
            out(Event::Gap(Gap { offset: range.start.saturating_sub(origin), len, reason }));
        }
    }

    /// How many bytes of `range` were given up as not captured; each counts once.
    pub(super) fn come_late(&mut self, range: Range<i64>) -> u64 {
        if self.given_up.is_empty() { 0 } else { self.given_up.remove(range) }
    }

    fn grow(&mut self, range: Range<i64>, reason: GapReason, origin: i64, out: &mut dyn FnMut(Event<'_>)) {
        if range.start >= range.end {
            return;
        }
        match &mut self.open {
            Some((open, why)) if open.end == range.start && *why == reason => open.end = range.end,
            _ => {
                self.close(origin, out);
                self.open = Some((range, reason));
            }
        }
    }
}
