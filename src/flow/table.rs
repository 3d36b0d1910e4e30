//! The table of live connections: finds the connection of a segment and keeps the number of them bounded.
//!
//! Connections stand in one list per [`Stage`], the one that has waited longest first, so that what is to be
//! finished is found without a search. A connection is not moved at each of its packets: it is looked at again
//! when it comes to the head of its list, and goes back to the end if it was busy meanwhile.

mod kept;
mod near;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use ahash::RandomState;
use kept::Kept;
use near::Near;

use super::{FlowKey, Side, Stage};
use crate::decode::Segment;
use crate::units::{Span, Timestamp};

/// What the table must know of what it holds.
pub trait Tracked {
    /// How far along it is.
    fn stage(&self) -> Stage;
    /// Its last packet.
    fn last(&self) -> Timestamp;
    /// Whether a segment of its endpoints, sent by `from` inside this segment's VLANs and tunnels, is its own.
    fn accepts(&mut self, segment: &Segment<'_>, from: Side) -> bool;
    /// Whether the segment opens a new connection instead.
    fn is_over_for(&self, segment: &Segment<'_>, from: Side) -> bool;
    /// A form that takes less memory, for one that waits; `None` if it has none, or not now.
    fn pack(&self) -> Option<Box<[u8]>> {
        None
    }
    /// What [`Self::pack`] packed.
    fn unpack(bytes: &[u8]) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = bytes;
        None
    }
}

/// When connections are finished though the capture goes on.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most connections at a time.
    pub connections: usize,
    /// Most half-open ones among them, so that a flood of SYNs takes little memory.
    pub half_open_connections: usize,
    /// How many that are half open, and how many that are closed, are kept as they are; those beyond are packed.
    pub unpacked: usize,
    /// Silence after which a half-open one is finished.
    pub half_open: Span,
    /// Silence after which an open one is finished.
    pub open: Span,
    /// Silence after which a closed one is finished.
    pub closed: Span,
}

/// Why a connection left the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was silent for longer than the bounds allow.
    Idle,
    /// A new connection between the same endpoints began.
    Replaced,
    /// There were too many.
    Evicted,
    /// The capture ended.
    End,
}

/// A connection that left the table.
#[derive(Debug)]
pub struct Finished<T> {
    /// The connection.
    pub connection: T,
    /// Its endpoints.
    pub key: FlowKey,
    /// Why it left.
    pub reason: Reason,
}

const NONE: u32 = u32::MAX;

/// Most VLANs and tunnels in which the same endpoints are told apart at a time, so that the search stays short.
const LONGEST_CHAIN: usize = 64;

const STAGES: usize = 4;

#[derive(Debug)]
struct Slot<T> {
    key: FlowKey,
    /// The next connection of the same endpoints, in other VLANs or tunnels.
    same: u32,
    before: u32,
    after: u32,
    stage: Stage,
    /// When it was put at the end of its list.
    listed: Timestamp,
    connection: Kept<T>,
}

#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
    len: usize,
}

impl List {
    const EMPTY: Self = Self { head: NONE, tail: NONE, len: 0 };
}

/// Live connections by their endpoints.
#[derive(Debug)]
pub struct FlowTable<T> {
    bounds: Bounds,
    by_key: HashMap<FlowKey, u32, RandomState>,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    lists: [List; STAGES],
    /// Where searches began lately. A slot that is left is forgotten here too.
    near: Near,
    previous: Timestamp,
    /// Before this moment no connection has been silent for too long.
    next_expiry: Timestamp,
    live: usize,
    finished: VecDeque<Finished<T>>,
    /// The capture is over, and these slots were emptied.
    over: Option<usize>,
}

impl<T: Tracked> FlowTable<T> {
    /// An empty table. `seed` keys the hash, so that no sender can aim at collisions.
    pub fn new(bounds: Bounds, seed: u64) -> Self {
        Self {
            bounds,
            by_key: HashMap::with_hasher(RandomState::with_seeds(
                seed,
                !seed,
                seed.rotate_left(32),
                0x517c_c1b7_2722_0a95,
            )),
            slots: Vec::new(),
            free: Vec::new(),
            lists: [List::EMPTY; STAGES],
            near: Near::new(NONE),
            previous: Timestamp::MIN,
            next_expiry: Timestamp::MAX,
            live: 0,
            finished: VecDeque::new(),
            over: None,
        }
    }

    /// Connections in the table.
    pub const fn live(&self) -> usize {
        self.live
    }

    /// The next connection that left the table.
    pub fn next_finished(&mut self) -> Option<Finished<T>> {
        self.finished.pop_front().or_else(|| self.next_left())
    }

