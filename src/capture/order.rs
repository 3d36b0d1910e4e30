//! Puts frames in order of time that stand a little out of it, as several capture threads or queues leave them.
//!
//! What is held are descriptions of frames whose bytes stay in the window. Where a file is in order, as nearly all
//! are, a frame costs one comparison.

use super::frame::LinkType;
use crate::units::{Span, Timestamp};

/// Frames that are looked ahead.
const FRAMES_AHEAD: usize = 16;

/// Bytes that are looked ahead; bounds what a window must keep beside the next record.
pub(super) const BYTES_AHEAD: u64 = 128 << 10;

/// The most disorder that is repaired. A clock that goes back further was set, and its frames stay as the file has them.
const MOST_DISORDER: Span = Span::from_millis(100);

/// A frame whose bytes stand in the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Offset of its bytes in the stream.
    pub(super) offset: u64,
    pub(super) len: u32,
    pub(super) wire_len: u32,
    pub(super) at: Timestamp,
    pub(super) number: u64,
    pub(super) link: LinkType,
}

/// Frames that are parsed at a time, as far as they stand in the window.
pub(super) const BATCH: usize = 48;

/// The frames read and not yet yielded, the next one first.
#[derive(Debug)]
pub(super) struct LookAhead {
    frames: Vec<Held>,
    /// The next one; those before it were yielded.
    head: usize,
    /// Those before it are in order, those from here on as the file has them.
    ready: usize,
    /// Frames from here on were stamped after the clock was last set back: none may be moved before it.
    floor: usize,
    /// Frames from here on stand as the file has them.
    straight: usize,
    last: Timestamp,
    disorder: u64,
}

impl LookAhead {
    pub(super) fn new() -> Self {
        let frames = Vec::with_capacity(FRAMES_AHEAD + BATCH);
        Self { frames, head: 0, ready: 0, floor: 0, straight: 0, last: Timestamp::MIN, disorder: 0 }
    }

    /// Looks as far ahead as it should; whether more must be read for that, the cursor of the window being at `offset`.
    #[inline]
    pub(super) fn wants_more(&mut self, offset: u64) -> bool {
        loop {
            let held = self.ready - self.head;
            if held >= FRAMES_AHEAD {
                return false;
            }
            let next = self.frames.get(self.ready);
            let far = next.map_or(offset, |frame| frame.offset);
            if held > 0 && far.saturating_sub(self.oldest()) >= BYTES_AHEAD {
                return false;
            }
            if next.is_none() {
                return true;
            }
            self.put_in_order();
            self.run_on();
        }
    }

    /// Whether there are frames behind those that are in order.
    pub(super) const fn has_more(&self) -> bool {
        self.ready < self.frames.len()
    }

    /// Whether it has looked at as many as it ever must.
    #[inline]
    pub(super) const fn is_ahead(&self) -> bool {
        self.ready - self.head >= FRAMES_AHEAD
    }

