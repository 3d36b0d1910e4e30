//! Payload as bytes, or as a dialogue for a person to read.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;

use super::Palette;
use crate::analysis::reassembly::{Event, Gap};
use crate::driver::PayloadSink;
use crate::report::Dir;

/// What is written where bytes are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapStyle {
    /// Nothing.
    Skip,
    /// As many zero bytes.
    Zero,
    /// A line that says how many.
    Mark,
}

/// Where the bytes of each direction go; those without a place are not written.
pub struct Outputs<'a> {
    /// From client to server.
    pub c2s: Option<Box<dyn Write + 'a>>,
    /// From server to client.
    pub s2c: Option<Box<dyn Write + 'a>>,
}

/// Writes each direction byte for byte.
pub struct RawPayload<'a> {
    outputs: Outputs<'a>,
    gaps: GapStyle,
    state: State,
}

/// Writes both directions in the order in which they were delivered, all that a terminal would act on spelled out.
pub struct Dialogue<'a> {
    output: Box<dyn Write + 'a>,
    marks_gaps: bool,
    palette: Palette,
    speaking: Option<Dir>,
    /// Whether the cursor stands at the beginning of a line.
    at_start: bool,
    /// A carriage return whose next byte is not known yet.
    carriage_return: bool,
    state: State,
}

/// The first error; nothing is written after it.
#[derive(Default)]
struct State {
    error: Option<io::Error>,
    failed: Rc<Cell<bool>>,
}

impl State {
    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.set(true);
            self.error.get_or_insert(error);
        }
    }

    fn result(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }
}

impl<'a> RawPayload<'a> {
    /// Nothing is written before the first byte.
    pub fn new(outputs: Outputs<'a>, gaps: GapStyle) -> Self {
        Self { outputs, gaps, state: State::default() }
    }

    /// A flag that tells, while writing goes on, whether it has failed.
    pub fn failed(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.state.failed)
    }

    /// Writes what was held back; gives the first error of all.
    pub fn finish(mut self) -> io::Result<()> {
        for output in [self.outputs.c2s, self.outputs.s2c].iter_mut().flatten() {
            self.state.note(output.flush());
        }
        self.state.result()
    }
}

impl PayloadSink for RawPayload<'_> {
    fn event(&mut self, dir: Dir, event: Event<'_>) {
        let output = match dir {
            Dir::C2s => &mut self.outputs.c2s,
            Dir::S2c => &mut self.outputs.s2c,
        };
        let Some(output) = output else { return };
        if self.state.error.is_some() {
            return;
        }
        let result = match event {
            Event::Data { bytes, .. } => output.write_all(bytes),
            Event::Gap(gap) => match self.gaps {
                GapStyle::Skip => Ok(()),
                GapStyle::Zero if gap.len > MOST_ZEROS => Err(io::Error::other(format!(
                    "a gap of {} bytes is not filled with zeros: write without --gaps zero",
                    gap.len
                ))),
                GapStyle::Zero => zeros(output, gap.len),
                GapStyle::Mark => write!(output, "\n{}\n", mark(gap)),
            },
            Event::Conflict(_) => Ok(()),
        };
        self.state.note(result);
    }
}

/// Longer gaps are no holes of a transfer but jumps in the numbers, and would fill a disk.
const MOST_ZEROS: u64 = 1 << 28;

fn mark(gap: Gap) -> String {
    format!("[{} bytes missing]", gap.len)
}

fn zeros(output: &mut dyn Write, mut count: u64) -> io::Result<()> {
    const BLOCK: [u8; 4096] = [0; 4096];
    while count > 0 {
        let some = BLOCK.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        output.write_all(&BLOCK[..some])?;
        count -= some as u64;
    }
    Ok(())
}

impl<'a> Dialogue<'a> {
    /// Nothing is written before the first byte. `marks_gaps` has a line written where bytes are missing.
    pub fn new(output: Box<dyn Write + 'a>, marks_gaps: bool, palette: Palette) -> Self {
        Self {
            output,
            marks_gaps,
            palette,
            speaking: None,
            at_start: true,
            carriage_return: false,
            state: State::default(),
        }
    }

