//! The stretch of the decompressed capture that is in memory: parsers look at it, frames are lent from it.
//!
//! Nothing is copied out of it. What is still to be lent is told to [`Window::fill`], which moves it to the front
//! before it reads on: once per window, not per frame.

use std::io::{self, ErrorKind, Read};

/// Bytes of a window; it grows only where one record is bigger.
pub(super) const USUAL_BYTES: usize = 512 << 10;

/// A refilling buffer over a byte stream, with a cursor at the next record.
pub(super) struct Window {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// Offset of `bytes[0]` in the stream.
    base: u64,
    /// Index of the next record in `bytes`.
    cursor: usize,
    /// Index behind the last byte read.
    end: usize,
    ended: bool,
}

impl Window {
    pub(super) fn new(source: Box<dyn Read + Send>, capacity: usize) -> Self {
        Self { source, bytes: vec![0; capacity.max(16)], base: 0, cursor: 0, end: 0, ended: false }
    }

    /// What is in memory from the cursor on.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.bytes[self.cursor..self.end]
    }

    /// Offset of the cursor in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.cursor as u64
    }

    /// Bytes of the stream read so far.
    pub(super) fn read(&self) -> u64 {
        self.base + self.end as u64
    }

    /// Moves the cursor over `count` bytes that are in memory.
    pub(super) fn pass(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.cursor);
        self.cursor = (self.cursor + count).min(self.end);
    }

    /// The bytes at an offset that every `fill` since was told to keep.
    pub(super) fn lend(&self, offset: u64, len: u32) -> &[u8] {
        let start = usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX);
        self.bytes.get(start..start.saturating_add(len as usize)).unwrap_or_default()
    }

    /// Reads until `need` bytes stand ahead of the cursor, keeping those from the stream offset `keep` on.
    /// `false` if the stream ends before.
    pub(super) fn fill(&mut self, need: usize, keep: u64) -> io::Result<bool> {
        while self.end - self.cursor < need {
            if self.ended {
                return Ok(false);
            }
            if self.end == self.bytes.len() {
                self.make_room(keep);
            }
            self.read_some()?;
        }
        Ok(true)
    }

    /// Moves the cursor over `count` bytes without keeping any, nor what is before. `false` if the stream ends before.
    pub(super) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        loop {
            let here = (self.end - self.cursor).min(usize::try_from(count).unwrap_or(usize::MAX));
            self.cursor += here;
            count -= here as u64;
            if count == 0 {
                return Ok(true);
            }
            if self.ended {
                return Ok(false);
            }
            self.base += self.end as u64;
            (self.cursor, self.end) = (0, 0);
            self.read_some()?;
        }
    }

    /// Moves what is kept to the front; doubles the window if that leaves less than half of it free, so that the
    /// moves cost no more than the reads. It thus grows with the bytes that came, not with a length that was claimed.
    fn make_room(&mut self, keep: u64) {
        let keep = usize::try_from(keep.saturating_sub(self.base)).unwrap_or(usize::MAX).min(self.cursor);
        self.bytes.copy_within(keep..self.end, 0);
        self.base += keep as u64;
        self.cursor -= keep;
        self.end -= keep;
        if self.end > self.bytes.len() / 2 {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
    }

    fn read_some(&mut self) -> io::Result<()> {
        loop {
            match self.source.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one to seven bytes at a time.
    struct Drip(Vec<u8>, usize);

    impl Read for Drip {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let count = (self.1 % 7 + 1).min(buf.len()).min(self.0.len() - self.1);
            buf[..count].copy_from_slice(&self.0[self.1..self.1 + count]);
            self.1 += count;
            Ok(count)
        }
    }

    #[test]
    fn kept_bytes_stay_lendable_while_the_window_moves_on() {
        let stream: Vec<u8> = (0..=255).cycle().take(5_000).map(|b: u8| b ^ 0x5a).collect();
        let mut window = Window::new(Box::new(Drip(stream.clone(), 0)), 64);
        let mut at = 0_u64;
        while window.fill(20, at.saturating_sub(30)).unwrap() {
            window.pass(20);
            at += 20;
            let from = at.saturating_sub(30);
            let index = usize::try_from(from).unwrap();
            assert_eq!(window.lend(from, 20), &stream[index..index + 20]);
        }
        assert_eq!((at, window.offset()), (5_000, 5_000));
        assert!(window.bytes.len() <= 256, "{}", window.bytes.len());
    }

    #[test]
    fn skipping_keeps_count_and_does_not_grow() {
        let mut window = Window::new(Box::new(io::repeat(7).take(1_000_000)), 64);
        assert!(window.skip(999_990).unwrap());
        assert_eq!((window.offset(), window.bytes.len()), (999_990, 64));
        assert!(window.fill(10, window.offset()).unwrap());
        assert!(!window.skip(11).unwrap());
    }
}