    /// Takes the frames for ordered that follow in order: however far one looks ahead, nothing moves for them.
    pub(super) fn run_on(&mut self) {
        let mut newest = if self.ready == self.head { self.last } else { self.frames[self.ready - 1].at };
        for frame in &self.frames[self.ready..] {
            if frame.at < newest {
                break;
            }
            newest = frame.at;
            self.ready += 1;
            self.last = frame.at;
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.head == self.frames.len()
    }

    /// Stamp of the frame that is next.
    pub(super) fn head(&self) -> Option<Timestamp> {
        self.frames[..self.ready].get(self.head).map(|held| held.at)
    }

    /// The offset from which on the window must keep its bytes, its cursor being at `offset`.
    pub(super) fn keep_from(&self, offset: u64) -> u64 {
        if self.is_empty() { offset } else { self.oldest() }
    }

    /// Smallest offset of what is held.
    fn oldest(&self) -> u64 {
        if self.straight <= self.head {
            return self.frames[self.head].offset;
        }
        self.frames[self.head..].iter().map(|held| held.offset).min().unwrap_or_default()
    }

    /// Frames so far that were stamped before the frame before them.
    pub(super) const fn disorder(&self) -> u64 {
        self.disorder
    }

    /// Forgets what was yielded, before a batch.
    pub(super) fn make_room(&mut self) {
        self.frames.drain(..self.head);
        self.ready -= self.head;
        self.floor = self.floor.saturating_sub(self.head);
        self.straight = self.straight.saturating_sub(self.head);
        self.head = 0;
    }

    /// Takes the next frame of the file.
    #[inline]
    pub(super) fn push(&mut self, frame: Held) {
        self.frames.push(frame);
    }

    /// Puts the first frame that is not in order among those that are.
    #[inline]
    fn put_in_order(&mut self) {
        let (at, place) = (self.frames[self.ready].at, self.ready);
        self.ready += 1;
        self.disorder += u64::from(at < self.last);
        self.last = at;
        if place > self.head && at < self.frames[place - 1].at {
            self.put_back(place);
        }
    }

    #[cold]
    fn put_back(&mut self, from: usize) {
        let at = self.frames[from].at;
        if self.frames[from - 1].at.since(at) > MOST_DISORDER {
            self.floor = from;
            return;
        }
        let mut place = from;
        while place > self.floor.max(self.head) && self.frames[place - 1].at > at {
            place -= 1;
        }
        self.frames[place..=from].rotate_right(1);
        self.straight = from + 1;
    }

    /// The next frame in order of time; frames of one stamp in the order of the file.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Held> {
        let frame = *self.frames[..self.ready].get(self.head)?;
        self.head += 1;
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of the frames in the order they come out, for stamps in milliseconds, and the disorder counted.
    fn order(stamps: &[i64]) -> (Vec<u64>, u64) {
        let mut ahead = LookAhead::new();
        let mut out = Vec::new();
        let mut stamps = stamps.iter().zip(1_u64..);
        loop {
            while ahead.wants_more(0) {
                let Some((&stamp, number)) = stamps.next() else { break };
                ahead.make_room();
                let at = Timestamp::from_nanos(stamp * 1_000_000);
                ahead.push(Held {
                    offset: number * 100,
                    len: 60,
                    wire_len: 60,
                    at,
                    number,
                    link: LinkType(1),
                });
                let oldest = ahead.frames.iter().map(|held| held.offset).min();
                assert_eq!(oldest, Some(ahead.oldest()));
            }
            let Some(frame) = ahead.pop() else { return (out, ahead.disorder) };
            out.push(frame.number);
        }
    }

    #[test]
    fn a_little_disorder_is_put_right_and_counted() {
        assert_eq!(order(&[10, 20, 15, 16, 30]), (vec![1, 3, 4, 2, 5], 1));
        assert_eq!(order(&[50, 40, 30, 20]), (vec![4, 3, 2, 1], 3));
    }

    #[test]
    fn equal_stamps_keep_the_order_of_the_file() {
        assert_eq!(order(&[5, 7, 5, 7, 5]), (vec![1, 3, 5, 2, 4], 2));
    }

    #[test]
    fn exactly_100_ms_is_disorder_and_more_is_a_clock_step() {
        assert_eq!(order(&[0, 100, 0]), (vec![1, 3, 2], 1));
        assert_eq!(order(&[0, 101, 0]), (vec![1, 2, 3], 1));
    }

    #[test]
    fn nothing_moves_across_a_clock_step() {
        // The clock goes back from 5000 to 1000; then 990 is a little late and 4999 is plainly later.
        assert_eq!(order(&[4_990, 5_000, 1_000, 990, 4_999]), (vec![1, 2, 4, 3, 5], 2));
    }

    #[test]
    fn a_frame_later_than_the_look_ahead_comes_when_it_comes() {
        let mut stamps: Vec<i64> = (0..40).map(|n| n + 1).collect();
        stamps.push(0);
        let (out, disorder) = order(&stamps);
        assert_eq!(disorder, 1);
        assert_eq!(out.iter().position(|&number| number == 41), Some(25));
    }

    /// One frame at a time, as the module says it, without any haste: numbers in the order they come out.
    fn plainly(frames: &[Held], end: u64) -> Vec<u64> {
        let (mut held, mut floor, mut out) = (Vec::<Held>::new(), 0, Vec::new());
        let mut rest = frames.iter().peekable();
        loop {
            while held.len() < FRAMES_AHEAD {
                let far = rest.peek().map_or(end, |next| next.offset);
                let oldest = held.iter().map(|held| held.offset).min();
                if oldest.is_some_and(|oldest| far - oldest >= BYTES_AHEAD) {
                    break;
                }
                let Some(next) = rest.next() else { break };
                let mut place = held.len();
                if held.last().is_some_and(|last| last.at.since(next.at) > MOST_DISORDER) {
                    floor = place;
                }
                while place > floor && held[place - 1].at > next.at {
                    place -= 1;
                }
                held.insert(place, *next);
            }
            if held.is_empty() {
                return out;
            }
            out.push(held.remove(0).number);
            floor = floor.saturating_sub(1);
        }
    }

    proptest! {
        /// However many are read at a time.
        #[test]
        fn in_batches_the_order_is_that_of_one_at_a_time(
            steps in prop::collection::vec((prop_oneof![6 => 0..5_i64, 3 => -60..60_i64, 1 => -300..300_i64],
                prop_oneof![6 => 60..1_500_u32, 1 => 20_000..200_000_u32]), 0..300),
            batches in prop::collection::vec(1..BATCH, 1..20),
        ) {
            let (mut at, mut offset) = (Timestamp::from_secs_nanos(1_000, 0), 24);
            let mut frames = Vec::new();
            for (number, &(step, len)) in (1..).zip(&steps) {
                at = at + Span::from_millis(step);
                frames.push(Held { offset: offset + 16, len, wire_len: len, at, number, link: LinkType(1) });
                offset += 16 + u64::from(len);
            }
            let mut ahead = LookAhead::new();
            let (mut rest, mut sizes) = (frames.iter().copied(), batches.iter().cycle());
            let mut cursor = 24;
            let mut out = Vec::new();
            loop {
                while ahead.wants_more(cursor) {
                    ahead.make_room();
                    let batch: Vec<Held> = rest.by_ref().take(*sizes.next().unwrap()).collect();
                    let Some(last) = batch.last() else { break };
                    cursor = last.offset + u64::from(last.len);
                    batch.into_iter().for_each(|frame| ahead.push(frame));
                    ahead.run_on();
                }
                match ahead.pop() {
                    Some(frame) => out.push(frame.number),
                    None => break,
                }
            }
            prop_assert_eq!(out, plainly(&frames, offset));
        }
    }
}
