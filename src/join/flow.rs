//! A connection that is in both captures.

use super::clock::{Clocks, Estimate};
use super::delay::Delays;
use super::packet;
use super::score::{Passage, Row};
use super::tally::Tally;
use super::tap::Tap;
use super::way::{Progress, Way};
use crate::analysis::Observed;
use crate::decode::TcpFlags;
use crate::flow::{FlowKey, PerSide, Side};
use crate::report::join::{JoinedConnection, JoinedDirection};
use crate::report::{ConnectionReport, Dir, DirectionReport, ReportSink, RetransmissionRow, Vantage};
use crate::seq::SeqNumber;
use crate::units::{Span, Timestamp};

/// How far from what is known of a stream a segment may lie and belong to it.
const SAME: i64 = 1 << 26;

/// Scores by capture, and within it near the data's sender and near its receiver.
pub(super) type Tallies = [[Tally; 2]; 2];

/// One connection.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) key: FlowKey,
    /// Its number in each capture.
    pub(super) numbers: [Option<u64>; 2],
    /// Which end is the client, by each capture.
    clients: [Side; 2],
    isn: PerSide<Option<SeqNumber>>,
    ways: PerSide<Way>,
    /// What the first capture's analysis says of it, with which the report begins.
    report: Option<Box<ConnectionReport>>,
    /// What each says that is needed, once it is done with it.
    taps: [Option<TapSaid>; 2],
    /// Packets held, as the joiner has counted them.
    pub(super) held: usize,
}

/// What the analysis of one capture says of a connection that both taps need: a whole report of each would be most of what is held.
#[derive(Clone, Copy, Debug)]
struct TapSaid {
    connection: u64,
    /// Of what the client sent and of what the server did: where the tap stands, copies, and packets.
    c2s: (Vantage, u64, u64),
    s2c: (Vantage, u64, u64),
}

impl TapSaid {
    fn of(report: &ConnectionReport) -> Self {
        let said = |of: &DirectionReport| (of.vantage, of.duplicates, of.packets);
        Self { connection: report.connection, c2s: said(&report.c2s), s2c: said(&report.s2c) }
    }
}

/// A connection that is over, but for its clocks.
#[derive(Debug)]
pub(super) struct Finished {
    report: JoinedConnection,
    delays: [Option<(Tap, Delays)>; 2],
}

impl Flow {
    pub(super) fn new(key: FlowKey) -> Self {
        Self {
            key,
            numbers: [None; 2],
            clients: [Side::Low; 2],
            isn: PerSide::default(),
            ways: PerSide { low: Way::new(), high: Way::new() },
            report: None,
            taps: [None, None],
            held: 0,
        }
    }

    /// Whether a segment of a connection that is new in the capture of `tap` can belong to this one.
    pub(super) fn fits(&self, tap: Tap, seen: &Observed<'_>) -> bool {
        let from = seen.facts.from;
        if self.numbers[tap.index()].is_some() {
            return false;
        }
        let segment = seen.segment;
        if segment.flags.has(TcpFlags::SYN)
            && let Some(isn) = self.isn[from]
        {
            return isn == segment.seq;
        }
        self.ways[from].offset(segment.seq).is_none_or(|offset| {
            let known = self.ways[from].counts.data_bytes;
            offset.unsigned_abs() <= SAME.unsigned_abs() + known
        })
    }

    /// It is connection `number` in the capture of `tap`.
    pub(super) fn attach(&mut self, tap: Tap, seen: &Observed<'_>) {
        let from = seen.facts.from;
        self.numbers[tap.index()] = Some(seen.connection);
        self.clients[tap.index()] = if seen.dir == Dir::C2s { from } else { from.other() };
    }

