//! pcapng: blocks in sections, packets on interfaces that the section describes (draft-ietf-opsawg-pcapng).
//!
//! The framing of blocks is checked strictly, for nothing behind a wrong length can be trusted. What is inside a
//! well-framed block and makes no sense costs only that block, which is counted.

mod clock;
mod interface;
mod options;
mod packet;

use byteorder_slice::{BigEndian, ByteOrder, LittleEndian};
use pcap_file::pcapng::RawBlock;
use pcap_file::pcapng::blocks::{
    CUSTOM_BLOCK_COPIABLE, CUSTOM_BLOCK_NON_COPIABLE, ENHANCED_PACKET_BLOCK, INTERFACE_DESCRIPTION_BLOCK,
    INTERFACE_STATISTIC_BLOCK, NAME_RESOLUTION_BLOCK, PACKET_BLOCK, SECTION_HEADER_BLOCK,
    SIMPLE_PACKET_BLOCK, SYSTEMD_JOURNAL_EXPORT_BLOCK,
};

use super::super::frame::CaptureInfo;
use super::{Fault, Format, MOST_PACKET, Parser, Step, skipped};
use crate::units::Timestamp;
use interface::Interface;

pub(super) const FORMAT: Format = Format {
    name: "pcapng",
    endings: &["pcapng", "ntar"],
    look: SHORTEST_BLOCK,
    // A file cut inside its first block is still one of these.
    is: |head| head.starts_with(&SECTION) && (head.len() < SHORTEST_BLOCK || is_big(&head[8..]).is_some()),
    parser: |_| Box::new(PcapNg::default()),
};

/// The type of a section header block, the same in both byte orders.
const SECTION: [u8; 4] = SECTION_HEADER_BLOCK.to_be_bytes();

const DECRYPTION_SECRETS_BLOCK: u32 = 0x0000_000a;

/// Type, length, nothing, length.
const SHORTEST_BLOCK: usize = 12;

/// A block that is not needed is looked at only up to this size, else left out unseen.
const MOST_UNNEEDED: u32 = 64 << 10;

/// Interfaces that one section may describe; packets of others are passed over.
const MOST_INTERFACES: usize = 1 << 16;

/// Whether a byte-order magic was written big-endian; `None` if it is none.
fn is_big(magic: &[u8]) -> Option<bool> {
    match magic.first_chunk()? {
        [0x1a, 0x2b, 0x3c, 0x4d] => Some(true),
        [0x4d, 0x3c, 0x2b, 0x1a] => Some(false),
        _ => None,
    }
}

#[derive(Default)]
struct PcapNg {
    /// Byte order of this section.
    big: bool,
    interfaces: Vec<Interface>,
    /// Stamp of the packet before, for those that have none.
    last: Timestamp,
}

impl Parser for PcapNg {
    fn step(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault> {
        if ahead.len() < SHORTEST_BLOCK {
            return Ok(Step::Need { bytes: SHORTEST_BLOCK, what: "a block header" });
        }
        if ahead.starts_with(&SECTION) {
            let magic = &ahead[8..12];
            self.big = is_big(magic).ok_or_else(|| {
                Fault::Corrupt(format!(
                    "a section header has the byte-order magic {}",
                    super::super::guess::hex(magic)
                ))
            })?;
        }
        if self.big { self.block::<BigEndian>(ahead, info) } else { self.block::<LittleEndian>(ahead, info) }
    }
}

impl PcapNg {
    fn block<B: ByteOrder>(&mut self, ahead: &[u8], info: &mut CaptureInfo) -> Result<Step, Fault> {
        let (kind, length) = (B::read_u32(ahead), B::read_u32(&ahead[4..]));
        if length < 12 || length % 4 != 0 {
            let what = format!("a block of type {kind:#x} has the length {length}");
            return Err(Fault::Corrupt(what));
        }
        let (most, why) = match kind {
            SECTION_HEADER_BLOCK | INTERFACE_DESCRIPTION_BLOCK if length > MOST_PACKET => {
                return Err(Fault::Corrupt(format!("a block of type {kind:#x} has {length} bytes")));
            }
            SECTION_HEADER_BLOCK | INTERFACE_DESCRIPTION_BLOCK => (MOST_PACKET, ""),
            PACKET_BLOCK | SIMPLE_PACKET_BLOCK | ENHANCED_PACKET_BLOCK => {
                (MOST_PACKET, "packet block above 64 MB")
            }
            INTERFACE_STATISTIC_BLOCK => (MOST_UNNEEDED, "interface statistics block above 64 kB"),
            _ => (MOST_UNNEEDED, unneeded(kind)),
        };
        if length > most {
            let trailer = *ahead[4..].first_chunk().expect("12 bytes are there");
            return Ok(Step::Jump { bytes: length, trailer, why });
        }
        let size = length as usize;
        if ahead.len() < size {
            return Ok(Step::Need { bytes: size, what: "a block" });
        }
        let Ok((_, block)) = RawBlock::from_slice::<B>(ahead) else {
            let what = format!("the length {length} of a block of type {kind:#x} is not repeated at its end");
            return Err(Fault::Corrupt(what));
        };
        let packet = match kind {
            ENHANCED_PACKET_BLOCK => self.enhanced::<B>(&block.body, info),
            PACKET_BLOCK => self.old::<B>(&block.body, info),
            SIMPLE_PACKET_BLOCK => self.simple::<B>(&block.body),
            SECTION_HEADER_BLOCK => {
                self.interfaces.clear();
                return Ok(Step::Pass(size));
            }
            INTERFACE_DESCRIPTION_BLOCK => {
                self.describe::<B>(&block.body, info);
                return Ok(Step::Pass(size));
            }
            INTERFACE_STATISTIC_BLOCK => {
                self.statistics::<B>(&block.body, info);
                return Ok(Step::Pass(size));
            }
            _ => Err(why),
        };
        match packet {
            Ok(packet) => Ok(Step::Frame(packet.record(size))),
            Err(why) => {
                skipped(info, why);
                Ok(Step::Pass(size))
            }
        }
    }
}

/// What a block that is not needed is counted under.
fn unneeded(kind: u32) -> &'static str {
    match kind {
        NAME_RESOLUTION_BLOCK => "name resolution block",
        SYSTEMD_JOURNAL_EXPORT_BLOCK => "systemd journal block",
        DECRYPTION_SECRETS_BLOCK => "decryption secrets block",
        CUSTOM_BLOCK_COPIABLE | CUSTOM_BLOCK_NON_COPIABLE => "custom block",
        _ => "block of an unknown type",
    }
}