    /// At the end, the next of those that are left: one at a time, since unpacked they may be more than fit.
    fn next_left(&mut self) -> Option<Finished<T>> {
        let from = self.over?;
        for (at, slot) in self.slots.iter_mut().enumerate().skip(from) {
            if let Some(connection) = slot.connection.take() {
                self.over = Some(at + 1);
                return Some(Finished { connection, key: slot.key, reason: Reason::End });
            }
        }
        self.slots = Vec::new();
        self.over = None;
        None
    }

    /// Whether [`Self::next_finished`] has something.
    #[inline]
    pub fn has_finished(&self) -> bool {
        !self.finished.is_empty() || self.over.is_some()
    }

    /// Hands the segment to its connection, made by `start` if there is none yet.
    ///
    /// `start` is told whether an earlier connection of the same endpoints gave way to it.
    #[inline]
    pub fn route(
        &mut self,
        segment: &Segment<'_>,
        start: impl FnOnce(&FlowKey, Side, bool) -> T,
        observe: impl FnOnce(&mut T, Side),
    ) {
        // One wild stamp must not finish every connection: time has passed when two segments say so.
        self.expire(segment.at.min(self.previous));
        self.previous = segment.at;
        let near = self.near.get(segment.src, segment.dst);
        let near_side = self.slots.get(near as usize).and_then(|slot| slot.key.side_of(segment));
        let (head, from) = near_side.map_or_else(|| self.look_up(segment), |from| (near, from));
        let (slot, replaced) = self.find(head, segment, from);
        let slot = slot.unwrap_or_else(|| {
            let (key, _) = FlowKey::of(segment);
            self.insert(key, segment.at, start(&key, from, replaced))
        });
        let entry = &mut self.slots[slot as usize];
        let Some(connection) = entry.connection.get() else { return };
        observe(connection, from);
        let stage = connection.stage();
        if stage != entry.stage {
            self.relist(slot, stage, segment.at);
        }
        if stage != Stage::Open && self.lists[stage as usize].len > self.bounds.unpacked {
            self.slots[slot as usize].connection.pack();
        }
    }

    /// Finishes everything, in the order in which it was put into the table's slots.
    pub fn finish(&mut self) {
        self.near = Near::new(NONE);
        self.over = Some(0);
        self.by_key.clear();
        self.by_key.shrink_to_fit();
        self.free = Vec::new();
        self.lists = [List::EMPTY; STAGES];
        self.live = 0;
    }

    /// Where the search begins for a segment that is not of a connection near at hand, and the side that sent it.
    fn look_up(&mut self, segment: &Segment<'_>) -> (u32, Side) {
        let (key, from) = FlowKey::of(segment);
        let head = self.by_key.get(&key).copied().unwrap_or(NONE);
        self.near.set(&key, head);
        (head, from)
    }

    /// The connection in the chain from `head` that takes the segment, and whether one gave way to it.
    #[inline]
    fn find(&mut self, head: u32, segment: &Segment<'_>, from: Side) -> (Option<u32>, bool) {
        // Mostly there is one, and it goes on.
        if let Some(slot) = self.slots.get_mut(head as usize)
            && let Some(connection) = slot.connection.get()
            && connection.accepts(segment, from)
            && !connection.is_over_for(segment, from)
        {
            return (Some(head), false);
        }
        self.find_in_chain(head, segment, from)
    }

    fn find_in_chain(&mut self, head: u32, segment: &Segment<'_>, from: Side) -> (Option<u32>, bool) {
        let mut at = head;
        for length in 1.. {
            if at == NONE {
                break;
            }
            let slot = &mut self.slots[at as usize];
            let after = slot.same;
            if let Some(connection) = slot.connection.get()
                && (connection.accepts(segment, from) || length == LONGEST_CHAIN)
            {
                if connection.is_over_for(segment, from) {
                    self.remove(at, Reason::Replaced);
                    return (None, true);
                }
                return (Some(at), false);
            }
            at = after;
        }
        (None, false)
    }

    fn insert(&mut self, key: FlowKey, now: Timestamp, connection: T) -> u32 {
        if self.live >= self.bounds.connections.max(1) {
            self.evict(&[Stage::Closed, Stage::HalfOpen, Stage::Unconfirmed, Stage::Open]);
        }
        if self.lists[Stage::HalfOpen as usize].len >= self.bounds.half_open_connections.max(1) {
            self.evict(&[Stage::HalfOpen]);
        }
        let same = self.by_key.get(&key).copied().unwrap_or(NONE);
        let stage = connection.stage();
        let slot = Slot {
            key,
            same,
            before: NONE,
            after: NONE,
            stage,
            listed: now,
            connection: Kept::Here(Box::new(connection)),
        };
        let at = if let Some(at) = self.free.pop() {
            self.slots[at as usize] = slot;
            at
        } else {
            self.slots.push(slot);
            u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 connections are live at a time")
        };
        self.by_key.insert(key, at);
        self.near.set(&key, at);
        self.live += 1;
        self.append(at);
        at
    }

