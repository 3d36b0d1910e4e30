//! The byte stream of one direction as its receiver got it. Sans-I/O: segments and acknowledgments in, bytes in order out.
//!
//! Bytes are handed out once they are acknowledged (RFC 9293 section 3.4: what is acknowledged has arrived), so that of
//! copies that differ the first one captured is what the reader gets, and everything else is reported. Acknowledged
//! bytes that the capture lacks are waited for a little, since they may only be stamped late, and then given up as a gap.
//! Memory is bounded: beyond the budget the lowest bytes are handed out unacknowledged, the lowest gap is given up.

mod gap;
mod pieces;
#[cfg(test)]
mod tests;

use std::ops::Range;

use gap::Gaps;
use pieces::{Difference, Pieces, after, distance};

use super::ranges::RangeSet;
use crate::units::{Span, Timestamp};

/// Bytes already handed out that are kept to compare later copies with.
const HISTORY: i64 = 1 << 20;

/// Without its SYN, a stream does not begin further before the first bytes captured of it.
const MOST_BEFORE: i64 = 1 << 24;

/// Most stretches of bytes that wait for those between them: each new one moves others.
const MOST_STRETCHES: usize = 1 << 16;

/// What a stretch of bytes seen costs.
const RANGE_COST: usize = size_of::<Range<i64>>();

/// Bounds of the reassembly of one direction.
#[derive(Clone, Copy, Debug)]
pub struct ReassemblyOptions {
    /// Most bytes of memory for what waits to be handed out.
    pub budget: usize,
    /// How long acknowledged bytes that are missing may come late, by the stamps of the capture.
    pub patience: Span,
}

impl Default for ReassemblyOptions {
    fn default() -> Self {
        // The patience is that of the reader of captures with disorder that it repairs itself.
        Self { budget: 64 << 20, patience: Span::from_millis(100) }
    }
}

/// Why bytes are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// They were acknowledged (or others behind them were sent) and are in no packet of the capture.
    NotCaptured,
    /// Their packet was captured and they were cut off by the snap length.
    Cut,
}

/// Bytes that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where they stand; 0 is the first data byte of the stream, or the first captured where the SYN was not.
    pub offset: i64,
    /// How many.
    pub len: u64,
    /// Why.
    pub reason: GapReason,
}

/// Two copies of the same bytes that are not equal. The first is what is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where they stand.
    pub offset: i64,
    /// From the first that differs to the last.
    pub len: u64,
    /// Frame of the first copy.
    pub first_frame: u64,
    /// Frame of the second.
    pub second_frame: u64,
}

/// What comes out, bytes and gaps in the order of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The next bytes.
    Data {
        /// Where the first of them stands.
        offset: i64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The next bytes are missing.
    Gap(Gap),
    /// A later copy differs; told when it comes, before or after the bytes are handed out.
    Conflict(Conflict),
}

/// What happened on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounts {
    /// Segments with payload.
    pub segments: u64,
    /// Bytes handed out.
    pub bytes: u64,
    /// Bytes that came again.
    pub duplicate_bytes: u64,
    /// Segments of which some bytes came again and some did not.
    pub overlapping_segments: u64,
    /// Segments that left a hole before them.
    pub out_of_order_segments: u64,
    /// Most bytes of the stream behind its first hole.
    pub deepest: u64,
    /// Bytes that came when their gap had been given up.
    pub late_bytes: u64,
    /// Bytes handed out before they were acknowledged, since memory ran out.
    pub forced_bytes: u64,
}

/// One segment's payload.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// Its frame.
    pub frame: u64,
    /// Where its first byte stands.
    pub offset: i64,
    /// Its bytes on the wire.
    pub len: u32,
    /// Those that were captured, from the first on.
    pub bytes: &'a [u8],
    /// It came with a SYN (RFC 7413), so that the receiver may still refuse it.
    pub on_syn: bool,
}

/// Reassembles one direction.
#[derive(Clone, Debug)]
pub struct Reassembler {
    options: ReassemblyOptions,
    pieces: Pieces,
    /// Bytes seen on the wire and not yet handed out, captured or not.
    seen: RangeSet,
    gaps: Gaps,
    /// Everything before it was handed out; not known before that without a SYN.
    out: Option<i64>,
    /// What is called offset 0: the first byte, or the first captured.
    origin: Option<i64>,
    acked: i64,
    /// When missing bytes began to be waited for, and what was acknowledged then.
    waiting: Option<(Timestamp, i64)>,
    only_on_syn: bool,
    counts: ReassemblyCounts,
}

impl Reassembler {
    /// A stream that begins at offset 0 (its SYN was seen), or wherever its first bytes stand.
    pub fn new(from_start: bool, options: ReassemblyOptions) -> Self {
        Self {
            options,
            pieces: Pieces::default(),
            seen: RangeSet::new(),
            gaps: Gaps::default(),
            out: from_start.then_some(0),
            origin: from_start.then_some(0),
            acked: i64::MIN,
            waiting: None,
            only_on_syn: true,
            counts: ReassemblyCounts::default(),
        }
    }

    /// What happened so far.
    pub const fn counts(&self) -> &ReassemblyCounts {
        &self.counts
    }

    /// Memory taken by what is kept, about.
    pub fn memory(&self) -> usize {
        self.pieces.cost() + self.seen.len() * RANGE_COST
    }

