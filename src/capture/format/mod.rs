//! The capture formats: each a parser that is shown bytes and says what stands there. Parsers do no I/O.

mod erf;
mod pcap;
mod pcapng;
mod snoop;

use super::frame::{CaptureInfo, LinkType};
use super::order::{Held, LookAhead};
use crate::units::Timestamp;

/// A packet above this many bytes is not read: no link carries it, so its length is wrong or it is no packet.
const MOST_PACKET: u32 = 64 << 20;

/// A format that is read.
pub(super) struct Format {
    pub(super) name: &'static str,
    /// What names of such files end in, in small letters.
    pub(super) endings: &'static [&'static str],
    /// Bytes of the file that `is` wants to see; it may be shown fewer of a shorter file.
    pub(super) look: usize,
    /// Whether these first bytes are those of the format.
    pub(super) is: fn(&[u8]) -> bool,
    /// A parser for a file with these first bytes, to be shown the file from its beginning.
    pub(super) parser: fn(&[u8]) -> Box<dyn Parser>,
}

/// Every format that is read, in the order they are tried: ERF has no magic, so it is last.
pub(super) const FORMATS: [Format; 4] = [pcap::FORMAT, pcapng::FORMAT, snoop::FORMAT, erf::FORMAT];

/// Reads one format.
pub(super) trait Parser: Send {
    /// What stands at the beginning of `ahead`, which is empty only at the first call and at the end. Shown the same
    /// bytes again after [`Step::Need`] (and more of them) and [`Step::Jump`], it must answer without having counted.
    fn step(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault>;

    /// Takes the frames from the beginning of `ahead` on that it can tell at a glance, as far as `run` has room. What it
    /// leaves, and all that is not plain, is [`Self::step`]'s, which would have given the same.
    fn plain(&mut self, _ahead: &[u8], _run: &mut Run<'_>) {}
}

/// Where frames go that follow each other.
pub(super) struct Run<'a> {
    order: &'a mut LookAhead,
    /// Where the next record stands in the stream.
    offset: u64,
    /// Frames so far.
    frames: u64,
    room: usize,
}

impl<'a> Run<'a> {
    /// Up to `room` frames into `order`, after `frames` others and from `offset` in the stream on.
    pub(super) const fn new(order: &'a mut LookAhead, offset: u64, frames: u64, room: usize) -> Self {
        Self { order, offset, frames, room }
    }

    /// Whether another one may come.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.room > 0
    }

    /// Takes the next frame.
    #[inline]
    pub(super) fn push(&mut self, record: &Record) {
        self.frames += 1;
        self.order.push(Held {
            offset: self.offset + u64::from(record.start),
            len: record.len,
            wire_len: record.wire_len.max(record.len),
            at: record.at,
            number: self.frames,
            link: record.link,
        });
        self.offset += record.size as u64;
        self.room = self.room.saturating_sub(1);
    }

    /// Where the next record stands, and how many frames there were.
    pub(super) const fn end(&self) -> (u64, u64) {
        (self.offset, self.frames)
    }
}

/// What stands at the cursor.
#[derive(Debug)]
pub(super) enum Step {
    /// A frame.
    Frame(Record),
    /// So many bytes that hold no frame.
    Pass(usize),
    /// Not known before so many bytes are there; `what` is cut if the file ends before.
    Need { bytes: usize, what: &'static str },
    /// So many bytes (at least 12) to leave out unseen for the reason given; the last four must be `trailer`.
    Jump { bytes: u32, trailer: [u8; 4], why: &'static str },
}

/// A frame at the cursor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Where its bytes begin, from the cursor.
    pub(super) start: u32,
    pub(super) len: u32,
    /// Bytes on the wire, as the file says.
    pub(super) wire_len: u32,
    pub(super) at: Timestamp,
    pub(super) link: LinkType,
    /// Bytes of the whole record.
    pub(super) size: usize,
}

/// What ends the reading of a file.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file ends inside this.
    Cut(&'static str),
    /// A contradiction.
    Corrupt(String),
    /// The system, or the decompressor, gave no more.
    Io(std::io::Error),
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Counts a record passed over.
fn skipped(info: &mut CaptureInfo, why: &'static str) {
    *info.skipped_records.entry(why).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_formats_share_a_name_and_none_takes_an_empty_file() {
        for (index, format) in FORMATS.iter().enumerate() {
            assert!(!(format.is)(&[]), "{}", format.name);
            assert!(FORMATS[..index].iter().all(|other| other.name != format.name));
        }
    }
}
