//! Several captures as one: in order of their first stamps, opened when their time has come, merged where they overlap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::path::{Path, PathBuf};

use super::frame::{CaptureInfo, Frame, FrameSource};
use super::input::{Input, OpenOptions};
use super::reader::Reader;
use super::window::USUAL_BYTES;
use crate::error::CaptureError;
use crate::units::Timestamp;

/// Window of a file that is opened for its first stamp only, or that is one of many open at once.
const SMALL_WINDOW: usize = 32 << 10;

/// Files open at once above which windows are small.
const MANY_OPEN: usize = 16;

/// Frames of several captures in order of time, as [`open_many`] gives them.
///
/// A file that breaks off does not end the others: [`FrameSource::next_frame`] gives its error after the last frame of
/// all files, one call for each such file, and `None` after those.
pub struct Files {
    options: OpenOptions,
    paths: Vec<PathBuf>,
    /// Files whose time has not come, the next one first.
    waiting: VecDeque<Waiting>,
    /// Open files beside the current one, by the stamp of their next frame, then by place.
    open: BinaryHeap<Reverse<Queued>>,
    current: Option<(Timestamp, Box<Reader>)>,
    /// What is known from files that were read to their end.
    finished: CaptureInfo,
    finished_bytes: u64,
    errors: VecDeque<CaptureError>,
    total_bytes: Option<u64>,
}

/// A file of which only the first stamp is known.
struct Waiting {
    path: PathBuf,
    file: u32,
    /// `None` where it has no frame: it comes last, for its header or its error.
    first: Option<Timestamp>,
    size: Option<u64>,
    kept: Kept,
}

/// What was kept of the look at a file.
enum Kept {
    /// Nothing: it is opened again.
    Closed,
    /// A reader, since what it reads cannot be read twice.
    Open(Box<Reader>),
    /// It could not be read at all.
    Broken(CaptureError),
}

/// An open file that waits for its turn.
struct Queued {
    at: Timestamp,
    file: u32,
    reader: Box<Reader>,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.file) == (other.at, other.file)
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.file).cmp(&(other.at, other.file))
    }
}

/// Opens captures as one. Each is looked at for its first stamp and closed again unless it is the only one (or no
/// regular file); it is opened when the frames before its first have been yielded.
///
/// # Errors
/// If one of them cannot be opened, is no capture, or is of a compression that this build does not read: before
/// anything is yielded. What is found wrong later, and files that are empty or end inside their header, are told after
/// the frames of all files, see [`Files`].
pub fn open_many<P: AsRef<Path>>(paths: &[P], options: &OpenOptions) -> Result<Files, CaptureError> {
    let mut waiting = Vec::with_capacity(paths.len());
    for path in paths {
        waiting.push(look(path.as_ref(), options, paths.len() == 1)?);
    }
    // Stable: files that begin at the same time stay as they were given.
    waiting.sort_by_key(|file| (file.first.is_none(), file.first));
    for (file, number) in waiting.iter_mut().zip(0..) {
        file.file = number;
    }
    Ok(Files {
        options: options.clone(),
        paths: waiting.iter().map(|file| file.path.clone()).collect(),
        total_bytes: waiting.iter().map(|file| file.size).sum(),
        waiting: waiting.into(),
        open: BinaryHeap::new(),
        current: None,
        finished: CaptureInfo::default(),
        finished_bytes: 0,
        errors: VecDeque::new(),
    })
}

/// Looks at a file for its first stamp.
fn look(path: &Path, options: &OpenOptions, only: bool) -> Result<Waiting, CaptureError> {
    let input = Input::open(path, options)?;
    let size = input.size;
    let keep = only || size.is_none();
    let (first, kept) = match Reader::new(input, options, if keep { USUAL_BYTES } else { SMALL_WINDOW }) {
        Ok(mut reader) => {
            let first = reader.head();
            (first, if keep { Kept::Open(Box::new(reader)) } else { Kept::Closed })
        }
        Err(error @ (CaptureError::Empty { .. } | CaptureError::Compression { .. })) => {
            (None, Kept::Broken(error))
        }
        Err(error) => return Err(error),
    };
    Ok(Waiting { path: path.to_owned(), file: 0, first, size, kept })
}

