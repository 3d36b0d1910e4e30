//! Where bytes come from: files, standard input, any reader; and how many have come, for a progress bar.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::ahead::{Ahead, Stop};
use crate::error::CaptureError;

/// Opens what is no file of this machine.
pub trait Opener: fmt::Debug + Send + Sync {
    /// The content of what has that name instead of a path, from its first byte, and its size; `None` where the name is a path.
    fn open(&self, name: &str) -> Option<io::Result<(Box<dyn Read + Send>, u64)>>;
}

/// How captures are opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Decompressed bytes of one file after which reading it stops with [`CaptureError::TooMuch`]. Memory is bounded
    /// without it; it bounds the time that a decompression bomb takes. `None` for no bound.
    pub max_expand: Option<u64>,
    /// Decompress in a thread of its own.
    pub ahead: bool,
    /// Ends standard input when it is asked, also while that is silent.
    pub stop: Option<Stop>,
    /// Asked before the file system.
    pub opener: Option<Arc<dyn Opener>>,
}

/// What the reading end has seen of the bytes as they are stored.
#[derive(Debug, Default)]
pub(super) struct Progress {
    read: AtomicU64,
    failed: AtomicBool,
}

impl Progress {
    /// Stored bytes read.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether it was the system that failed, not what makes sense of the bytes.
    pub(super) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Counts what is read through it.
struct Counted {
    source: Box<dyn Read + Send>,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buf) {
            Ok(count) => {
                self.progress.read.fetch_add(count as u64, Ordering::Relaxed);
                Ok(count)
            }
            Err(error) => {
                if error.kind() != ErrorKind::Interrupted {
                    self.progress.failed.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }
}

/// An opened input of which nothing was read.
pub(super) struct Input {
    /// As errors name it.
    pub(super) name: String,
    pub(super) source: Box<dyn Read + Send>,
    pub(super) progress: Arc<Progress>,
    /// Bytes of it, where it is a regular file or an [`Opener`]'s: one that can be opened again and read from the beginning.
    pub(super) size: Option<u64>,
}

impl Input {
    pub(super) fn new(name: &str, source: Box<dyn Read + Send>, size: Option<u64>) -> Self {
        let progress = Arc::new(Progress::default());
        let source = Box::new(Counted { source, progress: Arc::clone(&progress) });
        Self { name: name.to_owned(), source, progress, size }
    }

    /// Opens a file, or standard input for "-".
    pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Self, CaptureError> {
        if path.as_os_str() == "-" {
            let name = "standard input";
            let source: Box<dyn Read + Send> = match &options.stop {
                None => Box::new(io::stdin()),
                Some(stop) => Box::new(
                    Ahead::start(Box::new(io::stdin()), Some(stop.clone()))
                        .map_err(|source| CaptureError::Io { path: name.to_owned(), source })?,
                ),
            };
            return Ok(Self::new(name, source, None));
        }
        let name = path.display().to_string();
        if let Some(opened) = options.opener.as_ref().and_then(|opener| opener.open(&name)) {
            return match opened {
                Ok((source, size)) => Ok(Self::new(&name, source, Some(size))),
                Err(source) => Err(CaptureError::Io { path: name, source }),
            };
        }
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        match opened {
            Ok((data, file)) => Ok(Self::new(&name, Box::new(file), data.is_file().then_some(data.len()))),
            Err(source) => Err(CaptureError::Io { path: name, source }),
        }
    }
}
