//! Puts frames in order of time that stand a little out of it, as several capture threads or queues leave them.
//!
//! What is held are descriptions of frames whose bytes stay in the window. Where a file is in order, as nearly all
//! are, a frame costs one push and one pop.

use std::collections::VecDeque;

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

/// The frames read and not yet yielded, the next one first.
#[derive(Debug)]
pub(super) struct LookAhead {
    held: VecDeque<Held>,
    /// Frames from here on were stamped after the clock was last set back: none may be moved before it.
    floor: usize,
    /// Smallest offset in `held`.
    oldest: u64,
    last: Timestamp,
    disorder: u64,
}

impl LookAhead {
    pub(super) fn new() -> Self {
        let held = VecDeque::with_capacity(FRAMES_AHEAD);
        Self { held, floor: 0, oldest: 0, last: Timestamp::MIN, disorder: 0 }
    }

    /// Whether another record should be read, the cursor of the window being at `offset`.
    pub(super) fn wants_more(&self, offset: u64) -> bool {
        self.held.is_empty()
            || (self.held.len() < FRAMES_AHEAD && offset.saturating_sub(self.oldest) < BYTES_AHEAD)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Stamp of the frame that is next.
    pub(super) fn head(&self) -> Option<Timestamp> {
        self.held.front().map(|held| held.at)
    }

    /// The offset from which on the window must keep its bytes, its cursor being at `offset`.
    pub(super) fn keep_from(&self, offset: u64) -> u64 {
        if self.held.is_empty() { offset } else { self.oldest }
    }

    /// Frames so far that were stamped before the frame before them.
    pub(super) fn disorder(&self) -> u64 {
        self.disorder
    }

    /// Takes the next frame of the file.
    pub(super) fn push(&mut self, frame: Held) {
        if frame.at < self.last {
            self.disorder += 1;
        }
        self.last = frame.at;
        let Some(latest) = self.held.back() else {
            self.oldest = frame.offset;
            self.floor = 0;
            self.held.push_back(frame);
            return;
        };
        if frame.at >= latest.at {
            self.held.push_back(frame);
        } else if latest.at.since(frame.at) > MOST_DISORDER {
            self.floor = self.held.len();
            self.held.push_back(frame);
        } else {
            let mut place = self.held.len();
            while place > self.floor && self.held[place - 1].at > frame.at {
                place -= 1;
            }
            self.held.insert(place, frame);
        }
    }

    /// The next frame in order of time; frames of one stamp in the order of the file.
    pub(super) fn pop(&mut self) -> Option<Held> {
        let frame = self.held.pop_front()?;
        self.floor = self.floor.saturating_sub(1);
        if frame.offset == self.oldest {
            self.oldest = match self.held.front() {
                Some(next) if next.number == frame.number + 1 => next.offset,
                _ => self.held.iter().map(|held| held.offset).min().unwrap_or(frame.offset),
            };
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the frames in the order they come out, for stamps in milliseconds, and the disorder counted.
    fn order(stamps: &[i64]) -> (Vec<u64>, u64) {
        let mut ahead = LookAhead::new();
        let mut out = Vec::new();
        let mut stamps = stamps.iter().zip(1_u64..);
        loop {
            while ahead.wants_more(0) {
                let Some((&stamp, number)) = stamps.next() else { break };
                let at = Timestamp::from_nanos(stamp * 1_000_000);
                ahead.push(Held {
                    offset: number * 100,
                    len: 60,
                    wire_len: 60,
                    at,
                    number,
                    link: LinkType(1),
                });
                let oldest = ahead.held.iter().map(|held| held.offset).min();
                assert_eq!(oldest, Some(ahead.oldest));
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
}
