//! One live connection: the stages of both directions, in their order.

use serde::{Deserialize, Serialize};

use super::ack;
use super::clean::Doubling;
use super::direction::Direction;
use super::facts::{Facts, Purpose};
use super::findings::Findings;
use super::loss::trail::Trail;
use super::loss::{self, AckEdge, Closed, LossStage, StreamState, Vantages};
use super::multipath::{self, Sessions, Subflow};
use super::observed::Observed;
use super::opening;
use super::pipeline::PipelineOptions;
use super::rest;
use super::transactions::Transactions;
use super::twin;
use super::twin::outbox::Address;
use super::watch::Sighting;
use crate::decode::{Segment, TcpFlags};
use crate::flow::{FlowKey, Handshake, Lifecycle, PerSide, Side, Stage, Stream, Tracked};
use crate::report::{Dir, RetransmissionRow, Trace};
use crate::seq::StreamOffset;
use crate::units::Timestamp;

/// How far an acknowledgment may be off and still show that two one-sided VLANs are one connection.
const SAME_CONNECTION: i64 = 1 << 22;

/// Payload of a full packet where no SYN tells.
const ETHERNET_MSS: u32 = 1_460;

/// A connection that is being followed.
#[derive(Debug, Serialize, Deserialize)]
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
    doubling: Doubling,
    ignore_encap: bool,
    vantages: Vantages,
    compacted: bool,
    pub(super) transactions: Transactions,
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
            compacted: false,
            transactions: Transactions::default(),
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
        let purpose = purpose(segment, stream, start, shut);
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
        if self.compacted || !self.lifecycle.is_over() {
            return;
        }
        self.compacted = true;
        self.transactions.shrink();
        for side in [Side::Low, Side::High] {
            if let Some(direction) = &mut self.directions[side] {
                direction.finish_sender(side, found);
                direction.compact(side, found);
            }
        }
    }

    /// Whether its stages have let go of it.
    pub(super) fn is_still(&self) -> bool {
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

/// What the segment's sender says as a receiver of the other direction. Gives whether its acknowledgment number fits what
/// was sent to it.
#[inline]
fn as_receiver(
    segment: &Segment<'_>,
    facts: &mut Facts,
    peer: &mut Stream,
    sender: &mut Direction,
    receiver: Option<&mut Direction>,
    fin: Option<StreamOffset>,
    closed: &mut dyn FnMut(Closed),
) -> bool {
    let Some(ack) = facts.ack else { return false };
    let una = peer.acked();
    let first = una.is_none();
    let unseen = if first { 0 } else { ack.since(peer.next()) };
    let (advance, believed) = peer.acknowledged(segment.ack);
    if !believed {
        facts.ack = None;
        return false;
    }
    facts.ack_advance = advance;
    facts.duplicate_ack = sender.acks.is_duplicate(segment, peer, ack, advance, first);
    if let Some(receiver) = receiver {
        if let Some(loss) = &mut receiver.loss {
            let edge = AckEdge { una: una.map(StreamOffset::get), unseen, next: peer.next().get() };
            loss.on_ack(segment, facts, edge, |number| peer.offset(number).get(), closed);
        }
        if advance > 0 || first {
            // The number of a FIN is acknowledged like a byte but is none.
            let data_ack = fin.map_or(ack, |fin| ack.min(fin));
            receiver.acknowledged(data_ack, advance, segment.at, peer.next());
        }
    }
    una.is_some_and(|una| unseen <= 0 && ack >= una)
}

/// What the segment brings: which of its bytes are new, and what that means for those before it.
#[inline]
fn as_sender(
    segment: &Segment<'_>,
    facts: &mut Facts,
    stream: &mut Stream,
    sender: &mut Direction,
    handshake: &Handshake,
    vouched: bool,
    closed: &mut dyn FnMut(Closed),
) -> Option<loss::Passed> {
    let state = StreamState {
        next: stream.next().get(),
        una: stream.acked().map(StreamOffset::get),
        started: sender.from_start || sender.counters.data_packets > 0,
        sends_data_only: sender.counters.pure_acks * 16 <= sender.counters.data_packets + 16,
        sack: handshake.sack_agreed(),
        // They are worked out until they are known, not at each segment.
        halves: if sender.loss.as_ref().is_some_and(|loss| loss.knows_halves()) {
            None
        } else {
            handshake.halves(facts.from)
        },
        told: sender.told,
        full: handshake.full_size(facts.from, segment.options.timestamps.is_some()).unwrap_or(ETHERNET_MSS),
    };
    if facts.in_stream && segment.seq_len() > 0 {
        if stream.sent(segment.seq, segment.seq_len(), vouched) {
            sender.in_flight(stream);
        } else {
            facts.data_len = 0;
            sender.counters.out_of_window += 1;
        }
    }
    if facts.data_len > 0 {
        sender.origin.get_or_insert(facts.data);
        let fresh = sender.coverage.add(facts.data.get()..facts.data_end().get());
        facts.fresh = u32::try_from(fresh).unwrap_or(u32::MAX);
    }
    if facts.data_len > 0 && facts.purpose == Purpose::Ordinary {
        let loss = sender.loss.get_or_insert_with(|| Box::new(LossStage::new()));
        return loss.on_data(segment, facts, &state, closed);
    }
    if let Some(row) = loss::labelled(segment, facts) {
        closed(row);
    }
    if let Some(loss) = &mut sender.loss {
        // An acknowledgment stands after all that its sender has sent.
        let ahead = facts.data.since(stream.next());
        if segment.is_pure_ack() && vouched && state.started && (1..=SAME_CONNECTION).contains(&ahead) {
            loss.passed_over(stream.next().get()..facts.data.get(), segment);
            stream.sent(segment.seq, 0, true);
        }
        loss.on_other(segment);
    }
    None
}

/// Keep-alives and window probes stand one byte before what comes next and carry at most that byte.
#[inline]
fn purpose(segment: &Segment<'_>, stream: &Stream, start: StreamOffset, shut: bool) -> Purpose {
    if segment.payload_len > 1 || segment.flags.has(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST) {
        return Purpose::Ordinary;
    }
    let next = stream.next();
    if start == next.plus(-1) {
        if shut {
            return Purpose::WindowProbe;
        }
        // A lost last byte is sent again too, but it has not been acknowledged.
        let acknowledged = stream.acked().is_some_and(|acked| acked >= next);
        if segment.payload_len == 0 || acknowledged {
            return Purpose::KeepAlive;
        }
    } else if shut && segment.payload_len == 1 && start == next {
        return Purpose::WindowProbe;
    }
    Purpose::Ordinary
}

impl Connection {
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
        if let Some(mine) = &self.directions[from] {
            return mine.encap == segment.encap;
        }
        let Some(theirs) = &self.directions[from.other()] else { return true };
        if theirs.encap == segment.encap {
            return true;
        }
        // A router on a stick sends each direction in a VLAN of its own: what it acknowledges tells that it answers.
        segment.flags.has(TcpFlags::ACK)
            && self.streams[from.other()].as_ref().is_some_and(|stream| {
                stream.next().since(stream.offset(segment.ack)).abs() <= SAME_CONNECTION
            })
    }

    fn is_over_for(&self, segment: &Segment<'_>, from: Side) -> bool {
        self.lifecycle.is_over_for(segment, from, &self.streams)
    }

    fn pack(&self) -> Option<Box<[u8]>> {
        rest::pack(self)
    }

    fn unpack(bytes: &[u8]) -> Option<Self> {
        rest::unpack(bytes)
    }
}
