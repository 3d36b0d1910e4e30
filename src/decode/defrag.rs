//! Puts IP fragments together (RFC 791 section 3.2, RFC 8200 section 4.5), in bounded memory and capture time.
//!
//! What came first stays where fragments overlap. Pieces that were cut by the snap length count with their length on
//! the wire; what was captured of the datagram ends where the first of them does.

use std::collections::{BTreeMap, HashMap};

use super::datagram::{Datagram, Piece};
use super::segment::{Address, EncapId, IpMeta};
use crate::units::{Span, Timestamp};

/// The longest datagram, bytes; offsets count in units of eight.
const MAX_LEN: u32 = 65_535;
const UNIT: u32 = 8;
const UNITS: usize = 8192;

/// What a pending datagram takes beside its bytes.
const OVERHEAD: usize = size_of::<Pending>() + size_of::<Key>() * 2 + UNITS / 8;

/// Which datagram a fragment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    src: Address,
    dst: Address,
    id: u32,
    /// Part of the identity in IPv4 only.
    protocol: Option<u8>,
    encap: EncapId,
}

/// A datagram of which pieces are missing.
#[derive(Debug)]
struct Pending {
    key: Key,
    since: Timestamp,
    bytes: Vec<u8>,
    /// A bit for each unit that came, and how many are set.
    have: Box<[u64; UNITS / 64]>,
    units: u32,
    /// Length, known from the last fragment.
    len: Option<u32>,
    /// Where the first byte that came but was not captured is.
    captured: u32,
    /// From the first fragment.
    first: Option<(u8, IpMeta)>,
    congestion: bool,
}

/// A datagram that is whole.
#[derive(Debug)]
pub(crate) struct Complete {
    pub(crate) src: Address,
    pub(crate) dst: Address,
    pub(crate) v6: bool,
    pub(crate) protocol: u8,
    pub(crate) meta: IpMeta,
    pub(crate) len: u32,
    pub(crate) bytes: Vec<u8>,
}

/// The fragments of all datagrams.
#[derive(Debug)]
pub(crate) struct Defragmenter {
    memory: usize,
    timeout: Span,
    used: usize,
    serial: u64,
    pending: BTreeMap<u64, Pending>,
    serials: HashMap<Key, u64, ahash::RandomState>,
    given_up: u64,
}

impl Defragmenter {
    pub(crate) fn new(memory: usize, timeout: Span) -> Self {
        Self {
            memory,
            timeout,
            used: 0,
            serial: 0,
            pending: BTreeMap::new(),
            serials: HashMap::with_hasher(ahash::RandomState::with_seeds(5, 6, 7, 8)),
            given_up: 0,
        }
    }

    /// Datagrams that timed out or were pushed out before they were whole.
    pub(crate) const fn given_up(&self) -> u64 {
        self.given_up
    }

    #[cfg(test)]
    pub(crate) const fn used(&self) -> usize {
        self.used
    }

    /// Datagrams that are not whole yet.
    pub(crate) fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// Takes a piece; gives the datagram that it completes.
    pub(crate) fn add(&mut self, piece: &Piece<'_>, encap: EncapId, at: Timestamp) -> Option<Complete> {
        self.expire(at);
        let datagram = &piece.datagram;
        let len = datagram.rest.wire();
        let end = piece.offset.checked_add(len).filter(|end| *end <= MAX_LEN)?;
        // All but the last are whole units, and an empty one says nothing.
        if len == 0 || (piece.more && !len.is_multiple_of(UNIT)) {
            return None;
        }
        let key = Key {
            src: datagram.src,
            dst: datagram.dst,
            id: piece.id,
            protocol: (!datagram.v6).then_some(datagram.protocol),
            encap,
        };
        let serial = self.serial_of(key, at);
        let pending = self.pending.get_mut(&serial)?;
        let before = pending.bytes.capacity();
        pending.fill(piece, end);
        self.used += pending.bytes.capacity() - before;
        let complete = pending.is_complete();
        if complete {
            return self.remove(serial)?.complete(datagram.v6);
        }
        self.shrink();
        None
    }

    fn serial_of(&mut self, key: Key, at: Timestamp) -> u64 {
        if let Some(serial) = self.serials.get(&key) {
            return *serial;
        }
        self.serial += 1;
        self.used += OVERHEAD;
        self.serials.insert(key, self.serial);
        self.pending.insert(self.serial, Pending::new(key, at));
        self.serial
    }

