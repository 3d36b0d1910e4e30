//! Segments with data that pass from sender to receiver: new bytes, and those whose first copy may have been lost before the tap.

use std::ops::Range;

use super::inferred::Arrival;
use super::record::length;
use super::scoreboard::Copy;
use super::trigger::Situation;
use super::{Closed, LossStage, Passed, StreamState};
use crate::analysis::direction::LARGEST_MSS;
use crate::analysis::facts::Facts;
use crate::analysis::grounds::IP_ID_GAP;
use crate::decode::Segment;
use crate::report::{Kind, Verdict};

impl LossStage {
    /// A segment with data passed from sender to receiver. Gives what it was, or `None` if it was only late.
    #[inline]
    pub(in crate::analysis) fn on_data(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) -> Option<Passed> {
        let (bytes, copy) = self.take(segment, facts, stream.una, stream.full);
        self.sack = stream.sack;
        self.told = stream.told;
        self.learn_halves(stream);
        if let Some((_, echo)) = segment.options.timestamps
            && self.vantage.is_none()
        {
            self.timing.on_echo(echo, segment.at);
        }
        let passed = if bytes.start >= stream.next {
            self.on_new(&bytes, copy, stream, closed);
            Some(Passed { again: None })
        } else {
            self.on_old(&bytes, copy, facts, stream, closed)
        };
        self.episode.on_sent(segment.at);
        self.close_due(segment.at, closed);
        passed
    }

    /// The same, of what begins where all that was sent ends, where all else is known that [`Self::on_data`] looks for: `una` is
    /// what was acknowledged before, and `full` the payload of a full packet. False if it is not, and nothing was done.
    #[inline]
    pub(in crate::analysis) fn on_next(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        una: i64,
        full: u32,
        closed: &mut dyn FnMut(Closed),
    ) -> bool {
        // Where there is a way before the tap, a first copy may have been lost on it.
        if self.vantage.is_none() || self.has_way_before() {
            return false;
        }
        let (bytes, copy) = self.take(segment, facts, Some(una), full);
        self.ids.observe(copy.id);
        self.board.push(bytes, copy);
        self.episode.on_sent(segment.at);
        self.close_due(segment.at, closed);
        true
    }

    /// Counts a segment; gives its bytes and what is kept of it. `una` is what was acknowledged before, and `full` the payload of a
    /// full packet.
    #[inline]
    fn take(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        una: Option<i64>,
        full: u32,
    ) -> (Range<i64>, Copy) {
        let bytes = facts.data.get()..facts.data_end().get();
        let tsval = segment.options.timestamps.map(|(value, _)| value);
        let refused = self.paws.refuses(tsval, bytes.start, una);
        self.full = u64::from(full.max(1));
        self.counts.segments += self.segments(&bytes);
        self.mss = self.mss.max(u64::from(facts.data_len).min(LARGEST_MSS));
        (bytes, Copy { at: segment.at, frame: segment.frame, tsval, id: segment.ip.id, refused })
    }

    /// New bytes after all others, perhaps with a hole before them.
    #[inline]
    fn on_new(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) {
        let hole = stream.next..bytes.start;
        let known = stream.started;
        let moved = self.ids.observe(copy.id);
        let in_hole = if known { u64::try_from(hole.end - hole.start).unwrap_or(0) } else { 0 };
        if in_hole > 0 {
            self.holes.open(hole, copy);
        }
        if known && self.has_way_before() {
            self.infer_loss(bytes, copy, moved, in_hole, stream, closed);
        }
        self.board.push(bytes.clone(), copy);
    }

    /// New bytes whose first copy may have been lost before the tap.
    fn infer_loss(
        &mut self,
        bytes: &Range<i64>,
        copy: Copy,
        moved: Option<u16>,
        in_hole: u64,
        stream: &StreamState,
        closed: &mut dyn FnMut(Closed),
    ) {
        let arrival = Arrival {
            moved: moved.filter(|_| self.ids.counts()).map_or(0, u64::from),
            packets: (bytes.end - bytes.start).unsigned_abs().div_ceil(self.mss),
            in_hole: in_hole.div_ceil(self.mss),
            timer: self.episode.is_timer(copy.at, &self.timing),
            timer_copies: self.episode.timeouts(copy.at, &self.timing).saturating_sub(1),
            no_hole: self.holes.is_empty() && stream.sends_data_only,
            mss: i64::try_from(self.mss).unwrap_or(i64::MAX),
        };
        if !self.tail.on_new(bytes, &arrival) {
            return;
        }
        let una = stream.una.unwrap_or(bytes.start);
        let situation = Situation {
            bytes,
            at: copy.at,
            una,
            next: bytes.end,
            sacked_above: self.board.sacked_after(una, 2 * self.mss),
            mss: self.mss,
            sack: stream.sack,
            stamped: copy.tsval.is_some(),
        };
        let trigger = self.episode.classify(&situation, &self.timing);
        self.counts.inferred += 1;
        closed(Closed {
            frame: copy.frame,
            at: copy.at,
            offset: bytes.start,
            len: length(bytes),
            kind: Kind::InferredLoss,
            trigger,
            verdict: Some(Verdict::Lost),
            evidence: IP_ID_GAP.id,
            confidence: IP_ID_GAP.confidence,
            original_frame: None,
        });
    }
}
