//! Captured payload in pieces, by stream offset: the first copy of a byte stays, later ones are compared with it.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes up to which what follows in order is appended to a piece rather than made a piece of its own.
const PIECE: usize = 64 << 10;

/// What a piece costs beside its bytes: its node in the tree and the heads of two vectors.
const PIECE_COST: usize = 96;

/// What is kept to tell of each segment which frame its bytes came in.
const SOURCE_COST: usize = size_of::<Source>();

#[derive(Clone, Copy, Debug)]
struct Source {
    start: i64,
    frame: u64,
}

#[derive(Clone, Debug, Default)]
struct Piece {
    bytes: Vec<u8>,
    /// Where the bytes of each frame begin, in order.
    sources: Vec<Source>,
}

/// Disjoint pieces in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    by_start: BTreeMap<i64, Piece>,
    cost: usize,
    /// A piece that was let go, for its allocations.
    spare: Piece,
}

/// Where a second copy differs from the first: from the first such byte to the last.
pub(super) struct Difference {
    pub(super) range: Range<i64>,
    pub(super) first_frame: u64,
}

impl Piece {
    fn end(&self, start: i64) -> i64 {
        after(start, self.bytes.len())
    }

    /// The frame that the byte at `offset` came in.
    fn frame(&self, offset: i64) -> u64 {
        let next = self.sources.partition_point(|source| source.start <= offset);
        next.checked_sub(1).map_or(0, |at| self.sources[at].frame)
    }
}

impl Pieces {
    /// Memory taken, about.
    pub(super) const fn cost(&self) -> usize {
        self.cost
    }

    /// Takes the bytes of a segment: keeps those at which nothing is held yet, none of them before `floor`, and
    /// gives each stretch that differs from what is held.
    pub(super) fn add(
        &mut self,
        mut at: i64,
        mut bytes: &[u8],
        frame: u64,
        floor: i64,
        differs: &mut dyn FnMut(Difference),
    ) {
        while !bytes.is_empty() {
            let count = if let Some((start, piece)) = self.holding(at) {
                let held = &piece.bytes[distance(start, at)..];
                let count = held.len().min(bytes.len());
                if let Some((first, last)) = difference(&held[..count], &bytes[..count]) {
                    let range = after(at, first)..after(at, last + 1);
                    differs(Difference { first_frame: piece.frame(range.start), range });
                }
                count
            } else {
                let room = self.next_start(at).map_or(bytes.len(), |next| distance(at, next));
                let count = room.min(bytes.len());
                if at < floor {
                    count.min(distance(at, floor))
                } else {
                    self.put(at, &bytes[..count], frame);
                    count
                }
            };
            at = after(at, count);
            bytes = &bytes[count..];
        }
    }

    /// Bytes held from `at` on without a break, up to the end of their piece; nothing if there are none.
    pub(super) fn from(&self, at: i64) -> &[u8] {
        self.holding(at).map_or(&[], |(start, piece)| &piece.bytes[distance(start, at)..])
    }

    /// Where the next piece after `at` begins.
    pub(super) fn next_start(&self, at: i64) -> Option<i64> {
        self.by_start.range(at + 1..).next().map(|(start, _)| *start)
    }

    /// Lets go of the first piece if it ends by `end`.
    pub(super) fn remove_first(&mut self, end: i64) -> bool {
        match self.by_start.first_entry() {
            Some(first) if first.get().end(*first.key()) <= end => {
                let mut piece = first.remove();
                self.cost -= PIECE_COST + piece.bytes.len() + piece.sources.len() * SOURCE_COST;
                if piece.bytes.capacity() <= 2 * PIECE {
                    piece.bytes.clear();
                    piece.sources.clear();
                    self.spare = piece;
                }
                true
            }
            _ => false,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.by_start.clear();
        self.cost = 0;
    }

    fn holding(&self, at: i64) -> Option<(i64, &Piece)> {
        let (start, piece) = self.by_start.range(..=at).next_back()?;
        (piece.end(*start) > at).then_some((*start, piece))
    }

    /// Puts bytes where nothing is held.
    fn put(&mut self, at: i64, bytes: &[u8], frame: u64) {
        let source = Source { start: at, frame };
        self.cost += bytes.len() + SOURCE_COST;
        if let Some((start, piece)) = self.by_start.range_mut(..at).next_back()
            && piece.end(*start) == at
            && piece.bytes.len() + bytes.len() <= PIECE
        {
            piece.bytes.extend_from_slice(bytes);
            piece.sources.push(source);
            return;
        }
        let mut piece = std::mem::take(&mut self.spare);
        piece.bytes.extend_from_slice(bytes);
        piece.sources.push(source);
        self.cost += PIECE_COST;
        self.by_start.insert(at, piece);
    }
}

/// The first and the last place at which two slices of equal length differ.
fn difference(one: &[u8], other: &[u8]) -> Option<(usize, usize)> {
    if one == other {
        return None;
    }
    let differs = |(a, b): (&u8, &u8)| a != b;
    let first = one.iter().zip(other).position(differs)?;
    let last = one.iter().zip(other).rposition(differs)?;
    Some((first, last))
}

/// The offset `count` bytes after `at`.
pub(super) fn after(at: i64, count: usize) -> i64 {
    at.saturating_add(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Bytes from `start` to `end`, 0 if it lies before.
pub(super) fn distance(start: i64, end: i64) -> usize {
    usize::try_from(end.saturating_sub(start)).unwrap_or(0)
}
