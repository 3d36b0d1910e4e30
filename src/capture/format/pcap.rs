//! pcap: a file header and records, as libpcap's pcap-savefile(5) has it, with the old variants of its `sf-pcap.c`:
//! swapped lengths before version 2.4 and the longer record header of Alexey Kuznetzov's "modified" pcap.

use std::marker::PhantomData;

use byteorder_slice::{BigEndian, ByteOrder, LittleEndian};
use pcap_file::pcap::{PcapHeader, PcapTsResolution, RawPcapPacket};

use super::super::frame::{CaptureInfo, LinkType};
use super::{Fault, Format, MOST_PACKET, Parser, Record, Run, Step};
use crate::units::Timestamp;

pub(super) const FORMAT: Format = Format {
    name: "pcap",
    endings: &["pcap", "cap", "dmp"],
    look: 4,
    is: |head| magic(head).is_some(),
    parser: open,
};

const FILE_HEADER: usize = 24;

/// A captured length above this and above the snap length is not believed: four times libpcap's `MAXIMUM_SNAPLEN`,
/// since not every writer keeps its own.
const MOST_ABOVE_SNAPLEN: u32 = 1 << 20;

const MICROSECONDS: [u8; 4] = [0xa1, 0xb2, 0xc3, 0xd4];
const NANOSECONDS: [u8; 4] = [0xa1, 0xb2, 0x3c, 0x4d];
/// Microseconds, and records with a header of 24 bytes.
const MODIFIED: [u8; 4] = [0xa1, 0xb2, 0xcd, 0x34];

/// The magic of a file in the big-endian spelling, and whether it was spelled so.
fn magic(head: &[u8]) -> Option<([u8; 4], bool)> {
    let mut first: [u8; 4] = head.get(..4)?.try_into().ok()?;
    let big = first[0] == 0xa1;
    if !big {
        first.reverse();
    }
    [MICROSECONDS, NANOSECONDS, MODIFIED].contains(&first).then_some((first, big))
}

fn open(head: &[u8]) -> Box<dyn Parser> {
    match magic(head) {
        Some((_, true)) => Box::new(Pcap::<BigEndian>::new()),
        _ => Box::new(Pcap::<LittleEndian>::new()),
    }
}

/// Which of a record's two lengths is the captured one; by `sf-pcap.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    /// The first, since version 2.4.
    Captured,
    /// The second: before version 2.3, and in DG/UX's 543.0.
    Swapped,
    /// The smaller, in version 2.3, which both kinds of writers claimed to be.
    Smaller,
}

struct Pcap<B> {
    /// `None` until the file header was read.
    link: Option<LinkType>,
    most: u32,
    /// Nanoseconds of a unit of the stamp's fraction.
    unit: u32,
    lengths: Lengths,
    record_header: usize,
    order: PhantomData<fn() -> B>,
}

/// What a record header says.
struct Head {
    secs: u32,
    fraction: u32,
    captured: u32,
    original: u32,
}

impl<B: ByteOrder> Pcap<B> {
    fn new() -> Self {
        let lengths = Lengths::Captured;
        Self { link: None, most: 0, unit: 1_000, lengths, record_header: 16, order: PhantomData }
    }

    fn file_header(&mut self, ahead: &[u8]) -> Result<Step, Fault> {
        let need = Step::Need { bytes: FILE_HEADER, what: "the file header" };
        let (Some(bytes), Some((name, big))) = (ahead.first_chunk::<FILE_HEADER>(), magic(ahead)) else {
            return Ok(need);
        };
        let mut bytes = *bytes;
        if name == MODIFIED {
            // The header is a common one but for its magic, which pcap-file does not know.
            self.record_header = 24;
            bytes[..4].copy_from_slice(&MICROSECONDS);
            if !big {
                bytes[..4].reverse();
            }
        }
        let Ok((_, header)) = PcapHeader::from_slice(&bytes) else { return Ok(need) };
        self.lengths = match (header.version_major, header.version_minor) {
            (0 | 1, minor) => {
                let what = format!("pcap version {}.{minor}, before 2.0", header.version_major);
                return Err(Fault::Corrupt(what));
            }
            (2, ..3) | (543, _) => Lengths::Swapped,
            (2, 3) => Lengths::Smaller,
            _ => Lengths::Captured,
        };
        self.unit = if header.ts_resolution == PcapTsResolution::NanoSecond { 1 } else { 1_000 };
        self.most = header.snaplen.clamp(MOST_ABOVE_SNAPLEN, MOST_PACKET);
        self.link = Some(link_type(u32::from(header.datalink)));
        Ok(Step::Pass(FILE_HEADER))
    }