    /// A flag that tells, while writing goes on, whether it has failed.
    pub fn failed(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.state.failed)
    }

    /// Ends the last line; gives the first error of all.
    pub fn finish(mut self) -> io::Result<()> {
        let result = self.end_line().and_then(|()| self.output.flush());
        self.state.note(result);
        self.state.result()
    }

    fn speak(&mut self, dir: Dir, offset: i64) -> io::Result<()> {
        if self.speaking == Some(dir) {
            return Ok(());
        }
        self.end_line()?;
        self.speaking = Some(dir);
        let arrow = match dir {
            Dir::C2s => ">>>",
            Dir::S2c => "<<<",
        };
        let (heading, reset) = (&self.palette.heading, &self.palette.reset);
        writeln!(self.output, "{heading}{arrow} {} from byte {offset}{reset}", dir.name())
    }

    fn text(&mut self, bytes: &[u8]) -> io::Result<()> {
        for &byte in bytes {
            if std::mem::take(&mut self.carriage_return) && byte != b'\n' {
                self.escaped(b'\r')?;
            }
            match byte {
                b'\r' => self.carriage_return = true,
                b'\n' => {
                    self.output.write_all(b"\n")?;
                    self.at_start = true;
                }
                _ => self.escaped(byte)?,
            }
        }
        Ok(())
    }

    /// One byte within a line; lines of payload are set in, so that none can be taken for a heading.
    fn escaped(&mut self, byte: u8) -> io::Result<()> {
        if std::mem::take(&mut self.at_start) {
            self.output.write_all(b"  ")?;
        }
        match byte {
            b'\\' => self.output.write_all(b"\\\\"),
            b'\t' | b' '..=b'~' => self.output.write_all(&[byte]),
            _ => write!(self.output, "\\x{byte:02x}"),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.carriage_return) {
            self.escaped(b'\r')?;
        }
        if std::mem::replace(&mut self.at_start, true) { Ok(()) } else { self.output.write_all(b"\n") }
    }
}

impl PayloadSink for Dialogue<'_> {
    fn event(&mut self, dir: Dir, event: Event<'_>) {
        if self.state.error.is_some() {
            return;
        }
        let result = match event {
            Event::Data { offset, bytes } => self.speak(dir, offset).and_then(|()| self.text(bytes)),
            Event::Gap(gap) if self.marks_gaps => self
                .speak(dir, gap.offset)
                .and_then(|()| self.end_line())
                .and_then(|()| writeln!(self.output, "{}", mark(gap))),
            Event::Gap(_) | Event::Conflict(_) => Ok(()),
        };
        self.state.note(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::reassembly::GapReason;

    const GAP: Event<'_> = Event::Gap(Gap { offset: 3, len: 5_000, reason: GapReason::NotCaptured });

    fn data(bytes: &[u8]) -> Event<'_> {
        Event::Data { offset: 0, bytes }
    }

    fn raw(gaps: GapStyle) -> (Vec<u8>, Vec<u8>) {
        let (mut c2s, mut s2c) = (Vec::new(), Vec::new());
        let outputs = Outputs { c2s: Some(Box::new(&mut c2s)), s2c: Some(Box::new(&mut s2c)) };
        let mut writer = RawPayload::new(outputs, gaps);
        writer.event(Dir::C2s, data(b"a\x00\xff"));
        writer.event(Dir::C2s, GAP);
        writer.event(Dir::S2c, data(b"reply"));
        writer.event(Dir::C2s, data(b"z"));
        writer.finish().unwrap();
        (c2s, s2c)
    }

    #[test]
    fn bytes_are_written_as_they_are_and_gaps_as_asked() {
        assert_eq!(raw(GapStyle::Skip), (b"a\x00\xffz".to_vec(), b"reply".to_vec()));
        assert_eq!(raw(GapStyle::Mark).0, b"a\x00\xff\n[5000 bytes missing]\nz");
        let zeros = raw(GapStyle::Zero).0;
        assert_eq!(zeros.len(), 3 + 5_000 + 1);
        assert!(zeros[3..5_003].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn a_dialogue_can_be_read_and_harms_no_terminal() {
        let mut text = Vec::new();
        let mut writer = Dialogue::new(Box::new(&mut text), true, Palette::default());
        writer.event(Dir::C2s, data(b"GET / HTTP/1.1\r"));
        writer.event(Dir::C2s, data(b"\nHost: x\r\n\r\n>>> s2c"));
        writer.event(Dir::S2c, data(b"\x1b[2J\\\xc3\xbc\r"));
        writer.event(Dir::S2c, GAP);
        writer.event(Dir::S2c, data(b"end\n"));
        writer.finish().unwrap();
        let expected = "\
>>> c2s from byte 0
  GET / HTTP/1.1
  Host: x

  >>> s2c
<<< s2c from byte 0
  \\x1b[2J\\\\\\xc3\\xbc\\x0d
[5000 bytes missing]
  end
";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn nothing_is_written_after_an_error_which_is_told() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut writer = RawPayload::new(Outputs { c2s: Some(Box::new(Full)), s2c: None }, GapStyle::Skip);
        let failed = writer.failed();
        writer.event(Dir::S2c, data(b"goes nowhere"));
        assert!(!failed.get());
        writer.event(Dir::C2s, data(b"x"));
        assert!(failed.get());
        assert_eq!(writer.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
