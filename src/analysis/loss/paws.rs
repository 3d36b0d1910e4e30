//! What a receiver refused although it arrived: a segment whose `TSval` is older than one it had accepted before (PAWS, RFC
//! 7323 section 5). What was sent again is accepted at once and makes everything that was sent before it too old, so
//! where a path reorders, the copy that is acknowledged is not always the first that came.

use std::collections::VecDeque;

use super::scoreboard::Copy;
use crate::units::{Span, Timestamp};

/// Segments kept of those that were sent again.
const KEPT: usize = 1_024;

/// The stamps of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Paws {
    /// `TS.Recent` as the receiver must have it.
    recent: Option<u32>,
    /// When something was sent again, and its first byte.
    again: VecDeque<(Timestamp, i64)>,
}

impl Paws {
    /// A segment that begins at `start` passes; `acknowledged` is the last acknowledgment. Gives whether the receiver refuses
    /// it if it comes there in this order.
    #[inline]
    pub(super) fn refuses(&mut self, tsval: Option<u32>, start: i64, acknowledged: Option<i64>) -> bool {
        let Some(tsval) = tsval else { return false };
        let late = self.recent.is_some_and(|recent| tsval.wrapping_sub(recent).cast_signed() < 0);
        // What lies behind a gap does not count (section 4.3).
        if !late && acknowledged.is_some_and(|edge| start <= edge) {
            self.recent = Some(tsval);
        }
        late
    }

    /// Bytes from `start` on were sent again.
    pub(super) fn on_again(&mut self, at: Timestamp, start: i64) {
        if self.again.len() == KEPT {
            self.again.pop_front();
        }
        self.again.push_back((at, start));
    }

    /// Whether something below `start` was sent again so soon `within` the time after `copy` that it may have overtaken it.
    pub(super) fn may_be_refused(&self, copy: &Copy, start: i64, within: Span) -> bool {
        let recent = self.again.iter().rev().take_while(|(at, _)| *at > copy.at);
        copy.tsval.is_some()
            && recent.into_iter().any(|(at, below)| *below < start && at.since(copy.at) <= within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_again_makes_older_stamps_unacceptable() {
        let mut paws = Paws::default();
        assert!(!paws.refuses(Some(10), 0, Some(0)));
        // Behind a gap: it may be newer, but does not count.
        assert!(!paws.refuses(Some(12), 200, Some(100)));
        assert!(!paws.refuses(Some(11), 300, Some(100)));
        // The gap is filled by a copy of a round trip later.
        assert!(!paws.refuses(Some(50), 100, Some(100)));
        assert!(paws.refuses(Some(13), 400, Some(400)));
        assert!(!paws.refuses(Some(50), 400, Some(400)), "the same tick is no older");
        assert!(!paws.refuses(None, 500, Some(500)));
        // 32 bits wrap.
        let mut paws = Paws { recent: Some(u32::MAX), ..Paws::default() };
        assert!(!paws.refuses(Some(3), 0, Some(0)));
        assert!(paws.refuses(Some(u32::MAX), 0, Some(0)));
    }

    #[test]
    fn only_what_was_sent_soon_after_can_have_overtaken() {
        let at = |millis: i64| Timestamp::from_nanos(millis * 1_000_000);
        let copy = Copy { at: at(100), frame: 1, tsval: Some(1), id: None, refused: false };
        let mut paws = Paws::default();
        paws.on_again(at(90), 0);
        paws.on_again(at(130), 0);
        assert!(!paws.may_be_refused(&copy, 500, Span::from_millis(20)));
        paws.on_again(at(131), 900);
        assert!(!paws.may_be_refused(&copy, 500, Span::from_millis(20)));
        let mut paws = Paws::default();
        paws.on_again(at(110), 0);
        assert!(paws.may_be_refused(&copy, 500, Span::from_millis(20)));
        assert!(!paws.may_be_refused(&copy, 0, Span::from_millis(20)), "nothing lies below it");
    }
}
