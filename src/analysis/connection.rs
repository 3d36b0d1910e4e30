//! One live connection: the stages of both directions, in their order.

use serde::{Deserialize, Serialize};

use super::ack;
use super::clean::Doubling;
use super::direction::Direction;
use super::facts::{Facts, Purpose};
use super::findings::Findings;
use super::lone::Lone;
use super::loss::{Closed, Vantages};
use super::multipath::{self, Sessions, Subflow};
use super::observed::Observed;
use super::opening;
use super::pipeline::PipelineOptions;
use super::rest;
use super::roles::{as_receiver, as_sender};
use super::transactions::Transactions;
use super::twin;
use super::twin::outbox::Address;
use crate::decode::{EncapId, Segment, TcpFlags};
use crate::flow::{FlowKey, Lifecycle, PerSide, Side, Stage, Stream, Tracked};
use crate::report::{Dir, RetransmissionRow, Trace};
use crate::seq::StreamOffset;
use crate::units::Timestamp;

/// How far an acknowledgment may be off and still show that two one-sided VLANs are one connection.
pub(super) const SAME_CONNECTION: i64 = 1 << 22;

/// A connection that is being followed.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts and wishes")]
pub(super) struct Connection {
    pub(super) number: u64,
    pub(super) key: FlowKey,
    pub(super) lifecycle: Lifecycle,
    pub(super) streams: PerSide<Option<Stream>>,
    pub(super) directions: PerSide<Option<Box<Direction>>>,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
    pub(super) first_frame: u64,
    pub(super) packets: u64,
    pub(super) port_reused: bool,
    pub(super) doubling: Doubling,
    ignore_encap: bool,
    vantages: Vantages,
    /// It is open and neither opens nor closes: what comes is plain unless it says otherwise.
    pub(super) calm: bool,
    /// Nothing is taken the short way.
    long_way: bool,
    compacted: bool,
    pub(super) transactions: Transactions,
    /// Its only packet, while that waits.
    #[serde(skip)]
    pub(super) lone: Option<Box<Lone>>,
}

impl Connection {
    /// The connection that `segment` is the first of.
    pub(super) fn starting_with(
        segment: &Segment<'_>,
        key: &FlowKey,
        from: Side,
        number: u64,
        port_reused: bool,
        options: &PipelineOptions,
    ) -> Self {
        Self {
            number,
            key: *key,
            lifecycle: Lifecycle::starting_with(segment, key, from),
            streams: PerSide::default(),
            directions: PerSide::default(),
            first: segment.at,
            last: segment.at,
            first_frame: segment.frame,
            packets: 0,
            port_reused,
            doubling: Doubling::default(),
            ignore_encap: options.ignore_encap,
            vantages: options.vantages,
            calm: false,
            long_way: options.long_way,
            compacted: false,
            transactions: Transactions::default(),
            lone: None,
        }
    }

    /// Runs the stages over one segment; what they put out goes to `found`. Gives its facts, or `None` if it is
    /// a second capture of one seen before.
    #[inline]
    pub(super) fn observe(
        &mut self,
        segment: &Segment<'_>,
        from: Side,
        found: &mut Findings,
    ) -> Option<Facts> {
        let plain = self.observe_plain(segment, from, found);
        if plain.is_some() { plain } else { self.observe_any(segment, from, found) }
    }

