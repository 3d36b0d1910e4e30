//! A thread that reads ahead: so that decompression goes on beside the analysis, and so that one who waits for the next bytes
//! of a pipe can be told to stop.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes of a chunk, and how many may wait.
const CHUNK: usize = 128 << 10;
const CHUNKS: usize = 4;

/// How often one who waits looks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Asks whoever reads to take what has come for all there is.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on there is nothing more to read.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_asked()).finish()
    }
}

/// What another thread has read.
pub(super) struct Ahead {
    full: Receiver<io::Result<Vec<u8>>>,
    empty: SyncSender<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
    stop: Option<Stop>,
    ended: bool,
}

impl Ahead {
    /// Has a thread read `source`. Fails where the system gives none.
    pub(super) fn start(source: Box<dyn Read + Send>, stop: Option<Stop>) -> io::Result<Self> {
        let (filled, full) = sync_channel(CHUNKS);
        let (empty, emptied) = sync_channel(CHUNKS + 1);
        thread::Builder::new().name("read ahead".to_owned()).spawn(move || run(source, &filled, &emptied))?;
        Ok(Self { full, empty, chunk: Vec::new(), at: 0, stop, ended: false })
    }

    /// The next chunk; `None` at the end.
    fn next(&self) -> Option<io::Result<Vec<u8>>> {
        let Some(stop) = &self.stop else { return self.full.recv().ok() };
        loop {
            if stop.is_asked() {
                return None;
            }
            match self.full.recv_timeout(LOOK_EVERY) {
                Ok(chunk) => return Some(chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

fn run(
    mut source: Box<dyn Read + Send>,
    filled: &SyncSender<io::Result<Vec<u8>>>,
    emptied: &Receiver<Vec<u8>>,
) {
    loop {
        let mut chunk = emptied.try_recv().unwrap_or_default();
        chunk.resize(CHUNK, 0);
        let read = match source.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                chunk.truncate(count);
                Ok(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = read.is_err();
        if filled.send(read).is_err() || failed {
            return;
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() && !self.ended {
            match self.next() {
                Some(Ok(chunk)) => {
                    // Whether it is used again is the thread's affair.
                    _ = self.empty.try_send(std::mem::replace(&mut self.chunk, chunk));
                    self.at = 0;
                }
                Some(Err(error)) => {
                    self.ended = true;
                    return Err(error);
                }
                None => self.ended = true,
            }
        }
        let count = buf.len().min(self.chunk.len() - self.at);
        buf[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes a few at a time, then fails or goes on for ever.
    struct Source {
        left: usize,
        then: fn() -> io::Result<usize>,
    }

    impl Read for Source {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                return (self.then)();
            }
            let count = self.left.min(buf.len()).min(70_000);
            for (at, byte) in buf[..count].iter_mut().enumerate() {
                *byte = u8::try_from((self.left - at) % 251).unwrap();
            }
            self.left -= count;
            Ok(count)
        }
    }

    fn expected(len: usize) -> Vec<u8> {
        (1..=len).rev().map(|left| u8::try_from(left % 251).unwrap()).collect()
    }

    #[test]
    fn the_same_bytes_come_through_and_then_the_end() {
        let mut ahead = Ahead::start(Box::new(Source { left: 1_000_000, then: || Ok(0) }), None).unwrap();
        let mut bytes = Vec::new();
        ahead.read_to_end(&mut bytes).unwrap();
        assert!(bytes == expected(1_000_000));
        assert_eq!(ahead.read(&mut [0; 10]).unwrap(), 0);
    }

    #[test]
    fn an_error_comes_after_the_bytes_before_it() {
        let then = || Err(io::Error::other("the disk is gone"));
        let mut ahead = Ahead::start(Box::new(Source { left: 200_000, then }), None).unwrap();
        let mut bytes = Vec::new();
        assert_eq!(ahead.read_to_end(&mut bytes).unwrap_err().to_string(), "the disk is gone");
        assert!(bytes == expected(200_000));
    }

    #[test]
    fn one_who_waits_can_be_told_to_stop() {
        let then = || loop {
            thread::sleep(LOOK_EVERY);
        };
        let stop = Stop::default();
        let mut ahead = Ahead::start(Box::new(Source { left: 10, then }), Some(stop.clone())).unwrap();
        let mut bytes = [0; 10];
        ahead.read_exact(&mut bytes).unwrap();
        stop.ask();
        assert_eq!(ahead.read(&mut bytes).unwrap(), 0, "nothing more, though the source is silent");
    }
}
