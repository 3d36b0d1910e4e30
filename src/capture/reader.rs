//! One capture: its bytes found, decompressed, parsed and put in order.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use super::ahead::Ahead;
use super::compression::{COMPRESSIONS, Compression, LOOK, Limited, TooMuch};
use super::format::{FORMATS, Fault, Format, Parser, Run, Step};
use super::frame::{CaptureInfo, Frame, FrameSource, LinkType};
use super::guess;
use super::input::{Input, OpenOptions, Progress};
use super::order::{BATCH, BYTES_AHEAD, LookAhead};
use super::window::{USUAL_BYTES, Window};
use crate::error::CaptureError;
use crate::units::Timestamp;

/// Frames of one capture in order of time.
pub struct Reader {
    name: String,
    file: u32,
    size: Option<u64>,
    progress: Arc<Progress>,
    compression: Option<&'static str>,
    window: Window,
    parser: Box<dyn Parser>,
    order: LookAhead,
    info: CaptureInfo,
    /// Frames parsed; those yielded are in `info`.
    frames: u64,
    last_link: Option<LinkType>,
    done: bool,
    error: Option<CaptureError>,
}

/// What one step of the parser gave.
enum Stepped {
    /// A frame.
    Frame,
    /// Something else, or the end.
    Other,
    /// Nothing, before the frames held are yielded.
    Not,
}

/// Opens one capture; "-" is standard input. Format and compression are told by the first bytes, never by the name.
///
/// # Errors
/// If the file cannot be opened, is empty, or is no capture that this build reads.
pub fn open(path: impl AsRef<Path>) -> Result<Reader, CaptureError> {
    open_with(path, &OpenOptions::default())
}

/// As [`open`], with options.
pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Reader, CaptureError> {
    Reader::new(Input::open(path.as_ref(), options)?, options, USUAL_BYTES)
}

/// Whether a file is a capture, also one that is broken or that this build cannot decompress; told by its first bytes.
pub fn is_capture(path: impl AsRef<Path>) -> bool {
    Input::open(path.as_ref(), &OpenOptions::default()).is_ok_and(is_one)
}

/// As [`is_capture`], of anything that is read from its first byte.
pub fn is_capture_in(name: &str, source: Box<dyn Read + Send>) -> bool {
    is_one(Input::new(name, source, None))
}

fn is_one(input: Input) -> bool {
    /// Enough for the first look at a file.
    const SMALL_WINDOW: usize = 4 << 10;
    let opened = Reader::new(input, &OpenOptions::default(), SMALL_WINDOW);
    !matches!(
        opened,
        Err(CaptureError::Io { .. } | CaptureError::NotACapture { .. } | CaptureError::Empty { .. })
    )
}

/// Reads a capture from anything; `name` is for errors. It is read in pieces of up to half a megabyte, so needs no
/// buffer of its own.
///
/// # Errors
/// As [`open`].
pub fn from_reader(name: &str, source: Box<dyn Read + Send>) -> Result<Reader, CaptureError> {
    Reader::new(Input::new(name, source, None), &OpenOptions::default(), USUAL_BYTES)
}

