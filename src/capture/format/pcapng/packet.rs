//! The three packet blocks: enhanced, simple and the old one (draft-ietf-opsawg-pcapng, sections 4.3, 4.4, A.1).

use byteorder_slice::ByteOrder;

use super::super::super::frame::{CaptureInfo, LinkType};
use super::super::Record;
use super::PcapNg;
use super::options::Options;
use crate::units::Timestamp;

const NO_INTERFACE: &str = "packet of an interface that is not described";
const TOO_SHORT: &str = "packet block shorter than its packet";

const EPB_DROPCOUNT: u16 = 4;
/// A drop count in the old packet block that says "not known".
const DROPS_UNKNOWN: u16 = u16::MAX;

/// Type and length of a block, which stand before its body.
const BLOCK_HEADER: u32 = 8;

/// A packet in the body of a block.
pub(super) struct Packet {
    /// Where its bytes begin in the body.
    start: u32,
    len: u32,
    wire_len: u32,
    at: Timestamp,
    link: LinkType,
}

impl Packet {
    pub(super) fn record(self, size: usize) -> Record {
        let Self { start, len, wire_len, at, link } = self;
        Record { start: BLOCK_HEADER + start, len, wire_len, at, link, size }
    }
}

impl PcapNg {
    /// An enhanced packet block.
    pub(super) fn enhanced<B: ByteOrder>(
        &mut self,
        body: &[u8],
        info: &mut CaptureInfo,
    ) -> Result<Packet, &'static str> {
        let interface = B::read_u32(body.get(..4).ok_or(TOO_SHORT)?) as usize;
        let packet = self.stamped::<B>(interface, body, info)?;
        let options = (packet.start as usize + packet.len as usize).next_multiple_of(4);
        if let Some(options) = body.get(options..) {
            for (code, value) in Options::<B>::new(options) {
                if code == EPB_DROPCOUNT && value.len() >= 8 {
                    self.interfaces[interface].dropped_since(B::read_u64(value), info);
                }
            }
        }
        Ok(packet)
    }

    /// An old packet block: an enhanced one but for two shorter first fields.
    pub(super) fn old<B: ByteOrder>(
        &mut self,
        body: &[u8],
        info: &mut CaptureInfo,
    ) -> Result<Packet, &'static str> {
        let fields = body.get(..4).ok_or(TOO_SHORT)?;
        let (interface, drops) = (usize::from(B::read_u16(fields)), B::read_u16(&fields[2..]));
        let packet = self.stamped::<B>(interface, body, info)?;
        if drops != 0 && drops != DROPS_UNKNOWN {
            self.interfaces[interface].dropped_since(u64::from(drops), info);
        }
        Ok(packet)
    }

    /// What enhanced and old packet blocks have in common: stamp, lengths and bytes.
    fn stamped<B: ByteOrder>(
        &mut self,
        interface: usize,
        body: &[u8],
        info: &mut CaptureInfo,
    ) -> Result<Packet, &'static str> {
        let (fields, data) = body.split_at_checked(20).ok_or(TOO_SHORT)?;
        let interface = self.interfaces.get(interface).ok_or(NO_INTERFACE)?;
        let (len, wire_len) = (B::read_u32(&fields[12..]), B::read_u32(&fields[16..]));
        if data.len() < len as usize {
            return Err(TOO_SHORT);
        }
        let ticks = u64::from(B::read_u32(&fields[4..])) << 32 | u64::from(B::read_u32(&fields[8..]));
        let (at, odd) = interface.clock.at(ticks);
        info.odd_stamps += u64::from(odd);
        self.last = at;
        Ok(Packet { start: 20, len, wire_len, at, link: interface.link })
    }

    /// A simple packet block: of the first interface, as long as its snap length allows, at the time of the packet
    /// before, for it has none.
    pub(super) fn simple<B: ByteOrder>(&self, body: &[u8]) -> Result<Packet, &'static str> {
        let (fields, data) = body.split_at_checked(4).ok_or(TOO_SHORT)?;
        let interface = self.interfaces.first().ok_or(NO_INTERFACE)?;
        let wire_len = B::read_u32(fields);
        let len = if interface.snaplen == 0 { wire_len } else { wire_len.min(interface.snaplen) };
        if data.len() < len as usize {
            return Err(TOO_SHORT);
        }
        Ok(Packet { start: 4, len, wire_len, at: self.last, link: interface.link })
    }
}