    /// Gives up what began too long ago; the oldest come first.
    fn expire(&mut self, now: Timestamp) {
        while let Some((&serial, oldest)) = self.pending.first_key_value()
            && now.since(oldest.since) > self.timeout
        {
            self.remove(serial);
            self.given_up += 1;
        }
    }

    /// Gives up the oldest until the rest fits.
    fn shrink(&mut self) {
        while self.used > self.memory
            && let Some((&serial, _)) = self.pending.first_key_value()
        {
            self.remove(serial);
            self.given_up += 1;
        }
    }

    fn remove(&mut self, serial: u64) -> Option<Pending> {
        let pending = self.pending.remove(&serial)?;
        self.serials.remove(&pending.key);
        self.used -= pending.bytes.capacity() + OVERHEAD;
        Some(pending)
    }
}

impl Pending {
    fn new(key: Key, since: Timestamp) -> Self {
        Self {
            key,
            since,
            bytes: Vec::new(),
            have: Box::new([0; UNITS / 64]),
            units: 0,
            len: None,
            captured: u32::MAX,
            first: None,
            congestion: false,
        }
    }

    /// Copies the units that are not there yet.
    fn fill(&mut self, piece: &Piece<'_>, end: u32) {
        let meta = piece.datagram.meta;
        if !piece.more {
            // Two ends contradict each other: the first is believed.
            if self.len.is_some_and(|len| len != end) {
                return;
            }
            self.len = Some(end);
        }
        self.congestion |= meta.ecn == CONGESTION_EXPERIENCED;
        if piece.offset == 0 && self.first.is_none() {
            self.first = Some((piece.datagram.protocol, meta));
        }
        let data = piece.datagram.rest.data();
        let held_end = piece.offset as usize + data.len();
        if held_end < end as usize {
            self.captured = self.captured.min(u32::try_from(held_end).unwrap_or(u32::MAX));
        }
        if self.bytes.len() < held_end {
            self.bytes.reserve_exact(held_end - self.bytes.len());
            self.bytes.resize(held_end, 0);
        }
        for (place, unit) in (piece.offset / UNIT..end.div_ceil(UNIT)).enumerate() {
            let (word, bit) = ((unit / 64) as usize, 1_u64 << (unit % 64));
            if self.have[word] & bit != 0 {
                continue;
            }
            self.have[word] |= bit;
            self.units += 1;
            let from = place * UNIT as usize;
            let to = data.len().min(from + UNIT as usize);
            if from < to {
                let at = (unit * UNIT) as usize;
                self.bytes[at..at + (to - from)].copy_from_slice(&data[from..to]);
            }
        }
    }

    /// Whether each unit up to the end has come. What may have come beyond the end does not count.
    fn is_complete(&self) -> bool {
        let Some(len) = self.len else { return false };
        let units = len.div_ceil(UNIT);
        let (words, bits) = ((units / 64) as usize, units % 64);
        let last = (1 << bits) - 1;
        self.first.is_some()
            && self.units >= units
            && self.have[..words].iter().all(|word| *word == u64::MAX)
            && (bits == 0 || self.have[words] & last == last)
    }

    fn complete(mut self, v6: bool) -> Option<Complete> {
        let (protocol, mut meta) = self.first?;
        let len = self.len?;
        meta.reassembled = true;
        if self.congestion {
            meta.ecn = CONGESTION_EXPERIENCED;
        }
        self.bytes.truncate(len.min(self.captured) as usize);
        Some(Complete { src: self.key.src, dst: self.key.dst, v6, protocol, meta, len, bytes: self.bytes })
    }
}

/// The ECN field that any fragment passes on to the whole (RFC 3168 section 5.3).
const CONGESTION_EXPERIENCED: u8 = 3;

impl Complete {
    /// As the walk goes on with it.
    pub(crate) fn datagram(&self) -> Datagram<'_> {
        Datagram {
            src: self.src,
            dst: self.dst,
            meta: self.meta,
            v6: self.v6,
            protocol: self.protocol,
            rest: super::cursor::Cursor::new(&self.bytes, self.len),
        }
    }
}

#[cfg(test)]
mod tests;