    /// Takes the payload of a segment that belongs to the stream: keep-alives and the text of an RST do not.
    pub fn payload(&mut self, payload: &Payload<'_>, now: Timestamp, out: &mut dyn FnMut(Event<'_>)) {
        let start = payload.offset;
        let end = start.saturating_add(i64::from(payload.len));
        if start >= end {
            return;
        }
        let first = self.seen.first();
        let far = first.as_ref().is_some_and(|first| end < first.start.saturating_sub(MOST_BEFORE));
        if self.out.is_none() && far {
            return;
        }
        let origin = *self.origin.get_or_insert(start);
        let floor = self.out.unwrap_or(i64::MIN);
        let front =
            first.map(|first| if first.start <= floor || floor == i64::MIN { first.end } else { floor });
        self.only_on_syn &= payload.on_syn;

        let late = self.gaps.come_late(start..end.min(floor));
        let fresh = self.seen.insert(start.max(floor)..end);
        self.count(start..end, fresh, late, front.or(self.out));
        let captured = payload.bytes.len().min(distance(start, end));
        self.pieces.add(start, &payload.bytes[..captured], payload.frame, floor, &mut |found: Difference| {
            out(Event::Conflict(Conflict {
                offset: found.range.start.saturating_sub(origin),
                len: found.range.end.abs_diff(found.range.start),
                first_frame: found.first_frame,
                second_frame: payload.frame,
            }));
        });
        // Its acknowledgment may have been captured before it, and what is missing may have been waited for enough.
        self.settle(now, out);
        self.bound(out);
    }

    /// Everything before `to` has arrived at the receiver; a FIN's number is not a byte and must not be counted in.
    pub fn acknowledged(&mut self, to: i64, now: Timestamp, out: &mut dyn FnMut(Event<'_>)) {
        self.acked = self.acked.max(to);
        self.settle(now, out);
    }

    /// The answer to a SYN acknowledged nothing but the SYN: its data was not taken and comes again (RFC 7413 section 3).
    pub fn syn_data_refused(&mut self) {
        if self.only_on_syn && self.out == Some(0) {
            self.pieces.clear();
            self.seen = RangeSet::new();
        }
    }

    /// Nothing more will come: hands out what is left.
    pub fn finish(&mut self, out: &mut dyn FnMut(Event<'_>)) {
        if let (None, Some(first)) = (self.out, self.seen.first()) {
            self.out = Some(first.start);
        }
        let last = self.seen.last().map_or(i64::MIN, |last| last.end);
        self.hand_out(last.max(self.acked), out);
        self.gaps.close(self.origin.unwrap_or(0), out);
    }

    fn count(&mut self, range: Range<i64>, fresh: u64, late: u64, front: Option<i64>) {
        let counts = &mut self.counts;
        counts.segments += 1;
        counts.late_bytes += late;
        let again = range.end.abs_diff(range.start).saturating_sub(fresh + late);
        counts.duplicate_bytes += again;
        counts.overlapping_segments += u64::from(again > 0 && fresh > 0);
        counts.out_of_order_segments += u64::from(front.is_some_and(|front| range.start > front));
        let Some((first, last)) = self.seen.first().zip(self.seen.last()) else { return };
        let floor = self.out.unwrap_or(first.start);
        let front = if first.start <= floor { first.end } else { floor };
        counts.deepest = counts.deepest.max(last.end.abs_diff(front));
    }

    /// Hands out what is acknowledged, past missing bytes only where they were waited for long enough.
    fn settle(&mut self, now: Timestamp, out: &mut dyn FnMut(Event<'_>)) {
        let (Some(first), Some(last)) = (self.seen.first(), self.seen.last()) else { return };
        // An acknowledgment beyond all that was seen may be bogus: nothing is given up for it alone.
        let ready = self.acked.min(last.end);
        if self.out.is_none() && self.acked > first.start {
            self.out = Some(first.start);
        }
        while let Some(done) = self.out
            && done < ready
        {
            match self.seen.first() {
                Some(first) if first.start <= done => self.hand_out(first.end.min(ready), out),
                _ => {
                    let (since, to) = match self.waiting {
                        Some((since, to)) if to > done => (since, to),
                        _ => (now, ready),
                    };
                    if now.since(since).abs().as_nanos() < self.options.patience.as_nanos() {
                        self.waiting = Some((since, to));
                        return;
                    }
                    self.waiting = None;
                    self.hand_out(to.min(ready), out);
                }
            }
        }
        self.waiting = None;
    }

    /// Keeps within the budget: what is only kept for comparison goes first.
    fn bound(&mut self, out: &mut dyn FnMut(Event<'_>)) {
        loop {
            let over = self.memory() > self.options.budget;
            if over && self.pieces.remove_first(self.out.unwrap_or(i64::MIN)) {
                continue;
            }
            if !over && self.seen.len() <= MOST_STRETCHES {
                return;
            }
            let Some(first) = self.seen.first() else { return };
            self.out.get_or_insert(first.start);
            let held = after(first.start, self.pieces.from(first.start).len());
            let to = if held > first.start { held } else { first.end };
            self.counts.forced_bytes += to.abs_diff(self.acked.clamp(first.start, to));
            self.hand_out(to, out);
        }
    }

    /// Hands out everything before `to`.
    fn hand_out(&mut self, to: i64, out: &mut dyn FnMut(Event<'_>)) {
        let (Some(mut done), Some(origin)) = (self.out, self.origin) else { return };
        while done < to {
            let bytes = self.pieces.from(done);
            if bytes.is_empty() {
                let next = self.pieces.next_start(done).map_or(to, |next| next.min(to));
                self.gaps.add(done..next, &self.seen, origin, out);
                done = next;
            } else {
                let bytes = &bytes[..bytes.len().min(distance(done, to))];
                self.gaps.close(origin, out);
                out(Event::Data { offset: done.saturating_sub(origin), bytes });
                self.counts.bytes += bytes.len() as u64;
                done = after(done, bytes.len());
            }
        }
        self.out = Some(done);
        self.seen.remove_before(done);
        while self.pieces.remove_first(done.saturating_sub(HISTORY)) {}
    }
}