    /// The same, whatever the segment is.
    pub(super) fn observe_any(
        &mut self,
        segment: &Segment<'_>,
        from: Side,
        found: &mut Findings,
    ) -> Option<Facts> {
        let flags = segment.flags;
        let (mine, theirs) = self.streams.split(from);
        let (sender, receiver) = self.directions.split(from);
        let sender =
            sender.get_or_insert_with(|| Box::new(Direction::new(segment.encap, flags.has(TcpFlags::SYN))));
        let syn = flags.has(TcpFlags::SYN);
        let begin = || if syn { Stream::from_syn(segment.seq) } else { Stream::from_middle(segment.seq) };
        // The number of an RST that answers a SYN (or is forged) says nothing about where a stream begins.
        let mut unanchored = None;
        let mine = if flags.has(TcpFlags::RST) && mine.is_none() { &mut unanchored } else { mine };
        let stream = mine.get_or_insert_with(begin);
        let has_ack = flags.has(TcpFlags::ACK);
        // An acknowledgment is the first that is heard of a direction whose data goes another way.
        let peer = if has_ack && !flags.has(TcpFlags::RST) {
            Some(theirs.get_or_insert_with(|| Stream::from_middle(segment.ack)))
        } else {
            theirs.as_mut()
        };

        // Clean: is it a second capture of the same packet?
        let start = stream.offset(segment.seq);
        let data = stream.offset(segment.data_seq());
        let ack = if has_ack { peer.as_ref().map(|peer| peer.offset(segment.ack)) } else { None };
        let seq_end = start + segment.seq_len();
        let ack_is_new = match (&peer, ack) {
            (Some(peer), Some(ack)) => peer.acked().is_none_or(|acked| ack > acked),
            _ => false,
        };
        let advances = seq_end > stream.next() || ack_is_new || sender.counters.packets == 0;
        if sender.duplicates.is_duplicate(segment, advances, &mut self.doubling) {
            return None;
        }
        self.packets += 1;
        self.last = self.last.max(segment.at);

        // What is it for?
        let shut = receiver.as_ref().is_some_and(|receiver| receiver.window.is_shut());
        let purpose = Purpose::of(segment, stream, start, shut);
        let in_stream = !flags.has(TcpFlags::RST) && (purpose == Purpose::Ordinary || start == stream.next());
        let mut facts = Facts {
            from,
            data,
            data_len: if in_stream { segment.payload_len } else { 0 },
            fresh: 0,
            ack,
            ack_advance: 0,
            purpose,
            in_stream,
            duplicate_ack: false,
            dsack: !segment.options.sack.is_empty() && ack::reports_duplicate(segment),
        };
        let opened = self.lifecycle.handshake().is_complete();
        self.lifecycle.observe(segment, from, data, ack);
        self.calm = !self.long_way && self.lifecycle.is_calm();
        found.stand(self.number, self.lifecycle.client());
        let handshake = self.lifecycle.handshake();
        opening::tell(segment, from, handshake, !opened && handshake.is_complete(), found);

        let mut vouched = false;
        if let Some(peer) = peer
            && !flags.has(TcpFlags::RST)
        {
            let fin = self.lifecycle.fin(from.other());
            let closed = &mut |row| found.closed.push((from.other(), row));
            vouched = as_receiver(segment, &mut facts, peer, sender, receiver.as_deref_mut(), fin, closed);
            if let Some(receiver) = receiver.as_deref_mut() {
                twin::hears(segment, from, &facts, (peer, fin), self.lifecycle.handshake(), receiver, found);
            }
        }
        let closed = &mut |row| found.closed.push((from, row));
        let handshake = self.lifecycle.handshake();
        let client = self.lifecycle.client();
        sender.told = self.vantages.of(if from == client { Dir::C2s } else { Dir::S2c });
        let passed = as_sender(segment, &mut facts, stream, sender, handshake, vouched, closed);
        if let Some(passed) = passed {
            twin::sends(segment, from, &facts, passed.again, handshake, sender, found);
        }
        if facts.fresh > 0 {
            self.transactions.data(from, segment.at);
        }
        sender.window.observe(segment);
        let mss = self.lifecycle.handshake().offer(from.other()).and_then(|offer| offer.mss);
        sender.counters.observe(segment, &facts, mss);
        Some(facts)
    }

    /// Once it is closed, keeps what the report needs: it waits among many for stray packets.
    #[inline]
    pub(super) fn compact_if_over(&mut self, found: &mut Findings) {
        if !self.compacted && self.lifecycle.is_over() {
            self.compact(found);
        }
    }

    #[cold]
    fn compact(&mut self, found: &mut Findings) {
        self.compacted = true;
        self.transactions.shrink();
        for side in [Side::Low, Side::High] {
            if let Some(direction) = &mut self.directions[side] {
                direction.finish_sender(side, found);
                direction.compact(side, found);
            }
        }
    }

    /// In which VLANs and tunnels a side sends.
    #[inline]
    fn encap(&self, from: Side) -> Option<EncapId> {
        match (&self.directions[from], &self.lone) {
            (Some(direction), _) => Some(direction.encap),
            (None, Some(lone)) => lone.encap(from),
            (None, None) => None,
        }
    }

    /// Whether its stages have let go of it.
    pub(super) fn is_still(&self) -> bool {
        if self.lone.is_some() {
            return false;
        }
        let mut directions = [&self.directions.low, &self.directions.high].into_iter().flatten();
        directions.all(|direction| direction.is_still())
    }

