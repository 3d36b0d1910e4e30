//! snoop, the capture format of Solaris (RFC 1761): all of it big-endian.

use byteorder_slice::{BigEndian, ByteOrder};

use super::super::frame::{CaptureInfo, LinkType};
use super::{Fault, Format, MOST_PACKET, Parser, Record, Step};
use crate::units::Timestamp;

pub(super) const FORMAT: Format = Format {
    name: "snoop",
    endings: &["snoop"],
    look: MAGIC.len(),
    is: |head| head.starts_with(MAGIC),
    parser: |_| Box::new(Snoop { link: None, drops: 0 }),
};

const MAGIC: &[u8] = b"snoop\0\0\0";
const FILE_HEADER: usize = 16;
const RECORD_HEADER: usize = 24;

/// The datalink numbers of RFC 1761, section 2, and of Solaris' `sys/dlpi.h` that have a `LINKTYPE_` number.
const LINKS: [(u32, LinkType); 6] = [
    (0, LinkType(1)),    // IEEE 802.3
    (2, LinkType(6)),    // IEEE 802.5
    (4, LinkType(1)),    // Ethernet
    (8, LinkType(10)),   // FDDI
    (18, LinkType(123)), // SunATM
    (26, LinkType(242)), // IP over InfiniBand
];

/// A number that the registry leaves free: what such frames begin with is not known.
const UNREGISTERED: LinkType = LinkType(u16::MAX);

struct Snoop {
    /// `None` until the file header was read.
    link: Option<LinkType>,
    drops: u32,
}

impl Parser for Snoop {
    fn step(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault> {
        let field = |at: usize| BigEndian::read_u32(&ahead[at..]);
        let Some(link) = self.link else {
            if ahead.len() < FILE_HEADER {
                return Ok(Step::Need { bytes: FILE_HEADER, what: "the file header" });
            }
            let number = field(12);
            self.link = Some(LINKS.iter().find(|row| row.0 == number).map_or(UNREGISTERED, |row| row.1));
            return Ok(Step::Pass(FILE_HEADER));
        };
        if ahead.len() < RECORD_HEADER {
            return Ok(Step::Need { bytes: RECORD_HEADER, what: "a record header" });
        }
        let (original, included, length, drops) = (field(0), field(4), field(8), field(12));
        if included > MOST_PACKET
            || length > 2 * MOST_PACKET
            || u64::from(length) < RECORD_HEADER as u64 + u64::from(included)
        {
            let what = format!("a record of {length} bytes claims {included} captured bytes");
            return Err(Fault::Corrupt(what));
        }
        let size = length as usize;
        if ahead.len() < size {
            return Ok(Step::Need { bytes: size, what: "a record" });
        }
        let micros = i64::from(field(20));
        if micros >= 1_000_000 {
            info.odd_stamps += 1;
        }
        // The field counts from the beginning of the capture.
        self.drops = self.drops.max(drops);
        info.interface_drops = Some(u64::from(self.drops));
        let at = Timestamp::from_secs_nanos(i64::from(field(16)), micros * 1_000);
        Ok(Step::Frame(Record { start: 24, len: included, wire_len: original, at, link, size }))
    }
}
