//! One direction of a connection between the two taps: finds the packets of one capture in the other, and settles what
//! became of each in the order of its sending.

use std::ops::Range;

use super::burst::Bursts;
use super::clock::Clocks;
use super::delay::Delays;
use super::fate::{self, Fate, Fates};
use super::order::Order;
use super::packet::{FullSize, Packet};
use super::queue::{Entry, Queue, Twin};
use super::score::{Before, Late, Ledger, Needs, Resent};
use super::tap::{Extent, Tap};
use crate::analysis::ranges::RangeSet;
use crate::seq::Unwrapper;
use crate::units::{Span, Timestamp};

/// A packet is lost once one that was sent after it has arrived and so much time has passed since: no path
/// reorders over a longer time.
const LATEST: Span = Span::from_secs(1);

/// The same where nothing was sent after it.
const PATIENCE: Span = Span::from_secs(30);

/// Packets kept of one direction at one tap; the oldest are settled with what is known beyond it.
const MOST: usize = 1 << 20;

/// How far both captures have been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    pub(super) extents: [Extent; 2],
    /// By how much the second clock is ahead, roughly.
    pub(super) ahead: Option<Span>,
    /// Too many packets are held: none is waited for.
    pub(super) hurry: bool,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) packets: u64,
    pub(super) data_packets: u64,
    pub(super) data_bytes: u64,
    pub(super) pure_acks: u64,
    pub(super) lost_packets: u64,
    pub(super) lost_data_packets: u64,
    pub(super) lost_bytes: u64,
    pub(super) lost_acks: u64,
    pub(super) not_captured_near: u64,
    pub(super) not_captured_far: u64,
    pub(super) outside: u64,
    pub(super) copied: u64,
    pub(super) marked: u64,
    pub(super) reordered: u64,
    pub(super) extent: u64,
    pub(super) retransmitted: u64,
    pub(super) retransmitted_bytes: u64,
    pub(super) matched: u64,
}

/// One direction.
#[derive(Debug)]
pub(super) struct Way {
    place: Option<Unwrapper>,
    pub(super) size: FullSize,
    queues: [Queue; 2],
    /// Where the stream of each capture begins: its SYN's next byte, or the first data byte it holds.
    pub(super) origin: [Option<i64>; 2],
    /// Bytes that passed each tap.
    seen: [RangeSet; 2],
    /// Up to where the receiver has acknowledged, by each capture.
    acked: [Option<i64>; 2],
    /// Which tap the packets pass first.
    pub(super) near: Option<Tap>,
    /// How much later, by the clocks as they are, the second tap saw the latest packet that both have.
    later: Option<Span>,
    /// Packets whose time to live the second tap saw lower, less those of which it was the first.
    hops: i64,
    /// The first entry from the head on that is known to have arrived.
    next_arrived: u64,
    fates: Fates,
    order: Order,
    pub(super) bursts: Bursts,
    pub(super) delays: Delays,
    pub(super) counts: Counts,
    pub(super) needs: Needs,
    pub(super) before: Before,
    pub(super) ledger: Ledger,
}

impl Way {
    pub(super) fn new() -> Self {
        Self {
            place: None,
            size: FullSize::default(),
            queues: [Queue::new(), Queue::new()],
            origin: [None; 2],
            seen: [RangeSet::new(), RangeSet::new()],
            acked: [None; 2],
            near: None,
            later: None,
            hops: 0,
            next_arrived: 0,
            fates: Fates::default(),
            order: Order::default(),
            bursts: Bursts::default(),
            delays: Delays::default(),
            counts: Counts::default(),
            needs: Needs::default(),
            before: Before::default(),
            ledger: Ledger::default(),
        }
    }

    /// Packets held.
    pub(super) fn held(&self) -> usize {
        self.queues[0].len() + self.queues[1].len()
    }

    /// How much later the second tap saw what both have; `None` before any was found.
    pub(super) const fn later(&self) -> Option<Span> {
        self.later
    }

    /// Which tap the packets of this direction pass first, by the routers between.
    pub(super) const fn first_by_hops(&self) -> Option<Tap> {
        match self.hops {
            0 => None,
            1.. => Some(Tap::First),
            _ => Some(Tap::Second),
        }
    }

    /// Where `seq` stands in the stream, which counts from the first packet of this direction that any tap saw.
    pub(super) fn offset(&self, seq: crate::seq::SeqNumber) -> Option<i64> {
        self.place.as_ref().map(|place| place.offset(seq).get())
    }

    /// The receiver acknowledged everything before `ack`, as `tap` saw.
    pub(super) fn acknowledged(&mut self, tap: Tap, ack: crate::seq::SeqNumber) {
        let Some(offset) = self.offset(ack) else { return };
        let acked = &mut self.acked[tap.index()];
        *acked = Some(acked.map_or(offset, |acked| acked.max(offset)));
    }