    /// Finishes what has been silent for too long by `now`.
    #[inline]
    fn expire(&mut self, now: Timestamp) {
        if now >= self.next_expiry {
            self.expire_heads(now);
        }
    }

    #[cold]
    fn expire_heads(&mut self, now: Timestamp) {
        self.next_expiry = Timestamp::MAX;
        for stage in [Stage::HalfOpen, Stage::Closed, Stage::Unconfirmed, Stage::Open] {
            loop {
                let head = self.lists[stage as usize].head;
                if head == NONE {
                    break;
                }
                let listed = self.slots[head as usize].listed;
                if now.since(listed) < self.allowed(stage) {
                    self.next_expiry = self.next_expiry.min(listed + self.allowed(stage));
                    break;
                }
                self.visit(head, now);
            }
        }
    }

    /// Finishes the connection at the head of a list, or puts it back if it was busy since it was listed.
    fn visit(&mut self, at: u32, now: Timestamp) {
        let slot = &self.slots[at as usize];
        let last = slot.connection.last().unwrap_or(slot.listed);
        if now.since(last) >= self.allowed(slot.stage) {
            self.remove(at, Reason::Idle);
        } else {
            self.relist(at, slot.stage, last.max(slot.listed));
        }
    }

    const fn allowed(&self, stage: Stage) -> Span {
        match stage {
            Stage::HalfOpen => self.bounds.half_open,
            // One side of a quiet connection may be all that is captured.
            Stage::Unconfirmed | Stage::Open => self.bounds.open,
            Stage::Closed => self.bounds.closed,
        }
    }

    /// Makes room for one, in the first of the stages that has any: a closed connection goes before a half-open one,
    /// and that (so that a flood of SYNs pushes out only itself) before the open one that has been silent longest.
    fn evict(&mut self, stages: &[Stage]) {
        for &stage in stages {
            // One look at each is enough: whatever was busy goes to the end once.
            for _ in 0..=self.live {
                let head = self.lists[stage as usize].head;
                if head == NONE {
                    break;
                }
                let slot = &self.slots[head as usize];
                let last = slot.connection.last().unwrap_or(slot.listed);
                if last > slot.listed {
                    self.relist(head, stage, last);
                } else {
                    return self.remove(head, Reason::Evicted);
                }
            }
        }
    }

    fn remove(&mut self, at: u32, reason: Reason) {
        self.unlink(at);
        let slot = &mut self.slots[at as usize];
        let (key, same) = (slot.key, slot.same);
        self.near.set(&key, NONE);
        if let Some(connection) = slot.connection.take() {
            self.finished.push_back(Finished { connection, key, reason });
        }
        match self.by_key.get(&key).copied() {
            Some(head) if head == at && same == NONE => {
                self.by_key.remove(&key);
            }
            Some(head) if head == at => {
                self.by_key.insert(key, same);
            }
            Some(mut before) => {
                while self.slots[before as usize].same != at {
                    before = self.slots[before as usize].same;
                }
                self.slots[before as usize].same = same;
            }
            None => {}
        }
        self.free.push(at);
        self.live -= 1;
    }

    fn relist(&mut self, at: u32, stage: Stage, now: Timestamp) {
        self.unlink(at);
        let slot = &mut self.slots[at as usize];
        slot.stage = stage;
        slot.listed = now;
        self.append(at);
    }

    fn append(&mut self, at: u32) {
        let list = self.slots[at as usize].stage as usize;
        let tail = self.lists[list].tail;
        self.slots[at as usize].before = tail;
        self.slots[at as usize].after = NONE;
        if tail == NONE {
            self.lists[list].head = at;
            let slot = &self.slots[at as usize];
            self.next_expiry = self.next_expiry.min(slot.listed + self.allowed(slot.stage));
        } else {
            self.slots[tail as usize].after = at;
        }
        self.lists[list].tail = at;
        self.lists[list].len += 1;
    }

    fn unlink(&mut self, at: u32) {
        let slot = &self.slots[at as usize];
        let (before, after, list) = (slot.before, slot.after, slot.stage as usize);
        self.lists[list].len -= 1;
        if before == NONE {
            self.lists[list].head = after;
        } else {
            self.slots[before as usize].after = after;
        }
        if after == NONE {
            self.lists[list].tail = before;
        } else {
            self.slots[after as usize].before = before;
        }
    }
}
