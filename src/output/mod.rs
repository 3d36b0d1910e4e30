//! A report to bytes, connection by connection as they are finished.
//!
//! [`sink`] is where files go; `tables` writes rows to some (feature `tables`).
//!
//! A [`Renderer`] is a row of [`RENDERERS`]: the command line's `--format` values, its help and the tests come from
//! that table.

pub mod comment;
mod escape;
pub mod html;
pub(crate) mod json;
mod jsonl;
pub mod payload;
pub mod pcapng;
pub mod sink;
#[cfg(test)]
mod stock;
#[cfg(feature = "tables")]
pub mod tables;
mod text;

use std::io::{self, Write};

use crate::report::{CaptureReport, ReportSink};

pub use escape::escape;
pub(crate) use escape::escape_json;
#[cfg(feature = "tables")]
pub(crate) use text::connection::endpoint;
pub(crate) use text::{WIDTH, wrap};

/// A format that a report can be written in.
pub trait Renderer: Sync {
    /// The `--format` value.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn about(&self) -> &'static str;

    /// Whether a program reads it: such a reader wants a well-formed document even if no frame could be read.
    fn is_for_programs(&self) -> bool {
        true
    }

    /// Begins a report on `out`.
    fn start<'a>(&self, out: Box<dyn Write + 'a>, settings: &Settings) -> Box<dyn ReportWriter + 'a>;
}

/// Takes the connections and, at the end, the capture.
///
/// A write error while connections arrive is kept and comes out of [`ReportWriter::finish`].
pub trait ReportWriter: ReportSink {
    /// Ends the report.
    fn finish(self: Box<Self>, capture: &CaptureReport) -> io::Result<()>;
}

/// Every format, the default first.
pub const RENDERERS: &[&dyn Renderer] = &[&text::Text, &json::Json, &jsonl::JsonLines];

/// The row of `name`.
pub fn renderer(name: &str) -> Option<&'static dyn Renderer> {
    RENDERERS.iter().copied().find(|row| row.name() == name)
}

/// What the text for people looks like; the formats for programs take no notice.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Most connections shown in detail; `None` for all.
    pub top: Option<usize>,
    /// Which come first.
    pub sort: Sort,
    /// Rows that are zero or seldom wanted as well.
    pub verbose: bool,
    /// The closing list of warnings.
    pub warnings: bool,
    /// Escape sequences for emphasis.
    pub palette: Palette,
}

/// Which connections come first, and so are shown in detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Most payload bytes first, each byte counted once.
    #[default]
    Bytes,
    /// In order of the first packet.
    Start,
}

/// What is written before and after emphasized words; nothing without colour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Before a heading.
    pub heading: String,
    /// Before a warning.
    pub warning: String,
    /// After either.
    pub reset: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { top: Some(20), sort: Sort::Bytes, verbose: false, warnings: true, palette: Palette::default() }
    }
}
