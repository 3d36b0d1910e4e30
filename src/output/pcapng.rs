//! pcapng with comments: frames of any capture, byte for byte, with what is to be said of them.
//!
//! draft-ietf-opsawg-pcapng, little-endian, one section; an interface for each link type; stamps in nanoseconds.

use std::io::{self, Write};

use crate::capture::{Frame, LinkType};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER: u32 = 0x1a2b_3c4d;

/// Options: what made the file, the unit of stamps, a comment, the end.
const USER_APPLICATION: u16 = 4;
const TIME_RESOLUTION: u16 = 9;
const COMMENT: u16 = 1;
const END: u16 = 0;

/// Stamps count 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Writes one file.
pub struct CommentedPcapng<W: Write> {
    out: W,
    interfaces: Vec<LinkType>,
    block: Vec<u8>,
}

impl<W: Write> CommentedPcapng<W> {
    /// Begins the file.
    pub fn new(out: W) -> io::Result<Self> {
        let mut file = Self { out, interfaces: Vec::new(), block: Vec::new() };
        file.begin(SECTION);
        file.u32(BYTE_ORDER);
        file.u16(1);
        file.u16(0);
        // The length of the section is not known.
        file.block.extend_from_slice(&(-1_i64).to_le_bytes());
        file.option(USER_APPLICATION, concat!("tcptrace-rs ", env!("CARGO_PKG_VERSION")).as_bytes());
        file.option(END, b"");
        file.end()?;
        Ok(file)
    }

    /// Writes a frame; each comment is an option of its own.
    pub fn frame<'c>(
        &mut self,
        frame: &Frame<'_>,
        comments: impl Iterator<Item = &'c str>,
    ) -> io::Result<()> {
        let interface = self.interface(frame.link)?;
        self.begin(ENHANCED_PACKET);
        self.u32(interface);
        // What is before 1970 cannot be written.
        let stamp = frame.at.as_nanos().max(0).unsigned_abs();
        self.u32(u32::try_from(stamp >> 32).unwrap_or(u32::MAX));
        self.block.extend_from_slice(&stamp.to_le_bytes()[..4]);
        self.u32(u32::try_from(frame.data.len()).unwrap_or(u32::MAX));
        self.u32(frame.wire_len);
        self.padded(frame.data);
        let mut any = false;
        for comment in comments {
            self.option(COMMENT, comment.as_bytes());
            any = true;
        }
        if any {
            self.option(END, b"");
        }
        self.end()
    }

    /// Ends the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn interface(&mut self, link: LinkType) -> io::Result<u32> {
        let known = self.interfaces.iter().position(|held| *held == link);
        let number = known.unwrap_or(self.interfaces.len());
        if known.is_none() {
            self.interfaces.push(link);
            self.begin(INTERFACE);
            self.u16(link.0);
            self.u16(0);
            // No snap length.
            self.u32(0);
            self.option(TIME_RESOLUTION, &[NANOSECONDS]);
            self.option(END, b"");
            self.end()?;
        }
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        // Its length, once it is known.
        self.u32(0);
    }

    fn end(&mut self) -> io::Result<()> {
        let length = u32::try_from(self.block.len() + 4)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a frame above 4 GB"))?;
        self.u32(length);
        if let Some(place) = self.block.get_mut(4..8) {
            place.copy_from_slice(&length.to_le_bytes());
        }
        self.out.write_all(&self.block)
    }

    fn u16(&mut self, value: u16) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.block.extend_from_slice(&value.to_le_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        // No comment of ours comes near the limit of an option; one that did would be cut.
        let value = value.get(..usize::from(u16::MAX)).unwrap_or(value);
        self.u16(code);
        self.u16(u16::try_from(value.len()).unwrap_or(u16::MAX));
        self.padded(value);
    }
}