    /// A segment passed `tap`.
    pub(super) fn observe(
        &mut self,
        tap: Tap,
        seen: &Observed<'_>,
        progress: &Progress,
        clocks: &mut Clocks,
    ) {
        let (segment, from) = (seen.segment, seen.facts.from);
        let begins = segment.flags.has(TcpFlags::SYN);
        if begins {
            self.isn[from].get_or_insert(segment.seq);
            if let Some(mss) = segment.options.mss {
                self.ways.low.size.offer(mss);
                self.ways.high.size.offer(mss);
            }
        }
        if seen.facts.ack.is_some() {
            self.ways[from.other()].acknowledged(tap, segment.ack);
        }
        let way = &mut self.ways[from];
        let mut size = way.size;
        let mut found = None;
        packet::cut(seen, &mut size, |packet| found = way.pass(tap, packet, begins).or(found));
        way.size = size;
        if let Some(later) = found {
            clocks.seed(later);
            self.orient();
        }
        self.settle(progress, clocks);
    }

    /// Which tap stands nearer to which end: what goes from the first tap to the second comes later by the path's delay,
    /// what goes back sooner, however the clocks are set.
    fn orient(&mut self) {
        if self.ways.low.near.is_some() {
            return;
        }
        if let (Some(low), Some(high)) = (self.ways.low.later(), self.ways.high.later())
            && low != high
        {
            self.stand(if low > high { Tap::First } else { Tap::Second });
        }
    }

    /// What the lower end sends passes `near` first.
    const fn stand(&mut self, near: Tap) {
        self.ways.low.near = Some(near);
        self.ways.high.near = Some(near.other());
    }

    fn settle(&mut self, progress: &Progress, clocks: &mut Clocks) {
        self.ways.low.settle(progress, clocks);
        self.ways.high.settle(progress, clocks);
    }

    /// The analysis of one capture is done with it. Gives whether both are.
    pub(super) fn closed(&mut self, tap: Tap, report: ConnectionReport) -> bool {
        self.taps[tap.index()] = Some(TapSaid::of(&report));
        if tap == Tap::First {
            self.report = Some(Box::new(report));
        }
        self.numbers.iter().zip(&self.taps).all(|(number, said)| number.is_none() || said.is_some())
    }

    /// Packets held.
    pub(super) fn hold(&self) -> usize {
        self.ways.low.held() + self.ways.high.held()
    }

    /// The analysis of one capture said this of it.
    pub(super) fn said(&mut self, tap: Tap, row: &RetransmissionRow) {
        let client = self.clients[tap.index()];
        let way = &mut self.ways[if row.dir == Dir::C2s { client } else { client.other() }];
        let origin = way.origin[tap.index()].unwrap_or(0);
        way.ledger.said(tap, row, origin);
    }

    /// Closes what is too much to hold.
    pub(super) fn relieve(&mut self, tallies: &mut Tallies, sink: &mut dyn ReportSink) {
        for side in [Side::Low, Side::High] {
            if let Some(until) = self.ways[side].ledger.excess() {
                self.close(side, until, tallies, sink);
            }
        }
    }

    /// Rows of one direction up to `until` to the sink, and into the scores.
    fn close(&mut self, side: Side, until: Timestamp, tallies: &mut Tallies, sink: &mut dyn ReportSink) {
        let [number, second] = self.numbers;
        let client = self.clients[usize::from(number.is_none())];
        let dir = if side == client { Dir::C2s } else { Dir::S2c };
        let Some(near) = self.ways[side].near else { return };
        let goes_on = matches!(self.told(near.other(), side), Some((Vantage::Middle | Vantage::Sender, ..)));
        let way = &mut self.ways[side];
        let origin = way.origin[near.index()].unwrap_or(0);
        let connection = number.or(second).unwrap_or(0);
        let (mut before, mut needs) = (way.before, way.needs);
        let mut emit = |row: Row| {
            before.add(&row);
            needs.add(&row);
            sink.retransmission(&RetransmissionRow {
                connection,
                dir,
                frame: row.frame,
                ts_ns: row.at.as_nanos(),
                offset: row.bytes.start - origin,
                len: u32::try_from(row.bytes.end - row.bytes.start).unwrap_or(u32::MAX),
                kind: row.kind,
                trigger: row.trigger,
                verdict: row.verdict,
                evidence: row.evidence,
                confidence: row.confidence,
                original_frame: row.original_frame,
            });
        };
        let [first, second] = tallies;
        // The near tap is judged as one at the sender, the far one as one at the receiver.
        let (at_near, at_far) = if near == Tap::First {
            (&mut first[0], &mut second[1])
        } else {
            (&mut second[0], &mut first[1])
        };
        let later = way.later().unwrap_or(Span::ZERO);
        let later = if near == Tap::First { later } else { Span::ZERO - later };
        let passage = Passage { near, later, origin, goes_on };
        way.ledger.close(&passage, until, [at_near, at_far], &mut emit);
        (way.before, way.needs) = (before, needs);
    }

