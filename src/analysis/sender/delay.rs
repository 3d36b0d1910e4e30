//! Acknowledgments on their way from the tap to the sender.
//!
//! Near the sender there is nothing to wait for. Farther off, an acknowledgment that passes the tap is heard a while
//! later, and only then may what the sender sends count as its answer. Two things tell when: a timestamp that comes back
//! (the sender echoes the newest `TSval` it has heard, RFC 7323 section 4.3), and the time that this took lately.

use std::collections::VecDeque;

use crate::units::{Span, Timestamp};

/// Most that wait; the oldest count as heard beyond it.
const MOST: usize = 1 << 14;

/// A way to the sender and back up to this is none.
const NEAR: Span = Span::from_millis(1);

/// How many of the latest times are looked at for the smallest.
const RECENT: usize = 4;

/// At most four SACK blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::analysis) struct Blocks {
    count: usize,
    blocks: [(i64, i64); 4],
}

impl Blocks {
    /// Adds a block; a fifth is not kept.
    pub(in crate::analysis) fn push(&mut self, start: i64, end: i64) {
        if let Some(slot) = self.blocks.get_mut(self.count) {
            *slot = (start, end);
            self.count += 1;
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.blocks[..self.count].iter().copied()
    }
}

/// What an acknowledgment says.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Heard {
    /// When it passed the tap.
    pub(in crate::analysis) at: Timestamp,
    /// Everything before this stream offset has arrived.
    pub(in crate::analysis) ack: i64,
    /// SACK blocks in the order of the header, as stream offsets.
    pub(in crate::analysis) blocks: Blocks,
    /// The first block reports a duplicate.
    pub(in crate::analysis) dsack: bool,
    /// `TSval` and `TSecr`.
    pub(in crate::analysis) stamps: Option<(u32, u32)>,
    /// A duplicate acknowledgment (RFC 5681 section 2).
    pub(in crate::analysis) duplicate: bool,
    /// With the ECE flag.
    pub(in crate::analysis) ece: bool,
    /// The receive window in bytes, if its scale is known.
    pub(in crate::analysis) window: Option<u64>,
    /// The IP identification of an acknowledgment without data.
    pub(in crate::analysis) id: Option<u16>,
}

/// The acknowledgments on their way, and how long they take.
#[derive(Clone, Debug, Default)]
pub(super) struct DelayLine {
    waiting: VecDeque<Heard>,
    /// The first acknowledgment of each tick of the receiver's clock, until it is echoed.
    ticks: VecDeque<(u32, Timestamp)>,
    recent: [Span; RECENT],
    measured: usize,
    /// From the handshake.
    first: Option<Span>,
    /// The smallest ever.
    least: Option<Span>,
}

impl DelayLine {
    /// The handshake took so long between the tap and the sender.
    pub(super) const fn expect_up(&mut self, up: Span) {
        self.first = Some(up);
    }

    /// From the tap to the sender and back to the tap.
    pub(super) fn up(&self) -> Span {
        let known = self.measured.min(RECENT);
        self.recent[..known].iter().copied().min().or(self.first).unwrap_or(Span::ZERO)
    }

    /// Whether it is known how far the tap is from the sender.
    pub(super) const fn is_placed(&self) -> bool {
        self.first.is_some() || self.least.is_some()
    }

    /// Whether the tap is so near the sender that nothing waits.
    pub(super) fn is_near(&self) -> bool {
        self.first.or(self.least).is_none_or(|up| up <= NEAR)
    }

    /// An acknowledgment passes the tap.
    pub(super) fn push(&mut self, heard: Heard) {
        self.waiting.push_back(heard);
    }

    /// The same, for the clock of the echoes: also where nothing has to wait.
    pub(super) fn tick(&mut self, heard: &Heard) {
        if let Some((tsval, _)) = heard.stamps
            && self.ticks.back().is_none_or(|&(last, _)| tsval.wrapping_sub(last).cast_signed() > 0)
        {
            self.ticks.push_back((tsval, heard.at));
            if self.ticks.len() > MOST {
                self.ticks.pop_front();
            }
        }
    }

    /// A segment of the sender that echoes `tsecr` passes the tap: acknowledgments with older stamps have been heard, and the
    /// first with this one. Gives how long that took, if it is the first echo.
    pub(super) fn on_echo(&mut self, tsecr: u32, now: Timestamp) -> Option<Span> {
        let mut took = None;
        while let Some(&(tsval, since)) = self.ticks.front() {
            let behind = tsecr.wrapping_sub(tsval).cast_signed();
            if behind < 0 {
                break;
            }
            self.ticks.pop_front();
            if behind == 0 {
                let up = now.since(since).max(Span::ZERO);
                took = Some(up);
                self.least = Some(self.least.map_or(up, |least| least.min(up)));
                self.recent[self.measured % RECENT] = up;
                self.measured = if self.measured == usize::MAX { RECENT } else { self.measured + 1 };
            }
        }
        took
    }

    /// The next acknowledgment that the sender has heard by `now`, of which `echo` is the newest stamp it is known to have
    /// heard, and when it heard it.
    pub(super) fn pop(&mut self, now: Timestamp, echo: Option<u32>) -> Option<(Heard, Timestamp)> {
        let first = self.waiting.front()?;
        let due = first.at + self.up();
        let echoed = match (first.stamps, echo) {
            (Some((tsval, _)), Some(echo)) => echo.wrapping_sub(tsval).cast_signed() > 0,
            _ => false,
        };
        if due > now && !echoed && self.waiting.len() <= MOST {
            return None;
        }
        self.waiting.pop_front().map(|heard| (heard, due.min(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_nanos(millis * 1_000_000)
    }

    fn heard(millis: i64, ack: i64, tsval: u32) -> Heard {
        Heard {
            at: at(millis),
            ack,
            blocks: Blocks::default(),
            dsack: false,
            stamps: Some((tsval, 0)),
            duplicate: false,
            ece: false,
            window: None,
            id: None,
        }
    }

    #[test]
    fn what_is_echoed_has_been_heard_and_the_rest_waits_as_long_as_that_took() {
        let mut line = DelayLine::default();
        line.expect_up(Span::from_millis(40));
        assert!(!line.is_near());
        for (millis, ack, tsval) in [(0, 100, 7), (1, 200, 8), (2, 300, 8)] {
            let heard = heard(millis, ack, tsval);
            line.tick(&heard);
            line.push(heard);
        }
        assert!(line.pop(at(30), None).is_none(), "40 ms are not over");
        line.on_echo(8, at(51));
        assert_eq!(line.up(), Span::from_millis(50), "from the first with that stamp to its echo");
        let order: Vec<_> =
            std::iter::from_fn(|| line.pop(at(51), Some(8))).map(|(heard, _)| heard.ack).collect();
        assert_eq!(order, [100, 200]);
        assert_eq!(line.pop(at(52), Some(8)).map(|(heard, when)| (heard.ack, when)), Some((300, at(52))));
    }

    #[test]
    fn beside_the_sender_nothing_waits() {
        let mut line = DelayLine::default();
        line.expect_up(Span::from_micros(80));
        assert!(line.is_near());
    }
}
