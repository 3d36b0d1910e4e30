//! The packets of one direction that passed one tap, in the order of its capture, until the other tap has been asked
//! for each of them.

use std::collections::{HashMap, VecDeque};

use ahash::RandomState;

use super::packet::Packet;
use crate::units::Timestamp;

/// How many packets of equal mark are looked at.
const LOOK: usize = 32;

const NONE: u64 = u64::MAX;

/// Where the other tap saw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twin {
    /// Its place in the other queue.
    pub(super) serial: u64,
    pub(super) at: Timestamp,
    pub(super) frame: u64,
}

/// A packet that passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) packet: Packet,
    /// Stream offset of its first byte.
    pub(super) offset: i64,
    pub(super) twin: Option<Twin>,
    /// The other tap has one of its mark, but that belongs to another: the network copied it.
    pub(super) copied: bool,
    /// The one before it with the same mark.
    before: u64,
}

/// What passed one tap.
#[derive(Debug)]
pub(super) struct Queue {
    /// Serial number of the first entry kept.
    base: u64,
    entries: VecDeque<Entry>,
    /// The latest of each mark.
    latest: HashMap<u64, u64, RandomState>,
    /// The first that is not settled.
    cursor: u64,
}

impl Queue {
    pub(super) fn new() -> Self {
        // What collides in here delays one connection; the marks are hashes already.
        let latest = HashMap::with_hasher(RandomState::with_seeds(5, 6, 7, 8));
        Self { base: 0, entries: VecDeque::new(), latest, cursor: 0 }
    }

    /// How many are kept.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds one; gives its serial number.
    pub(super) fn push(&mut self, packet: &Packet, offset: i64) -> u64 {
        let serial = self.base + self.entries.len() as u64;
        if self.entries.capacity() == 0 {
            // Of many connections there is one packet.
            self.entries.reserve_exact(1);
        }
        let before = self.latest.insert(packet.mark, serial).unwrap_or(NONE);
        self.entries.push_back(Entry { packet: *packet, offset, twin: None, copied: false, before });
        serial
    }

    /// The entry, if it is still kept.
    pub(super) fn get(&self, serial: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(serial.checked_sub(self.base)?).ok()?)
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, serial: u64) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(serial.checked_sub(self.base)?).ok()?)
    }

    /// Of those with this mark and no twin the one that `badness` finds least fault with (the oldest of equals), and
    /// whether there are any of this mark at all.
    pub(super) fn find(&self, mark: u64, badness: impl Fn(&Entry) -> u64) -> (Option<u64>, bool) {
        let mut at = self.latest.get(&mark).copied().unwrap_or(NONE);
        let (mut best, mut any) = (None::<(u64, u64)>, false);
        for _ in 0..LOOK {
            let Some(entry) = self.get(at) else { break };
            any = true;
            if entry.twin.is_none() {
                let bad = badness(entry);
                if best.is_none_or(|(least, _)| bad <= least) {
                    best = Some((bad, at));
                }
            }
            at = entry.before;
        }
        (best.map(|(_, serial)| serial), any)
    }

    /// The first that is not settled, with its serial number.
    pub(super) fn head(&self) -> Option<(u64, &Entry)> {
        Some((self.cursor, self.get(self.cursor)?))
    }

    /// The head is settled.
    pub(super) const fn settle(&mut self) {
        self.cursor += 1;
    }

    /// Forgets what is settled and passed before `until`.
    pub(super) fn forget(&mut self, until: Timestamp) {
        while self.base < self.cursor
            && let Some(entry) = self.entries.front()
            && entry.packet.at < until
        {
            let mark = entry.packet.mark;
            if self.latest.get(&mark) == Some(&self.base) {
                self.latest.remove(&mark);
            }
            self.entries.pop_front();
            self.base += 1;
        }
    }
}
