//! The terminal: what goes to stderr, and whether colour is used. The only place that decides either.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use super::args::Logging;
use crate::output::{Palette, escape};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const HEADING: Style = Style::new().bold();

/// Bytes of output that are gathered before they are written.
const BUFFER: usize = 64 << 10;

/// What the user wants to be told, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Console {
    quiet: u8,
}

impl Console {
    pub(super) fn new(logging: &Logging) -> Self {
        anstream::ColorChoice::from(logging.color).write_global();
        Self { quiet: logging.quiet }
    }

    /// Whether a progress bar is wanted.
    pub(super) const fn shows_progress(self) -> bool {
        self.quiet == 0
    }

    /// Whether warnings are wanted.
    pub(super) const fn shows_warnings(self) -> bool {
        self.quiet < 2
    }

    /// What must be known but did not stop the run.
    pub(super) fn warning(self, text: &str) {
        if self.shows_warnings() {
            tell(WARNING, "warning", text);
        }
    }

    /// What to do about the line before.
    pub(super) fn hint(self, text: &str) {
        if self.shows_warnings() {
            tell(HINT, "hint", text);
        }
    }
}

/// A bound that was breached; always told.
pub(super) fn breach(text: &str) {
    tell(ERROR, "breach", text);
}

/// What went wrong; always told.
pub(super) fn error(text: &str) {
    tell(ERROR, "error", text);
}

/// The emphasis of text on stdout.
pub(super) fn palette() -> Palette {
    match AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Palette::default(),
        _ => Palette {
            heading: HEADING.render().to_string(),
            warning: WARNING.render().to_string(),
            reset: HEADING.render_reset().to_string(),
        },
    }
}

/// Standard output, buffered, with a flag that tells when writing has failed.
pub(super) fn stdout() -> (Box<dyn Write>, Rc<Cell<bool>>) {
    let failed = Rc::new(Cell::new(false));
    // Text is written with its colours or without, so nothing is left to strip; on Windows this makes the
    // console understand them.
    let stream = AutoStream::always(io::stdout());
    let watched = Watched { stream, failed: Rc::clone(&failed) };
    (Box::new(BufWriter::with_capacity(BUFFER, watched)), failed)
}

/// A line on stderr. A terminal that cannot be written to cannot be told about it.
fn tell(style: Style, label: &str, text: &str) {
    // One line whatever it says: names may hold newlines, and CI services take commands from the beginnings of lines.
    let _ = writeln!(anstream::stderr().lock(), "{style}{label}:{style:#} {}", escape(text));
}

/// Notes the first write error, so that a long run ends when nobody reads it any more.
struct Watched<W> {
    stream: W,
    failed: Rc<Cell<bool>>,
}

impl<W: Write> Watched<W> {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed.set(true);
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.stream.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.stream.flush();
        self.note(result)
    }
}
