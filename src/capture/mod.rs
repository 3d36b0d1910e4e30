//! Bytes of a capture to frames in order of time.
//!
//! [`open`] finds out by the first bytes what compression and what format a capture is in; a [`Reader`] decompresses
//! into a window, has the format's parser say what stands in it, and lends the frames from there, so that no byte of a
//! frame is copied. [`open_many`] merges several. A new format is a row of `format::FORMATS`, a new compression one of
//! `compression::COMPRESSIONS`.

mod ahead;
mod compression;
mod files;
mod format;
mod frame;
mod guess;
mod input;
mod names;
mod order;
mod reader;
#[cfg(test)]
mod tests;
mod window;

pub use ahead::Stop;
pub use files::{Files, open_many};
pub use frame::{CaptureInfo, Frame, FrameSource, LinkType};
pub use input::{OpenOptions, Opener};
pub use names::{has_capture_name, is_capture_ending, without_compression};
pub use reader::{Reader, from_reader, is_capture, is_capture_in, open, open_with};

/// Names of the formats that are read.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    format::FORMATS.iter().map(|row| row.name)
}

/// Names of the compressions that are recognised, and whether this build reads them.
pub fn compression_names() -> impl Iterator<Item = (&'static str, bool)> {
    compression::COMPRESSIONS.iter().map(|row| (row.name, row.decoder.is_some()))
}
