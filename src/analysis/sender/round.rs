//! Round trips: from the sending of a segment to its acknowledgment, with what was seen in between.

use super::replica::Shown;
use crate::units::Span;

/// An answer comes this soon after what it answers, or after the segment before it in the same answer.
pub(super) const PROMPT: Span = Span::from_micros(250);

/// The round under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// It ends when this is acknowledged.
    pub(super) end: i64,
    pub(super) peak: u64,
    /// New bytes sent, and those sent at once after an ACK.
    pub(super) sent: u64,
    pub(super) prompt: u64,
    /// ACKs that delivered a segment or more, and those of them that nothing answered.
    pub(super) acks: u32,
    pub(super) unanswered: u32,
    /// Segments, and those that were not full.
    pub(super) segments: u32,
    pub(super) short: u32,
    /// Something was sent into an empty network.
    pub(super) idle: bool,
    /// The receive window had no room.
    pub(super) shut: bool,
    /// Some of it was in a recovery.
    pub(super) disturbed: bool,
}

/// The latest rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    pub(super) now: Option<Round>,
    pub(super) last: Option<Round>,
    /// Rounds in a row in which the peak stayed the same, and by how much the leading replica grew meanwhile.
    level: u32,
    grown: f64,
}

impl Round {
    pub(super) const fn starting(end: i64) -> Self {
        Self {
            end,
            peak: 0,
            sent: 0,
            prompt: 0,
            acks: 0,
            unanswered: 0,
            segments: 0,
            short: 0,
            idle: false,
            shut: false,
            disturbed: false,
        }
    }

    /// Nearly all was the answer to an ACK.
    const fn is_clocked(&self) -> bool {
        self.sent > 0
            && self.prompt * 10 >= self.sent * 8
            && self.unanswered * 2 <= self.acks
            && !self.idle
            && !self.shut
    }
}

impl Rounds {
    /// A segment with `bytes` new bytes was sent `since` the last ACK.
    pub(super) fn sent(&mut self, bytes: u64, full: bool, since: Option<Span>) {
        let Some(round) = &mut self.now else { return };
        round.sent += bytes;
        round.segments += 1;
        round.short += u32::from(!full);
        if since.is_some_and(|since| since <= PROMPT) {
            round.prompt += bytes;
        }
    }

    /// An ACK is heard after one that delivered a segment or more; `answered` tells whether something was sent in between.
    pub(super) const fn heard(&mut self, answered: bool) {
        if let Some(round) = &mut self.now {
            round.acks += 1;
            round.unanswered += !answered as u32;
        }
    }

    /// Whether the sender is held back by its window alone: in the last round and so far in this one each answer was prompt.
    pub(super) fn is_full(&self) -> bool {
        let clocked = |round: &Option<Round>| round.as_ref().is_some_and(Round::is_clocked);
        let current = self.now.is_some_and(|round| round.sent == 0 || round.is_clocked());
        clocked(&self.last) && current && !self.is_level()
    }

    /// Whether the flight stands still where the window would grow: a buffer of a fixed size fills it.
    const fn is_level(&self) -> bool {
        self.level >= 3 && self.grown >= 2.0
    }

    /// The round is over; `grown` is by how many segments the leading replica grew in it.
    pub(super) fn next(&mut self, end: i64, grown: f64) -> Option<Shown> {
        let done = self.now.replace(Round::starting(end))?;
        if self.last.is_some_and(|last| last.peak == done.peak) && !done.disturbed {
            self.level += 1;
            self.grown += grown;
        } else {
            self.level = 0;
            self.grown = 0.0;
        }
        let reduced = self.last.is_some_and(|last| last.disturbed) && !done.disturbed;
        self.last = Some(done);
        if done.disturbed || done.sent == 0 {
            return None;
        }
        let full = done.is_clocked() && !self.is_level();
        let steady = done.segments >= 8 && done.short == 0 && !done.idle && !done.shut;
        let paced =
            steady && !done.is_clocked() && (done.prompt * 2 < done.sent || done.unanswered * 2 > done.acks);
        Some(Shown { peak: done.peak, full, paced, reduced })
    }
}
