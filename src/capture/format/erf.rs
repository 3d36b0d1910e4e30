//! ERF, the record format of Endace DAG cards ("EDM11-01 ERF types"): Ethernet and plain IP records.
//!
//! There is no file header and no magic, so a file is taken for ERF only if its first records agree with each other.

use byteorder_slice::{BigEndian, ByteOrder, LittleEndian};

use super::super::frame::{CaptureInfo, LinkType};
use super::{Fault, Format, Parser, Record, Step, skipped};
use crate::units::Timestamp;

pub(super) const FORMAT: Format =
    Format { name: "ERF", endings: &["erf"], look: 8 << 10, is: plausible, parser: |_| Box::new(Erf) };

const RECORD_HEADER: usize = 16;
const EXTENSION_HEADER: usize = 8;

/// What is said of extension headers by the top bit of a type byte, and of each but the last by its own.
const MORE: u8 = 0x80;

/// A record type whose frames are read.
struct Kind {
    number: u8,
    link: LinkType,
    /// Bytes between the headers and the frame.
    pad: usize,
    /// Whether the "loss counter" field is one; in the others it is a colour.
    counts_loss: bool,
}

const KINDS: [Kind; 6] = [
    Kind { number: 2, link: LinkType(1), pad: 2, counts_loss: true },
    Kind { number: 11, link: LinkType(1), pad: 2, counts_loss: false },
    Kind { number: 16, link: LinkType(1), pad: 2, counts_loss: false },
    Kind { number: 20, link: LinkType(1), pad: 2, counts_loss: false },
    Kind { number: 22, link: LinkType(228), pad: 0, counts_loss: true },
    Kind { number: 23, link: LinkType(229), pad: 0, counts_loss: true },
];

/// The record type of padding.
const PADDING: u8 = 48;

/// The highest record type that is known to be in use, beside padding.
const LAST_KIND: u8 = 33;

struct Erf;

/// The fixed header of a record.
struct Head {
    /// 2^-32 seconds since 1970.
    stamp: u64,
    kind: u8,
    /// Bytes of the record with all its headers.
    size: usize,
    loss: u16,
    wire_len: u16,
}

impl Head {
    fn parse(ahead: &[u8]) -> Option<Self> {
        let bytes = ahead.first_chunk::<RECORD_HEADER>()?;
        Some(Self {
            stamp: LittleEndian::read_u64(bytes),
            kind: bytes[8],
            size: usize::from(BigEndian::read_u16(&bytes[10..])),
            loss: BigEndian::read_u16(&bytes[12..]),
            wire_len: BigEndian::read_u16(&bytes[14..]),
        })
    }

    fn row(&self) -> Option<&'static Kind> {
        KINDS.iter().find(|row| row.number == self.kind & !MORE)
    }

    fn at(&self) -> Timestamp {
        let nanos = ((self.stamp & 0xffff_ffff) * 1_000_000_000) >> 32;
        Timestamp::from_secs_nanos((self.stamp >> 32).cast_signed(), nanos.cast_signed())
    }
}

/// Whether these bytes are records of known types, believable lengths and stamps within a day of each other.
fn plausible(head: &[u8]) -> bool {
    const DAY: u64 = 86_400 << 32;
    // 1995, before the first such card.
    const FIRST_CARD: u64 = 788_918_400 << 32;
    let (mut at, mut records, mut frames) = (0, 0, 0);
    let mut first = None;
    while let Some(record) = head.get(at..).and_then(Head::parse) {
        let kind = record.kind & !MORE;
        let stamp = *first.get_or_insert(record.stamp);
        let data = record.size.saturating_sub(RECORD_HEADER);
        // Records are padded to eight bytes.
        let fits = record.row().is_none_or(|row| {
            (record.kind & MORE != 0 || data <= row.pad + usize::from(record.wire_len) + 8)
                && record.wire_len > 0
        });
        let known = (1..=LAST_KIND).contains(&kind) || kind == PADDING;
        if !known
            || record.size < RECORD_HEADER
            || !fits
            || stamp < FIRST_CARD
            || record.stamp.abs_diff(stamp) > DAY
        {
            return false;
        }
        records += 1;
        frames += usize::from(record.row().is_some());
        at += record.size;
    }
    frames > 0 && (records > 1 || at == head.len())
}