    /// Both captures are done with it. `None` where no packet of it was found in both.
    pub(super) fn finish(
        mut self,
        progress: &Progress,
        clocks: &mut Clocks,
        tallies: &mut Tallies,
        sink: &mut dyn ReportSink,
    ) -> Option<Finished> {
        if self.ways.low.counts.matched + self.ways.high.counts.matched == 0 {
            return None;
        }
        if self.ways.low.near.is_none() {
            self.stand(self.guess());
        }
        let done = Progress { hurry: true, ..*progress };
        self.settle(&done, clocks);
        for side in [Side::Low, Side::High] {
            self.close(side, Timestamp::MAX, tallies, sink);
        }
        self.count_copies();
        let second = self.taps[1].map(|said| said.connection);
        let mut report = *self.report.take()?;
        let client = self.clients[usize::from(self.numbers[0].is_none())];
        let (mut c2s, mut s2c) = (&mut self.ways.low, &mut self.ways.high);
        if client == Side::High {
            std::mem::swap(&mut c2s, &mut s2c);
        }
        c2s.bursts.end();
        s2c.bursts.end();
        let directions = [direction(c2s), direction(s2c)];
        overrule(&mut report.c2s, c2s);
        overrule(&mut report.s2c, s2c);
        let delays = [c2s, s2c].map(|way| Some((way.near?, std::mem::take(&mut way.delays))));
        let [c2s, s2c] = directions;
        let joined = JoinedConnection {
            connection: report.connection,
            second_connection: second,
            client_ip: report.client_ip.clone(),
            client_port: report.client_port,
            server_ip: report.server_ip.clone(),
            server_port: report.server_port,
            first_ns: report.first_ns,
            last_ns: report.last_ns,
            c2s,
            s2c,
        };
        sink.connection(report);
        Some(Finished { report: joined, delays })
    }

    /// What the analysis of one capture says of what `side` sends.
    fn told(&self, tap: Tap, side: Side) -> Option<(Vantage, u64, u64)> {
        let said = self.taps[tap.index()]?;
        let client = self.clients[tap.index()];
        Some(if side == client { said.c2s } else { said.s2c })
    }

    /// Equal packets within little time are taken for second captures by the analysis of one tap, which two tell from
    /// copies made on the way: those are few, and the near tap has none.
    fn count_copies(&mut self) {
        for side in [Side::Low, Side::High] {
            let Some(near) = self.ways[side].near else { continue };
            if let (Some((_, 0, _)), Some((_, copies, packets))) =
                (self.told(near, side), self.told(near.other(), side))
                && copies < packets / 4
            {
                self.ways[side].counts.copied += copies;
            }
        }
    }

    /// Which tap the lower end's packets pass first, where packets of one direction alone are in both captures: by the
    /// routers between them, or else by clocks that are taken to agree.
    fn guess(&self) -> Tap {
        let (low, high) = (&self.ways.low, &self.ways.high);
        let by_hops = low.first_by_hops().or_else(|| high.first_by_hops().map(Tap::other));
        by_hops.unwrap_or_else(|| {
            let later = low.later().or_else(|| high.later().map(|later| Span::ZERO - later));
            if later.is_some_and(Span::is_negative) { Tap::Second } else { Tap::First }
        })
    }
}