    /// A packet passed `tap`; `begins` says that it is a SYN. Gives how much later the second tap saw it, if that is
    /// now known.
    pub(super) fn pass(&mut self, tap: Tap, packet: &Packet, begins: bool) -> Option<Span> {
        let place =
            self.place.get_or_insert_with(|| Unwrapper::anchored(packet.seq, crate::seq::StreamOffset::ZERO));
        let offset = place.offset(packet.seq).get();
        if packet.len > 0 {
            place.advance(packet.seq.add(packet.len));
            fate::insert(&mut self.seen[tap.index()], offset..offset + i64::from(packet.len));
        }
        if begins || packet.len > 0 {
            self.origin[tap.index()].get_or_insert(offset);
        }
        let later = |entry: &Entry| match tap {
            Tap::First => entry.packet.at.since(packet.at),
            Tap::Second => packet.at.since(entry.packet.at),
        };
        let usual = self.later;
        let [first, second] = &mut self.queues;
        let (mine, theirs) = match tap {
            Tap::First => (first, second),
            Tap::Second => (second, first),
        };
        let fault =
            |entry: &Entry| usual.map_or(0, |usual| (later(entry) - usual).abs().as_nanos().unsigned_abs());
        let (twin, any) = theirs.find(packet.mark, fault);
        let serial = mine.push(packet, offset);
        let Some((twin, other)) = twin.and_then(|twin| Some((twin, theirs.get_mut(twin)?))) else {
            if any && let Some(entry) = mine.get_mut(serial) {
                entry.copied = true;
            }
            return None;
        };
        let found = later(other);
        other.twin = Some(Twin { serial, at: packet.at, frame: packet.frame });
        let (at, frame) = (other.packet.at, other.packet.frame);
        let fewer = i64::from(other.packet.ttl) - i64::from(packet.ttl);
        self.hops += if tap == Tap::Second { fewer.signum() } else { -fewer.signum() };
        if let Some(entry) = mine.get_mut(serial) {
            entry.twin = Some(Twin { serial: twin, at, frame });
        }
        self.counts.matched += 1;
        self.later = Some(found);
        Some(found)
    }

    /// Settles what can be: where the packets passed both taps or the time for it is over.
    pub(super) fn settle(&mut self, progress: &Progress, clocks: &mut Clocks) {
        let Some(near) = self.near else {
            let over = |queue: &Queue| queue.len() > MOST || progress.hurry;
            for queue in &mut self.queues {
                // Which capture they passed first is not known, so nothing can be said of them.
                while over(queue) && queue.head().is_some() {
                    queue.settle();
                    queue.forget(Timestamp::MAX);
                    self.counts.outside += 1;
                }
            }
            return;
        };
        self.settle_arrivals(near, progress, clocks);
        self.settle_sendings(near, progress);
        for tap in [Tap::First, Tap::Second] {
            if let Some(last) = progress.extents[tap.index()].last {
                let keep = if progress.hurry { Span::ZERO } else { LATEST };
                self.queues[tap.index()].forget(last - keep);
            }
        }
    }

    /// The packets that passed the far tap, in that order.
    fn settle_arrivals(&mut self, near: Tap, progress: &Progress, clocks: &mut Clocks) {
        let far = near.other();
        while let Some((_, &entry)) = self.queues[far.index()].head() {
            let packet = &entry.packet;
            if let Some(twin) = entry.twin {
                let raw = packet.at.since(twin.at);
                let at = if near == Tap::First { twin.at } else { packet.at };
                clocks.add(near, at, raw);
                self.delays.add(at, raw);
                if packet.len > 0 {
                    let extent = self.order.arrive(twin.serial);
                    if extent > 0 {
                        self.counts.reordered += 1;
                        self.counts.extent = self.counts.extent.max(extent);
                        self.ledger.late(Late {
                            frame: twin.frame,
                            at: twin.at,
                            far_at: packet.at,
                            bytes: bytes(&entry),
                        });
                    }
                }
            } else {
                // It was sent before it arrived, so the near tap must have been read up to there, and a little further
                // since the clocks are only roughly known.
                let sent_by = shifted(packet.at, far, progress.ahead) + LATEST;
                let extent = &progress.extents[near.index()];
                if !self.is_pressed(far, progress)
                    && !extent.ended
                    && extent.last.is_none_or(|last| last < sent_by)
                {
                    break;
                }
                if entry.copied {
                    self.counts.copied += 1;
                } else if extent.first.is_some_and(|first| self.sent(packet.at, near) < first) {
                    self.counts.outside += 1;
                } else {
                    self.counts.not_captured_near += 1;
                }
                if packet.len > 0 && !entry.copied {
                    self.fates.arrived_unseen(&bytes(&entry));
                }
            }
            self.queues[far.index()].settle();
        }
    }

