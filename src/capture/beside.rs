//! Frames that another thread reads and puts in order, while this one takes them in.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::files::Files;
use super::frame::{CaptureInfo, Frame, FrameSource, LinkType};
use crate::error::CaptureError;
use crate::units::Timestamp;

/// Frames of a batch, and bytes in it, with which it is full: what two processors hand to each other without waiting for memory.
const FRAMES: usize = if cfg!(test) { 5 } else { 512 };
const BYTES: usize = 128 << 10;

/// Batches that may wait.
const BATCHES: usize = 4;

/// Of so many batches one tells what is known of the capture so far: for those who stop early.
const TOLD_EVERY: u64 = 32;

/// A frame whose bytes stand in its batch, up to `end`.
#[derive(Clone, Copy, Debug)]
struct Held {
    number: u64,
    file: u32,
    at: Timestamp,
    link: LinkType,
    wire_len: u32,
    end: usize,
}

/// Frames that are handed over together.
#[derive(Debug, Default)]
struct Batch {
    frames: Vec<Held>,
    bytes: Vec<u8>,
    /// What is known of the capture behind them.
    info: Option<CaptureInfo>,
    bytes_read: u64,
    /// Nothing follows but this error.
    over: bool,
    error: Option<CaptureError>,
}

/// The frames as they come.
struct Beside {
    full: Receiver<Batch>,
    spent: SyncSender<Batch>,
    batch: Batch,
    /// The next frame of the batch, and where its bytes begin.
    next: usize,
    start: usize,
    /// What is known of the capture; counts are of the frames yielded, of which the thread has read more.
    info: CaptureInfo,
}

/// Gives `take` the frames of `files`, which another thread reads meanwhile. After an error the errors of other files stay with
/// `files`.
pub fn read_beside<'a, R>(files: &'a mut Files, take: impl FnOnce(&mut dyn FrameSource) -> R) -> R {
    let (filled, full) = sync_channel(BATCHES);
    let (spent, emptied) = sync_channel(BATCHES + 1);
    let (give, given) = sync_channel::<&'a mut Files>(1);
    thread::scope(|scope| {
        let reading = thread::Builder::new().name("read".to_owned()).spawn_scoped(scope, move || {
            if let Ok(files) = given.recv() {
                read(files, &filled, &emptied);
            }
        });
        // Where the system gives no thread this one reads.
        let Ok(reading) = reading else { return take(files) };
        // The thread waits for it.
        _ = give.send(files);
        let mut frames =
            Beside { full, spent, batch: Batch::default(), next: 0, start: 0, info: CaptureInfo::default() };
        let taken = take(&mut frames);
        // Whoever has had enough hangs up, and the thread ends with the batch that it is at.
        drop(frames);
        match reading.join() {
            Ok(()) => taken,
            Err(panic) => resume_unwind(panic),
        }
    })
}

fn read(files: &mut Files, filled: &SyncSender<Batch>, emptied: &Receiver<Batch>) {
    for number in 0_u64.. {
        let mut batch = emptied.try_recv().unwrap_or_default();
        batch.fill(files);
        let over = batch.over;
        batch.info = (over || number.is_multiple_of(TOLD_EVERY)).then(|| files.info());
        if filled.send(batch).is_err() || over {
            return;
        }
    }
}

impl Batch {
    fn fill(&mut self, files: &mut Files) {
        self.frames.clear();
        self.bytes.clear();
        while self.frames.len() < FRAMES && self.bytes.len() < BYTES && !self.over {
            match files.next_frame() {
                Ok(Some(frame)) => {
                    self.bytes.extend_from_slice(frame.data);
                    let Frame { number, file, at, link, wire_len, .. } = frame;
                    self.frames.push(Held { number, file, at, link, wire_len, end: self.bytes.len() });
                }
                Ok(None) => self.over = true,
                Err(error) => (self.over, self.error) = (true, Some(error)),
            }
        }
        self.bytes_read = files.bytes_read();
    }
}

impl Beside {
    /// Has a frame in the batch, unless there are no more.
    #[inline]
    fn refill(&mut self) {
        while self.next == self.batch.frames.len() && !self.batch.over {
            let Ok(mut next) = self.full.recv() else {
                // The thread has panicked, which is passed on when it is waited for.
                self.batch.over = true;
                return;
            };
            if let Some(known) = next.info.take() {
                let CaptureInfo { frames, captured_bytes, wire_bytes, cut_frames, .. } = self.info;
                self.info = CaptureInfo { frames, captured_bytes, wire_bytes, cut_frames, ..known };
            }
            // Whether it is used again is the thread's affair.
            _ = self.spent.try_send(std::mem::replace(&mut self.batch, next));
            (self.next, self.start) = (0, 0);
        }
    }
}

impl FrameSource for Beside {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        self.refill();
        let Some(&Held { number, file, at, link, wire_len, end }) = self.batch.frames.get(self.next) else {
            return self.batch.error.take().map_or(Ok(None), Err);
        };
        let data = &self.batch.bytes[self.start..end];
        (self.next, self.start) = (self.next + 1, end);
        self.info.frames += 1;
        self.info.captured_bytes += data.len() as u64;
        self.info.wire_bytes += u64::from(wire_len);
        self.info.cut_frames += u64::from(data.len() < wire_len as usize);
        Ok(Some(Frame { number, file, at, link, wire_len, data }))
    }

    fn bytes_read(&self) -> u64 {
        self.batch.bytes_read
    }

    fn info(&self) -> CaptureInfo {
        self.info.clone()
    }
}
