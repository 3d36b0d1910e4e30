//! One frame that is looked at more closely: what its segment was, and how it came by its verdict.

use super::connection::Connection;
use super::facts::Facts;
use super::findings::Findings;
use super::loss::Closed;
use super::loss::trail::Trail;
use crate::decode::{Segment, TcpFlags};
use crate::flow::Side;
use crate::report::Dir;
use crate::seq::StreamOffset;

/// What a segment was to its connection when it passed.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Connection number.
    pub connection: u64,
    /// Who sent it.
    pub dir: Dir,
    /// Its facts; `None` if it was found to be a second capture of another.
    pub facts: Option<Facts>,
    /// Stream offset of its first byte as the report counts.
    pub offset: Option<i64>,
    /// How far beyond the highest byte of its direction it begins; negative below it, `None` for the first segment.
    pub gap: Option<i64>,
    /// What it acknowledges, as the report counts the other direction.
    pub ack_offset: Option<i64>,
    /// It is a SYN, and not the first of its side.
    pub syn_before: bool,
    /// It has a FIN, and not the first of its side.
    pub fin_before: bool,
    /// Its verdict is still to come.
    pub pending: bool,
    /// By how much its window is shifted; `None` where that cannot be known.
    pub window_shift: Option<u8>,
}

/// What is asked for and what was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// 0 is none: frames are counted from 1.
    pub(super) frame: u64,
    pub(super) sighting: Option<Sighting>,
    pub(super) trail: Option<Trail>,
}

impl Watch {
    /// A segment passes while one is watched.
    #[cold]
    pub(super) fn observe(
        &mut self,
        connection: &mut Connection,
        segment: &Segment<'_>,
        from: Side,
        found: &mut Findings,
    ) -> Option<Facts> {
        let watched = segment.frame == self.frame;
        if watched {
            connection.watch(from, self.frame);
        }
        let next = connection.streams[from].as_ref().map(|stream| stream.next().get());
        let facts = connection.observe(segment, from, found);
        if watched {
            let gap = facts.zip(next).map(|(facts, next)| facts.data.get() - next);
            self.sighting = Some(Sighting { gap, ..connection.sighting(segment, from, facts) });
        }
        facts
    }

    /// Verdicts became final, perhaps the one that is asked for.
    #[inline]
    pub(super) fn on_closed(&mut self, connection: &mut Connection, closed: &[(Side, Closed)]) {
        if self.frame != 0
            && let Some((from, _)) = closed.iter().find(|(_, row)| row.frame == self.frame)
        {
            self.trail = connection.take_trail(*from);
        }
    }
}

impl Connection {
    /// Has the stage of `from` write down how the segment in `frame` comes by its verdict.
    pub(super) fn watch(&mut self, from: Side, frame: u64) {
        if let Some(direction) = &mut self.directions[from]
            && let Some(loss) = &mut direction.loss
        {
            loss.watch(frame, direction.origin.map_or(0, StreamOffset::get));
        }
    }

    /// What was written down of it.
    pub(super) fn take_trail(&mut self, from: Side) -> Option<Trail> {
        self.directions[from].as_mut()?.take_trail()
    }

    /// What the segment was, once it has been observed.
    pub(super) fn sighting(&self, segment: &Segment<'_>, from: Side, facts: Option<Facts>) -> Sighting {
        let origin = |side: Side| {
            let direction = self.directions[side].as_ref();
            direction.and_then(|direction| direction.origin).map_or(0, StreamOffset::get)
        };
        let offer = self.lifecycle.handshake().offer(from);
        Sighting {
            connection: self.number,
            dir: self.dir(from),
            facts,
            offset: facts.map(|facts| facts.data.get() - origin(from)),
            gap: None,
            ack_offset: facts.and_then(|facts| facts.ack).map(|ack| ack.get() - origin(from.other())),
            syn_before: segment.flags.has(TcpFlags::SYN) && offer.is_some_and(|offer| offer.count > 1),
            fin_before: segment.flags.has(TcpFlags::FIN) && self.fin_passed_before(segment, from, facts),
            pending: self.directions[from]
                .as_ref()
                .and_then(|direction| direction.loss.as_ref())
                .is_some_and(|loss| loss.is_pending()),
            window_shift: self.lifecycle.handshake().window_shift(from),
        }
    }

    /// Whether another segment with the FIN passed before this one.
    fn fin_passed_before(&self, segment: &Segment<'_>, from: Side, facts: Option<Facts>) -> bool {
        let counters = self.directions[from].as_ref().map(|direction| &direction.counters);
        let first = self.lifecycle.fin(from);
        let this = facts.map(|facts| facts.data + segment.payload_len);
        counters.is_some_and(|counters| counters.fin_packets > 1) && first == this
    }
}