    /// The header of a record of which at least that is there.
    #[inline]
    fn head(&self, ahead: &[u8]) -> Head {
        let (first, second) = (B::read_u32(&ahead[8..]), B::read_u32(&ahead[12..]));
        let (captured, original) = match self.lengths {
            Lengths::Captured => (first, second),
            Lengths::Swapped => (second, first),
            Lengths::Smaller => (first.min(second), first.max(second)),
        };
        Head { secs: B::read_u32(ahead), fraction: B::read_u32(&ahead[4..]), captured, original }
    }
}

/// The link type of a file header: its low 16 bits (those above tell the length of a frame check sequence), with the
/// platform numbers for raw IP (12, and OpenBSD's 14) as the registered one.
fn link_type(field: u32) -> LinkType {
    match u16::try_from(field & 0xffff).unwrap_or_default() {
        12 | 14 => LinkType(101),
        number => LinkType(number),
    }
}

impl<B: ByteOrder> Parser for Pcap<B> {
    fn step(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault> {
        let Some(link) = self.link else { return self.file_header(ahead) };
        let size = self.record_header;
        let head = if size == 16 && self.lengths == Lengths::Captured {
            match RawPcapPacket::from_slice::<B>(ahead) {
                Ok((_, raw)) => Head {
                    secs: raw.ts_sec,
                    fraction: raw.ts_frac,
                    captured: raw.incl_len,
                    original: raw.orig_len,
                },
                Err(_) if ahead.len() < size => {
                    return Ok(Step::Need { bytes: size, what: "a record header" });
                }
                Err(_) => self.head(ahead),
            }
        } else if ahead.len() < size {
            return Ok(Step::Need { bytes: size, what: "a record header" });
        } else {
            self.head(ahead)
        };
        if head.captured > self.most {
            return Err(Fault::Corrupt(format!("a record claims {} captured bytes", head.captured)));
        }
        let whole = size + head.captured as usize;
        if ahead.len() < whole {
            return Ok(Step::Need { bytes: whole, what: "a record" });
        }
        if u64::from(head.fraction) * u64::from(self.unit) >= 1_000_000_000 {
            info.odd_stamps += 1;
        }
        let nanos = i64::from(head.fraction) * i64::from(self.unit);
        Ok(Step::Frame(Record {
            start: if size == 16 { 16 } else { 24 },
            len: head.captured,
            wire_len: head.original,
            at: Timestamp::from_secs_nanos(i64::from(head.secs), nanos),
            link,
            size: whole,
        }))
    }

    fn plain(&mut self, mut ahead: &[u8], run: &mut Run<'_>) {
        let Some(link) = self.link.filter(|_| self.record_header == 16) else { return };
        while run.has_room() {
            let Some((header, after)) = ahead.split_first_chunk::<16>() else { return };
            let head = self.head(header);
            let nanos = i64::from(head.fraction) * i64::from(self.unit);
            if head.captured > self.most || head.captured as usize > after.len() || nanos >= 1_000_000_000 {
                return;
            }
            run.push(&Record {
                start: 16,
                len: head.captured,
                wire_len: head.original,
                at: Timestamp::from_secs_nanos(i64::from(head.secs), nanos),
                link,
                size: 16 + head.captured as usize,
            });
            ahead = &after[head.captured as usize..];
        }
    }
}