impl Finished {
    /// Delay samples held.
    pub(super) fn held(&self) -> usize {
        self.delays.iter().flatten().map(|(_, delays)| delays.len()).sum()
    }

    /// Holds fewer of them.
    pub(super) fn shrink(&mut self) {
        self.delays.iter_mut().flatten().for_each(|(_, delays)| delays.shrink());
    }

    /// By the clocks as they are known at the end.
    pub(super) fn report(self, clock: &Estimate) -> JoinedConnection {
        let [c2s, s2c] =
            self.delays.map(|delays| delays.and_then(|(near, delays)| delays.report(near, clock)));
        let mut report = self.report;
        (report.c2s.delay, report.s2c.delay) = (c2s, s2c);
        report
    }
}

fn direction(way: &Way) -> JoinedDirection {
    let (counts, needs) = (&way.counts, &way.needs);
    JoinedDirection {
        near: way.near.map(|near| if near == Tap::First { "sender" } else { "receiver" }),
        packets: counts.packets,
        data_packets: counts.data_packets,
        data_bytes: counts.data_bytes,
        lost_packets: counts.lost_packets,
        lost_data_packets: counts.lost_data_packets,
        lost_data_bytes: counts.lost_bytes,
        lost_acks: counts.lost_acks,
        loss_events: way.bursts.events,
        loss_burst_min: way.bursts.shortest,
        loss_burst_max: (way.bursts.events > 0).then_some(way.bursts.longest),
        retransmitted_packets: counts.retransmitted,
        retransmitted_bytes: counts.retransmitted_bytes,
        needed_packets: needs.needed,
        spurious_packets: needs.spurious,
        partly_needed_packets: needs.partial,
        undecided_packets: needs.undecided,
        lost_behind_packets: needs.behind,
        lost_before_packets: way.before.lost + way.before.inferred,
        reordered_packets: counts.reordered,
        reordering_extent: (counts.reordered > 0).then_some(counts.extent),
        copied_packets: counts.copied,
        ce_marked_packets: counts.marked,
        not_captured_near: counts.not_captured_near,
        not_captured_far: counts.not_captured_far,
        outside_packets: counts.outside,
        delay: None,
    }
}

/// Puts what both taps saw in place of what one alone could tell.
fn overrule(report: &mut DirectionReport, way: &Way) {
    let (counts, needs, before) = (&way.counts, &way.needs, &way.before);
    report.retransmitted_packets = Some(counts.retransmitted + before.retransmitted);
    report.retransmitted_bytes = Some(counts.retransmitted_bytes + before.bytes);
    report.lost_packets = Some(needs.needed + needs.partial + needs.behind + before.lost);
    report.spurious_packets = Some(needs.spurious + before.spurious);
    report.undecided_packets = Some(needs.undecided + before.undecided);
    report.reordered_packets = Some(counts.reordered + before.reordered);
    report.inferred_losses = Some(before.inferred);
    report.data_segments = Some(counts.data_packets);
    report.retransmitted_segments = report.retransmitted_packets;
    report.lost_segments = report.lost_packets;
    report.spurious_segments = report.spurious_packets;
    report.loss_events = Some(way.bursts.events);
    report.loss_burst_min = way.bursts.shortest;
    report.loss_burst_max = (way.bursts.events > 0).then_some(way.bursts.longest);
    let share = |part: Option<u64>, whole: Option<u64>| {
        part.zip(whole).filter(|(_, whole)| *whole > 0).map(|(part, whole)| part as f64 / whole as f64)
    };
    report.retransmission_overhead = share(report.retransmitted_bytes, Some(report.unique_bytes));
    report.retransmissions_per_loss = share(report.retransmitted_packets, report.lost_packets);
    report.vantage = match way.near {
        Some(Tap::First) => Vantage::Sender,
        Some(Tap::Second) => Vantage::Receiver,
        None => Vantage::Unknown,
    };
}