impl Reader {
    /// Finds out what `input` is; its window begins with `capacity` bytes.
    pub(super) fn new(input: Input, options: &OpenOptions, capacity: usize) -> Result<Self, CaptureError> {
        let Input { name, mut source, progress, size } = input;
        let mut layers: Vec<&'static Compression> = Vec::new();
        let plain = loop {
            let mut head = [0; LOOK];
            let filled = read_full(&mut source, &mut head);
            let outer = layers.first().map(|layer| layer.name);
            let count =
                filled.map_err(|error| explain(&name, Fault::Io(error), outer, &progress, 0, 0, 0))?;
            let whole = Box::new(Cursor::new(head).take(count as u64).chain(source));
            let found = COMPRESSIONS.iter().find(|row| (row.is)(&head[..count]));
            let Some(layer) = found.filter(|row| layers.iter().all(|layer| layer.name != row.name)) else {
                break whole;
            };
            let open_stream = layer
                .decoder
                .ok_or_else(|| CaptureError::Unsupported { path: name.clone(), compression: layer.name })?;
            let decoded = open_stream(Box::new(BufReader::with_capacity(64 << 10, whole)))
                .map_err(|error| explain(&name, Fault::Io(error), Some(layer.name), &progress, 0, 0, 0))?;
            source = match options.max_expand {
                Some(limit) => Box::new(Limited { source: decoded, left: limit, limit }),
                None => decoded,
            };
            layers.push(layer);
        };
        let compression = layers.first().map(|layer| layer.name);
        // One that is only looked at is not worth a thread.
        let plain: Box<dyn Read + Send> = if options.ahead && compression.is_some() && capacity >= USUAL_BYTES
        {
            Box::new(
                Ahead::start(plain, options.stop.clone())
                    .map_err(|source| CaptureError::Io { path: name.clone(), source })?,
            )
        } else {
            plain
        };
        let mut window = Window::new(plain, capacity);
        let format = find_format(&mut window, &name, &layers).map_err(|fault| {
            fault.unwrap_or_else(|fault| explain(&name, fault, compression, &progress, 0, 0, 0))
        })?;
        let names: Vec<&str> = layers.iter().rev().map(|layer| layer.name).collect();
        let info = CaptureInfo {
            format: format.name.to_owned(),
            compression: (!names.is_empty()).then(|| names.join(" in ")),
            ..CaptureInfo::default()
        };
        let parser = (format.parser)(window.ahead());
        Ok(Self {
            name,
            file: 0,
            size,
            progress,
            compression,
            window,
            parser,
            order: LookAhead::new(),
            info,
            frames: 0,
            last_link: None,
            done: false,
            error: None,
        })
    }

    /// Bytes of the file as it is stored; `None` where it is no regular file.
    pub fn total_bytes(&self) -> Option<u64> {
        self.size
    }

    /// The place that its frames name as theirs.
    pub(super) fn set_file(&mut self, file: u32) {
        self.file = file;
    }

    pub(super) fn file(&self) -> u32 {
        self.file
    }

    /// Stamp of the next frame; `None` at the end or before an error.
    pub(super) fn head(&mut self) -> Option<Timestamp> {
        self.read_ahead();
        self.order.head()
    }

    /// Whether [`Self::head`] has nothing to do.
    #[inline]
    pub(super) const fn is_ahead(&self) -> bool {
        self.order.is_ahead()
    }

    #[inline]
    fn read_ahead(&mut self) {
        while self.order.wants_more(self.window.offset()) && !self.done {
            if !self.read_batch() {
                self.order.wants_more(self.window.offset());
                return;
            }
        }
    }

    /// Reads what stands in the window, and what else is needed for one frame. `false` if the frames held must be yielded
    /// first, since what follows is too big to be kept beside them.
    fn read_batch(&mut self) -> bool {
        self.order.make_room();
        if self.take_plain() {
            return true;
        }
        for _ in 0..BATCH {
            let start = self.window.offset();
            match self.step() {
                Ok(Stepped::Frame) => {}
                Ok(Stepped::Other) => return true,
                Ok(Stepped::Not) => return false,
                Err(fault) => {
                    let (compression, read) = (self.compression, self.window.read());
                    let error =
                        explain(&self.name, fault, compression, &self.progress, start, read, self.frames);
                    self.error = Some(error);
                    self.done = true;
                    return true;
                }
            }
        }
        true
    }

    /// Takes the frames that are told at a glance; whether there were any.
    fn take_plain(&mut self) -> bool {
        let start = self.window.offset();
        let mut run = Run::new(&mut self.order, start, self.frames, BATCH);
        self.parser.plain(self.window.ahead(), &mut run);
        let (end, frames) = run.end();
        self.frames = frames;
        self.window.pass(usize::try_from(end - start).unwrap_or(usize::MAX));
        self.order.run_on();
        end > start
    }

    /// Reads what stands at the cursor.
    #[inline]
    fn step(&mut self) -> Result<Stepped, Fault> {
        match self.parser.step(self.window.ahead(), &mut self.info)? {
            Step::Frame(record) => {
                let mut run = Run::new(&mut self.order, self.window.offset(), self.frames, 1);
                run.push(&record);
                self.frames = run.end().1;
                self.window.pass(record.size);
                return Ok(Stepped::Frame);
            }
            Step::Pass(size) => self.window.pass(size),
            // What was just parsed may be all that is wanted: then the window need not hold more beside it.
            Step::Need { .. } if self.order.has_more() => {}
            Step::Need { bytes, what } => {
                if bytes as u64 > BYTES_AHEAD && !self.order.is_empty() {
                    return Ok(Stepped::Not);
                }
                let keep = self.order.keep_from(self.window.offset());
                if !self.window.fill(bytes, keep)? {
                    self.done = self.window.ahead().is_empty();
                    return if self.done { Ok(Stepped::Other) } else { Err(Fault::Cut(what)) };
                }
            }
            Step::Jump { bytes, trailer, why } => {
                if !self.order.is_empty() {
                    return Ok(Stepped::Not);
                }
                self.jump(bytes, trailer)?;
                *self.info.skipped_records.entry(why).or_default() += 1;
            }
        }
        Ok(Stepped::Other)
    }

