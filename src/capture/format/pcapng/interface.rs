//! Interface description and interface statistics blocks (draft-ietf-opsawg-pcapng, sections 4.2 and 4.6).

use byteorder_slice::ByteOrder;

use super::super::super::frame::{CaptureInfo, LinkType};
use super::super::skipped;
use super::clock::Clock;
use super::options::Options;
use super::{MOST_INTERFACES, PcapNg};

const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;
const ISB_IFDROP: u16 = 5;
const ISB_OSDROP: u16 = 7;

/// Names of interfaces that are kept for the report, and characters of each.
const MOST_NAMES: usize = 256;
const LONGEST_NAME: usize = 256;

/// One interface of the section.
pub(super) struct Interface {
    pub(super) link: LinkType,
    pub(super) snaplen: u32,
    pub(super) clock: Clock,
    /// Drops that its packets told of, one by one.
    told: u64,
    /// Drops that are in the capture's sum.
    counted: u64,
}

impl Interface {
    /// Takes a count of drops from the beginning of the capture into the sum.
    fn dropped(&mut self, total: u64, info: &mut CaptureInfo) {
        let sum = info.interface_drops.get_or_insert(0);
        *sum = sum.saturating_add(total.saturating_sub(self.counted));
        self.counted = self.counted.max(total);
    }

    /// Takes a count of drops since the packet before into the sum. Statistics blocks count the same drops.
    pub(super) fn dropped_since(&mut self, count: u64, info: &mut CaptureInfo) {
        self.told = self.told.saturating_add(count);
        self.dropped(self.told, info);
    }
}

impl PcapNg {
    pub(super) fn describe<B: ByteOrder>(&mut self, body: &[u8], info: &mut CaptureInfo) {
        if self.interfaces.len() >= MOST_INTERFACES {
            skipped(info, "interface description above 65,536");
            return;
        }
        // A description too short for its fields still has its place in the numbering.
        let Some((fixed, options)) = body.split_at_checked(8) else {
            skipped(info, "interface description block cut short");
            let link = LinkType(u16::MAX);
            self.interfaces.push(Interface {
                link,
                snaplen: 0,
                clock: Clock::default(),
                told: 0,
                counted: 0,
            });
            return;
        };
        let mut clock = Clock::default();
        for (code, value) in Options::<B>::new(options) {
            match (code, value.len()) {
                (IF_NAME, 1..) if info.interface_names.len() < MOST_NAMES => {
                    let name = String::from_utf8_lossy(value);
                    // It is shown on terminals, which a control character could command.
                    let shown = |c: char| if c.is_control() { '?' } else { c };
                    let name = name.trim_end_matches('\0').chars().take(LONGEST_NAME).map(shown).collect();
                    info.interface_names.push(name);
                }
                (IF_TSRESOL, 1..) => clock.set_resolution(value[0]),
                (IF_TSOFFSET, 8..) => clock.set_offset(B::read_i64(value)),
                _ => {}
            }
        }
        info.interfaces = info.interfaces.saturating_add(1);
        let (link, snaplen) = (LinkType(B::read_u16(fixed)), B::read_u32(&fixed[4..]));
        self.interfaces.push(Interface { link, snaplen, clock, told: 0, counted: 0 });
    }

    pub(super) fn statistics<B: ByteOrder>(&mut self, body: &[u8], info: &mut CaptureInfo) {
        let Some((fixed, options)) = body.split_at_checked(12) else {
            return skipped(info, "interface statistics block cut short");
        };
        let Some(interface) = self.interfaces.get_mut(B::read_u32(fixed) as usize) else {
            return skipped(info, "statistics of an interface that is not described");
        };
        let drops = Options::<B>::new(options)
            .filter(|(code, value)| [ISB_IFDROP, ISB_OSDROP].contains(code) && value.len() >= 8)
            .map(|(_, value)| B::read_u64(value))
            .reduce(u64::saturating_add);
        if let Some(drops) = drops {
            interface.dropped(drops, info);
        }
    }
}