    /// Has twins that live elsewhere send what the report needs; gives where each of them lives, per side.
    pub(super) fn call_home(&mut self, found: &mut Findings) -> PerSide<Option<Address>> {
        let mut away = PerSide::default();
        for side in [Side::Low, Side::High] {
            away[side] =
                self.directions[side].as_mut().and_then(|direction| direction.call_home(side, found));
        }
        away
    }

    /// No more evidence will come: closes what is open.
    pub(super) fn finish(&mut self, found: &mut Findings) {
        for side in [Side::Low, Side::High] {
            if let Some(direction) = &mut self.directions[side] {
                direction.finish_sender(side, found);
                direction.close_verdicts(&mut |row| found.closed.push((side, row)));
            }
        }
    }

    /// What a listener is told of a segment that was just taken in.
    #[inline]
    pub(super) fn observed<'a>(&self, segment: &'a Segment<'a>, facts: &'a Facts) -> Observed<'a> {
        // The number of a FIN is acknowledged like a byte but is none.
        let fin = self.lifecycle.fin(facts.from.other()).map(|fin| fin.plus(1));
        Observed {
            connection: self.number,
            dir: self.dir(facts.from),
            segment,
            facts,
            from_start: self.directions[facts.from].as_ref().is_some_and(|direction| direction.from_start),
            data_ack: facts.ack.map(|ack| if fin == Some(ack) { ack.plus(-1) } else { ack }),
        }
    }

    /// Takes in what a segment says of Multipath TCP, of which this connection is a subflow.
    pub(super) fn observe_multipath(
        &mut self,
        segment: &Segment<'_>,
        facts: &Facts,
        sessions: &mut Sessions,
        found: &mut Findings,
    ) {
        let from_client = facts.from == self.lifecycle.client();
        let Some(before) = sessions.observe(segment, facts, Subflow { number: self.number, from_client })
        else {
            return;
        };
        if let Some(direction) = &mut self.directions[facts.from] {
            direction.counters.reinjected += 1;
        }
        found.closed.push((facts.from, multipath::reinjection(segment, facts, before)));
    }

    pub(super) const fn dir(&self, from: Side) -> Dir {
        match (from, self.lifecycle.client()) {
            (Side::Low, Side::Low) | (Side::High, Side::High) => Dir::C2s,
            _ => Dir::S2c,
        }
    }

    /// The rounds of each direction: c2s and s2c.
    pub(super) fn take_traces(&mut self) -> [Option<Trace>; 2] {
        let client = self.lifecycle.client();
        [client, client.other()].map(|side| self.directions[side].as_mut()?.take_trace())
    }

    /// A verdict as a row of the report.
    pub(super) fn row(&self, from: Side, row: &Closed) -> RetransmissionRow {
        let origin = self.directions[from].as_ref().and_then(|direction| direction.origin);
        RetransmissionRow {
            connection: self.number,
            dir: self.dir(from),
            frame: row.frame,
            ts_ns: row.at.as_nanos(),
            offset: row.offset - origin.map_or(0, StreamOffset::get),
            len: row.len,
            kind: row.kind,
            trigger: row.trigger,
            verdict: row.verdict,
            evidence: row.evidence,
            confidence: row.confidence,
            original_frame: row.original_frame,
        }
    }
}

impl Tracked for Connection {
    fn stage(&self) -> Stage {
        self.lifecycle.stage()
    }

    fn last(&self) -> Timestamp {
        self.last
    }

    fn accepts(&mut self, segment: &Segment<'_>, from: Side) -> bool {
        if self.ignore_encap {
            return true;
        }
        if let Some(mine) = self.encap(from) {
            return mine == segment.encap;
        }
        let Some(theirs) = self.encap(from.other()) else { return true };
        if theirs == segment.encap {
            return true;
        }
        // A router on a stick sends each direction in a VLAN of its own: what it acknowledges tells that it answers.
        segment.flags.has(TcpFlags::ACK)
            && self.lone.as_ref().map_or(self.streams, |lone| lone.streams())[from.other()].is_some_and(
                |stream| stream.next().since(stream.offset(segment.ack)).abs() <= SAME_CONNECTION,
            )
    }

    fn is_over_for(&self, segment: &Segment<'_>, from: Side) -> bool {
        match &self.lone {
            None => self.lifecycle.is_over_for(segment, from, &self.streams),
            Some(lone) => self.lifecycle.is_over_for(segment, from, &lone.streams()),
        }
    }

    fn pack(&self) -> Option<Box<[u8]>> {
        rest::pack(self)
    }

    fn unpack(bytes: &[u8]) -> Option<Self> {
        rest::unpack(bytes)
    }
}