    fn jump(&mut self, bytes: u32, trailer: [u8; 4]) -> Result<(), Fault> {
        let cut = Fault::Cut("a block that is not needed");
        if !self.window.skip(u64::from(bytes) - 4)? || !self.window.fill(4, self.window.offset())? {
            return Err(cut);
        }
        if !self.window.ahead().starts_with(&trailer) {
            return Err(Fault::Corrupt("the length of a block is not repeated at its end".to_owned()));
        }
        self.window.pass(4);
        Ok(())
    }

    /// The next frame, of those that [`Self::head`] has read ahead.
    #[inline]
    pub(super) fn take_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        let Some(held) = self.order.pop() else { return self.error.take().map_or(Ok(None), Err) };
        if self.last_link != Some(held.link) {
            self.met(held.link);
        }
        self.info.frames += 1;
        self.info.captured_bytes += u64::from(held.len);
        self.info.wire_bytes += u64::from(held.wire_len);
        self.info.cut_frames += u64::from(held.len < held.wire_len);
        Ok(Some(Frame {
            number: held.number,
            file: self.file,
            at: held.at,
            link: held.link,
            wire_len: held.wire_len,
            data: self.window.lend(held.offset, held.len),
        }))
    }

    fn met(&mut self, link: LinkType) {
        self.last_link = Some(link);
        if let Err(place) = self.info.link_types.binary_search(&link) {
            self.info.link_types.insert(place, link);
        }
    }
}

impl FrameSource for Reader {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        self.read_ahead();
        self.take_frame()
    }

    fn bytes_read(&self) -> u64 {
        self.progress.read()
    }

    fn info(&self) -> CaptureInfo {
        CaptureInfo { clock_disorder: self.order.disorder(), ..self.info.clone() }
    }
}

/// Tells the format of what `window` begins with. The inner error is one that needs no explanation.
fn find_format(
    window: &mut Window,
    name: &str,
    layers: &[&'static Compression],
) -> Result<&'static Format, Result<CaptureError, Fault>> {
    const ROWS: &[Format] = &FORMATS;
    for format in ROWS {
        window.fill(format.look, 0).map_err(|error| Err(Fault::Io(error)))?;
        let ahead = window.ahead();
        if ahead.is_empty() {
            return Err(Ok(CaptureError::Empty { path: name.to_owned() }));
        }
        if (format.is)(&ahead[..ahead.len().min(format.look)]) {
            return Ok(format);
        }
    }
    let mut found = guess::describe(window.ahead());
    for layer in layers.iter().rev() {
        found = format!("inside {}, {found}", layer.name);
    }
    Err(Ok(CaptureError::NotACapture { path: name.to_owned(), found }))
}

/// Gives a fault its place: `start` is where the record that it is in begins, `read` what was decompressed.
fn explain(
    name: &str,
    fault: Fault,
    compression: Option<&'static str>,
    progress: &Progress,
    start: u64,
    read: u64,
    frames: u64,
) -> CaptureError {
    let path = name.to_owned();
    match (fault, compression) {
        (Fault::Cut(what), _) => CaptureError::Truncated { path, what, offset: start, frames },
        (Fault::Corrupt(what), _) => CaptureError::Corrupt { path, what, offset: start, frames },
        (Fault::Io(source), Some(compression)) if !progress.failed() => {
            match source.get_ref().and_then(|inner| inner.downcast_ref()) {
                Some(&TooMuch(limit)) => CaptureError::TooMuch { path, compression, limit, frames },
                None => CaptureError::Compression { path, compression, source, offset: read, frames },
            }
        }
        (Fault::Io(source), _) => CaptureError::Io { path, source },
    }
}

/// Reads until `buf` is full or the source ends; how much there was.
fn read_full(source: &mut dyn Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buf.len() {
        match source.read(&mut buf[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}