    /// The packets that passed the near tap, in that order.
    fn settle_sendings(&mut self, near: Tap, progress: &Progress) {
        let far = near.other();
        while let Some((serial, &entry)) = self.queues[near.index()].head() {
            let fate = match entry.twin {
                Some(_) => Fate::Arrived,
                None if self.is_overdue(serial, &entry, near, progress) => {
                    self.missing(&entry, far, progress)
                }
                None => break,
            };
            self.count(&entry, fate);
            if entry.packet.len > 0 && !entry.copied {
                let marked = entry.twin.and_then(|twin| self.queues[far.index()].get(twin.serial));
                self.counts.marked += u64::from(!entry.packet.ce && marked.is_some_and(|far| far.packet.ce));
                let range = bytes(&entry);
                if let Some((again, need)) = self.fates.next(&range, fate) {
                    self.counts.retransmitted += 1;
                    self.counts.retransmitted_bytes += again;
                    self.ledger.resent(Resent {
                        frame: entry.packet.frame,
                        at: entry.packet.at,
                        far_at: entry.twin.map(|twin| twin.at),
                        bytes: range,
                        need,
                        sure: !entry.packet.unnumbered,
                    });
                }
            }
            self.queues[near.index()].settle();
        }
    }

    fn count(&mut self, entry: &Entry, fate: Fate) {
        let (packet, counts) = (&entry.packet, &mut self.counts);
        counts.packets += 1;
        counts.pure_acks += u64::from(packet.pure_ack);
        let lost = fate == Fate::Lost;
        if packet.len > 0 {
            counts.data_packets += 1;
            counts.data_bytes += u64::from(packet.len);
            self.bursts.next(lost);
        }
        match fate {
            Fate::Arrived => {}
            Fate::Lost => {
                counts.lost_packets += 1;
                counts.lost_acks += u64::from(packet.pure_ack);
                if packet.len > 0 {
                    counts.lost_data_packets += 1;
                    counts.lost_bytes += u64::from(packet.len);
                }
            }
            Fate::Missed => counts.not_captured_far += 1,
            Fate::Outside => counts.outside += 1,
        }
    }

    /// Whether the packet at the head of the near queue need not be waited for any more.
    fn is_overdue(&mut self, serial: u64, entry: &Entry, near: Tap, progress: &Progress) -> bool {
        let extent = &progress.extents[near.other().index()];
        if extent.ended || self.is_pressed(near, progress) {
            return true;
        }
        let Some(last) = extent.last else { return false };
        if shifted(entry.packet.at, near, progress.ahead) + PATIENCE < last {
            return true;
        }
        let queue = &self.queues[near.index()];
        self.next_arrived = self.next_arrived.max(serial);
        while let Some(next) = queue.get(self.next_arrived) {
            if let Some(twin) = next.twin {
                return twin.at + LATEST < last;
            }
            self.next_arrived += 1;
        }
        false
    }

    fn is_pressed(&self, tap: Tap, progress: &Progress) -> bool {
        progress.hurry || self.queues[tap.index()].len() > MOST
    }

    /// What became of a packet that the far tap does not have.
    fn missing(&self, entry: &Entry, far: Tap, progress: &Progress) -> Fate {
        let extent = &progress.extents[far.index()];
        let expected = self.later.map(|later| match far {
            Tap::Second => entry.packet.at + later,
            Tap::First => entry.packet.at - later,
        });
        if let Some(expected) = expected {
            let before = extent.first.is_some_and(|first| expected < first);
            let after = extent.ended && extent.last.is_some_and(|last| expected > last);
            if before || after {
                return Fate::Outside;
            }
        }
        let range = bytes(entry);
        let acked = self.acked[far.index()].is_some_and(|acked| range.end <= acked);
        if entry.packet.len > 0 && acked && self.seen[far.index()].overlap(&range) == 0 {
            return Fate::Missed;
        }
        Fate::Lost
    }

    /// When a packet that passed the far tap at `at` must have passed the near one.
    fn sent(&self, at: Timestamp, near: Tap) -> Timestamp {
        let later = self.later.unwrap_or(Span::ZERO);
        match near {
            Tap::First => at - later,
            Tap::Second => at + later,
        }
    }
}

/// A moment on `tap`'s clock as the other's shows it.
fn shifted(at: Timestamp, tap: Tap, ahead: Option<Span>) -> Timestamp {
    let ahead = ahead.unwrap_or(Span::ZERO);
    match tap {
        Tap::First => at + ahead,
        Tap::Second => at - ahead,
    }
}

fn bytes(entry: &Entry) -> Range<i64> {
    entry.offset..entry.offset + i64::from(entry.packet.len)
}