impl Parser for Erf {
    fn step(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault> {
        let Some(head) = Head::parse(ahead) else {
            return Ok(Step::Need { bytes: RECORD_HEADER, what: "a record header" });
        };
        if head.size < RECORD_HEADER {
            return Err(Fault::Corrupt(format!("a record of type {} has {} bytes", head.kind, head.size)));
        }
        let Some(bytes) = ahead.get(..head.size) else {
            return Ok(Step::Need { bytes: head.size, what: "a record" });
        };
        let Some(row) = head.row() else {
            skipped(info, "ERF record without an Ethernet or IP frame");
            return Ok(Step::Pass(head.size));
        };
        let mut start = RECORD_HEADER;
        let mut more = head.kind & MORE != 0;
        while more {
            more = bytes.get(start).is_some_and(|first| first & MORE != 0);
            start += EXTENSION_HEADER;
        }
        start += row.pad;
        if start > head.size {
            skipped(info, "ERF record shorter than its headers");
            return Ok(Step::Pass(head.size));
        }
        if row.counts_loss {
            *info.interface_drops.get_or_insert(0) += u64::from(head.loss);
        }
        let len = (head.size - start).min(usize::from(head.wire_len));
        let narrow = |bytes: usize| u32::try_from(bytes).expect("a record has at most 65,535 bytes");
        Ok(Step::Frame(Record {
            start: narrow(start),
            len: narrow(len),
            wire_len: u32::from(head.wire_len),
            at: head.at(),
            link: row.link,
            size: head.size,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, secs: u64, frame: &[u8]) -> Vec<u8> {
        let mut bytes = ((secs << 32) | 0x8000_0000).to_le_bytes().to_vec();
        let size = u16::try_from(18 + frame.len()).unwrap().to_be_bytes();
        let wire = u16::try_from(frame.len() + 4).unwrap().to_be_bytes();
        bytes.extend([kind, 4, size[0], size[1], 0, 3, wire[0], wire[1], 0, 0]);
        bytes.extend(frame);
        bytes
    }

    #[test]
    fn a_record_gives_its_frame_stamp_and_loss() {
        let bytes = record(2, 1_700_000_000, &[7; 60]);
        let mut info = CaptureInfo::default();
        let Ok(Step::Frame(frame)) = Erf.step(&bytes, &mut info) else { panic!("no frame") };
        assert_eq!((frame.start, frame.len, frame.wire_len, frame.size), (18, 60, 64, 78));
        assert_eq!(frame.at, Timestamp::from_nanos(1_700_000_000_500_000_000));
        assert_eq!(info.interface_drops, Some(3));
    }

    #[test]
    fn extension_headers_are_walked() {
        let mut bytes = record(2 | MORE, 1_700_000_000, &[7; 76]);
        bytes[16] = 0x80 | 3;
        bytes[24] = 5;
        let Ok(Step::Frame(frame)) = Erf.step(&bytes, &mut CaptureInfo::default()) else {
            panic!("no frame")
        };
        assert_eq!((frame.start, frame.len), (16 + 8 + 8 + 2, 60));
    }

    #[test]
    fn only_records_that_agree_are_taken_for_erf() {
        let good = [record(2, 1_700_000_000, &[7; 60]), record(2, 1_700_000_001, &[7; 60])].concat();
        assert!(plausible(&good));
        assert!(plausible(&good[..78]), "one record that is the whole file");
        assert!(!plausible(&good[..40]), "one record that is not");
        assert!(!plausible(
            &[record(2, 1_700_000_000, &[7; 60]), record(2, 1_800_000_000, &[7; 60])].concat()
        ));
        assert!(!plausible(&record(0, 1_700_000_000, &[7; 60])));
        assert!(!plausible(&[0x20; 4_096]), "spaces");
        assert!(!plausible(&[0; 4_096]), "zeros");
    }
}