impl Files {
    /// The files in the order that [`Frame::file`] counts.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Bytes of all files as they are stored; `None` where one is no regular file.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// Errors of files that broke off, which [`FrameSource::next_frame`] has not given yet.
    pub fn take_errors(&mut self) -> Vec<CaptureError> {
        self.errors.drain(..).collect()
    }

    /// Whether the only file has frames read ahead, as it nearly always has.
    #[inline]
    fn goes_on(&self) -> bool {
        self.current.as_ref().is_some_and(|(_, reader)| reader.is_ahead())
            && self.waiting.is_empty()
            && self.open.is_empty()
    }

    /// Makes the file current that has the next frame, and has it read ahead; `false` at the end of all.
    fn choose(&mut self) -> bool {
        if let Some((at, reader)) = &mut self.current {
            match reader.head() {
                // Most runs have one file.
                Some(_) if self.waiting.is_empty() && self.open.is_empty() => return true,
                Some(head) => *at = head,
                None => self.finish(),
            }
        }
        loop {
            let next = self.current.as_ref().map(|(at, reader)| (*at, reader.file()));
            let queued = self.open.peek().map(|Reverse(queued)| (queued.at, queued.file));
            let earliest = next.into_iter().chain(queued).min();
            let due = self.waiting.front().is_some_and(|file| match (file.first, earliest) {
                (Some(first), Some((at, _))) => first < at,
                (None, Some(_)) => false,
                (_, None) => true,
            });
            if due {
                self.open_next();
                continue;
            }
            if queued.is_some() && earliest == queued {
                let Reverse(queued) = self.open.pop().expect("it was peeked at");
                if let Some((at, reader)) = self.current.replace((queued.at, queued.reader)) {
                    self.open.push(Reverse(Queued { at, file: reader.file(), reader }));
                }
            }
            return earliest.is_some();
        }
    }

    /// Opens the file whose turn it is and queues it, or notes why that failed.
    fn open_next(&mut self) {
        let Some(waiting) = self.waiting.pop_front() else { return };
        let window = if self.open.len() < MANY_OPEN { USUAL_BYTES } else { SMALL_WINDOW };
        let reader = match waiting.kept {
            Kept::Open(reader) => Ok(reader),
            Kept::Broken(error) => Err(error),
            Kept::Closed => Input::open(&waiting.path, &self.options)
                .and_then(|input| Reader::new(input, &self.options, window))
                .map(Box::new),
        };
        match reader {
            Ok(mut reader) => {
                reader.set_file(waiting.file);
                match reader.head() {
                    Some(at) => self.open.push(Reverse(Queued { at, file: waiting.file, reader })),
                    None => self.close(*reader),
                }
            }
            Err(error) => self.errors.push_back(error),
        }
    }

    fn finish(&mut self) {
        if let Some((_, reader)) = self.current.take() {
            self.close(*reader);
        }
    }

    /// Keeps what is known of a file that was read to its end.
    fn close(&mut self, mut reader: Reader) {
        if let Err(error) = reader.next_frame() {
            self.errors.push_back(error);
        }
        self.finished.add(reader.info());
        self.finished_bytes += reader.bytes_read();
    }

    fn readers(&self) -> impl Iterator<Item = &Reader> {
        let queued = self.open.iter().map(|Reverse(queued)| &*queued.reader);
        self.current.iter().map(|(_, reader)| &**reader).chain(queued)
    }
}

impl FrameSource for Files {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        if !self.goes_on() && !self.choose() {
            return self.errors.pop_front().map_or(Ok(None), Err);
        }
        match &mut self.current {
            Some((_, reader)) => reader.take_frame(),
            None => Ok(None),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.finished_bytes + self.readers().map(Reader::bytes_read).sum::<u64>()
    }

    fn info(&self) -> CaptureInfo {
        let mut info = self.finished.clone();
        self.readers().for_each(|reader| info.add(reader.info()));
        info
    }
}
