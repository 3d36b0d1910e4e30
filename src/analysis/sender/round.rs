//! Round trips: from the sending of a segment to its acknowledgment, with what was seen in between.

use super::replica::Shown;
use crate::units::Span;

/// An answer comes this soon after what it answers.
const PROMPT: Span = Span::from_micros(250);
/// Seen from afar, where an ACK is taken to be heard when it should have been: within this, and a thirty-second of the RTT.
const PROMPT_AFAR: Span = Span::from_millis(1);
/// Segments of one burst follow each other this closely: 1500 bytes at 200 Mbit/s.
const BURST: Span = Span::from_micros(60);

/// How soon after an ACK something was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Haste {
    /// Later than an answer.
    #[default]
    None,
    /// As soon as an answer, but ACKs come so close that anything would be.
    Soon,
    /// So soon that it is the answer: within a quarter of the time between two ACKs.
    AtOnce,
}

/// When something was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// Since the last ACK was heard, and since the segment before.
    pub(super) heard: Option<Span>,
    pub(super) sent: Option<Span>,
    /// Mean time between two ACKs.
    pub(super) spacing: Option<Span>,
    /// Smoothed RTT, where the tap is far from the sender.
    pub(super) afar: Option<Span>,
}

impl Haste {
    /// `before` is that of the segment before.
    pub(super) fn of(timing: &Timing, before: Self) -> Self {
        let Some(heard) = timing.heard else { return Self::None };
        if let Some(rtt) = timing.afar {
            let soon = Span::from_nanos(rtt.as_nanos() / 32).clamp(BURST, PROMPT_AFAR);
            return if heard <= soon { Self::AtOnce } else { Self::None };
        }
        let quarter = timing.spacing.map_or(PROMPT, |spacing| Span::from_nanos(spacing.as_nanos() / 4));
        if heard <= PROMPT.min(quarter) {
            return Self::AtOnce;
        }
        if timing.sent.is_some_and(|sent| sent <= BURST) {
            return before;
        }
        if heard <= PROMPT { Self::Soon } else { Self::None }
    }
}

/// The round under way.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what a round was are independent facts")]
pub(super) struct Round {
    /// It ends when this is acknowledged.
    pub(super) end: i64,
    pub(super) peak: u64,
    /// New bytes sent, those sent soon after an ACK, and of them those sent at once.
    pub(super) sent: u64,
    pub(super) prompt: u64,
    pub(super) at_once: u64,
    /// ACKs that delivered a segment or more, and those of them that nothing answered.
    pub(super) acks: u32,
    pub(super) unanswered: u32,
    /// Segments, and those that were not full.
    pub(super) segments: u32,
    /// Segments of more than one MSS.
    pub(super) large: u32,
    pub(super) short: u32,
    /// Something was sent into an empty network.
    pub(super) idle: bool,
    /// The receive window had no room.
    pub(super) shut: bool,
    /// Some of it was in a recovery, or followed a timeout.
    pub(super) disturbed: bool,
    pub(super) timed_out: bool,
}

/// The latest rounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    pub(super) now: Option<Round>,
    pub(super) last: Option<Round>,
    /// Rounds in a row in which the peak stayed near this, and by what share the window should have grown meanwhile.
    base: u64,
    level: u32,
    grown: f64,
    /// The flight stands still where the window would grow: a buffer of a fixed size fills it.
    stands_still: bool,
    /// The last round was one in which nearly all was the answer to an ACK.
    was_clocked: bool,
    /// The window was reduced and has not been seen since.
    reduced: bool,
}

impl Round {
    pub(super) const fn starting(end: i64) -> Self {
        Self {
            end,
            peak: 0,
            sent: 0,
            prompt: 0,
            at_once: 0,
            acks: 0,
            unanswered: 0,
            segments: 0,
            large: 0,
            short: 0,
            idle: false,
            shut: false,
            disturbed: false,
            timed_out: false,
        }
    }

    /// Segments are larger than an ACK answers: the sender gathers room for them (`tcp_tso_should_defer`).
    const fn gathers(&self) -> bool {
        self.large * 2 > self.segments
    }

    /// Nearly all was the answer to an ACK.
    const fn is_clocked(&self) -> bool {
        self.sent > 0
            && self.prompt * 10 >= self.sent * 8
            && (self.unanswered * 2 <= self.acks || (self.at_once * 10 >= self.sent * 8 && self.gathers()))
            && !self.idle
            && !self.shut
    }
}

impl Rounds {
    /// A segment with `bytes` new bytes was sent `since` the last ACK.
    pub(super) fn sent(&mut self, bytes: u64, full: bool, mss: u64, haste: Haste) {
        let Some(round) = &mut self.now else { return };
        round.sent += bytes;
        round.segments += 1;
        round.short += u32::from(!full);
        round.large += u32::from(bytes > mss);
        if haste != Haste::None {
            round.prompt += bytes;
        }
        if haste == Haste::AtOnce {
            round.at_once += bytes;
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
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.was_clocked
            && !self.stands_still
            && self.now.as_ref().is_some_and(|round| round.sent == 0 || round.is_clocked())
    }

    /// The round is over; `grown` is the share by which the replica grew in it.
    pub(super) fn next(&mut self, end: i64, grown: f64, near: bool, mss: u64) -> Option<Shown> {
        let done = self.now.replace(Round::starting(end))?;
        let level = done.peak.abs_diff(self.base) <= (self.base / 50).max(mss);
        if level && !done.disturbed {
            self.level += 1;
            self.grown += grown;
            let (base, room) = (self.base as f64, 3.0 * mss as f64);
            self.stands_still = self.level >= 2 && self.grown * base >= (0.15 * base).max(room);
        } else {
            (self.base, self.level, self.grown, self.stands_still) = (done.peak, 0, 0.0, false);
        }
        let recovering = done.disturbed && self.last.is_some_and(|last| last.disturbed);
        self.reduced |= done.disturbed;
        self.last = Some(done);
        self.was_clocked = done.is_clocked();
        if recovering && !done.timed_out {
            return Some(Shown {
                peak: done.peak,
                full: false,
                paced: false,
                near,
                reduced: false,
                recovering: true,
            });
        }
        if done.disturbed || done.sent == 0 {
            return None;
        }
        let full = self.was_clocked && !self.stands_still;
        let reduced = self.reduced && full;
        self.reduced &= !full;
        let steady = done.segments >= 8 && done.short == 0 && !done.idle && !done.shut;
        let paced = near && steady && !self.was_clocked && done.at_once * 2 < done.sent;
        Some(Shown { peak: done.peak, full, paced, near, reduced, recovering: false })
    }
}
