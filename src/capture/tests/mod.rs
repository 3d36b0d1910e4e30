//! Whole captures, built byte by byte, through the reader.

mod broken;
#[cfg(feature = "compression")]
mod compressed;
mod files;
mod pcap;
mod pcapng;
mod properties;
mod snoop;

use std::io::Cursor;

use super::{CaptureInfo, FrameSource, Reader, from_reader};
use crate::error::CaptureError;

/// A frame as the tests compare it: number, nanoseconds, link type, captured bytes and bytes on the wire.
type Seen = (u64, i64, u16, usize, u32);

/// All that a reader gives.
#[derive(Debug)]
struct Outcome {
    frames: Vec<Seen>,
    error: Option<CaptureError>,
    info: CaptureInfo,
}

impl Outcome {
    fn nanos(&self) -> Vec<i64> {
        self.frames.iter().map(|frame| frame.1).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        self.frames.iter().map(|frame| frame.0).collect()
    }
}

fn reader(bytes: &[u8]) -> Result<Reader, CaptureError> {
    from_reader("test", Box::new(Cursor::new(bytes.to_vec())))
}

/// Reads to the end or the error, behind which nothing may come.
fn drain(source: &mut impl FrameSource) -> Outcome {
    let mut frames = Vec::new();
    let error = loop {
        match source.next_frame() {
            Ok(Some(frame)) => {
                let (len, wire) = (frame.data.len(), frame.wire_len);
                assert!(frame.data.iter().all(|&byte| byte == FILL), "not the bytes of a frame");
                frames.push((frame.number, frame.at.as_nanos(), frame.link.0, len, wire));
            }
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert!(matches!(source.next_frame(), Ok(None)), "something after the end");
    Outcome { frames, error, info: source.info() }
}

fn read(bytes: &[u8]) -> Outcome {
    drain(&mut reader(bytes).unwrap())
}

/// What every frame of these captures is filled with, so that a wrong place in the buffer shows.
const FILL: u8 = 0xee;

/// Integers in the byte order of a file.
#[derive(Clone, Copy)]
struct Order {
    big: bool,
}

const LITTLE: Order = Order { big: false };
const BIG: Order = Order { big: true };

impl Order {
    fn u16(self, value: u16) -> [u8; 2] {
        if self.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn u32(self, value: u32) -> [u8; 4] {
        if self.big { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn words<const N: usize>(self, values: [u32; N]) -> Vec<u8> {
        values.iter().flat_map(|&value| self.u32(value)).collect()
    }

    /// A pcap file header.
    fn pcap_header(self, magic: u32, version: (u16, u16), snaplen: u32, link: u32) -> Vec<u8> {
        let mut bytes = self.u32(magic).to_vec();
        bytes.extend(self.u16(version.0));
        bytes.extend(self.u16(version.1));
        bytes.extend(self.words([0, 0, snaplen, link]));
        bytes
    }

    /// A pcap record; the two lengths as they stand in the file, and how many bytes follow.
    fn pcap_record(self, secs: u32, fraction: u32, lengths: (u32, u32), bytes: usize) -> Vec<u8> {
        let mut record = self.words([secs, fraction, lengths.0, lengths.1]);
        record.extend(vec![FILL; bytes]);
        record
    }

    /// A pcapng block, its body padded.
    fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), 0);
        let len = u32::try_from(body.len() + 12).unwrap();
        [self.u32(kind).as_slice(), &self.u32(len), &body, &self.u32(len)].concat()
    }

    fn section(self) -> Vec<u8> {
        let mut body = self.words([0x1a2b_3c4d]);
        body.extend(self.u16(1));
        body.extend(self.u16(0));
        body.extend([0xff; 8]);
        self.block(0x0a0d_0d0a, &body)
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let mut option = [self.u16(code), self.u16(u16::try_from(value.len()).unwrap())].concat();
        option.extend(value);
        option.resize(option.len().next_multiple_of(4), 0);
        option
    }

    fn interface(self, link: u16, snaplen: u32, options: &[u8]) -> Vec<u8> {
        let mut body = [self.u16(link), [0; 2]].concat();
        body.extend(self.u32(snaplen));
        body.extend(options);
        self.block(1, &body)
    }

    /// An enhanced packet block of `len` bytes, one more on the wire.
    fn packet(self, interface: u32, ticks: u64, len: u32) -> Vec<u8> {
        let mut body =
            self.words([interface, (ticks >> 32) as u32, (ticks & 0xffff_ffff) as u32, len, len + 1]);
        body.extend(vec![FILL; len as usize]);
        self.block(6, &body)
    }
}

/// A pcap in microseconds with one 60-byte packet at each of these.
fn pcap_at(micros: &[u64]) -> Vec<u8> {
    let mut bytes = LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), 65_535, 1);
    for &at in micros {
        let secs = u32::try_from(at / 1_000_000).unwrap();
        bytes.extend(LITTLE.pcap_record(secs, (at % 1_000_000) as u32, (60, 60), 60));
    }
    bytes
}
