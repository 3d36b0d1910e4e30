//! Verdicts: a sender, a receiver and a network that loses, delays and repeats, of which everything is known.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tcptrace_rs::decode::TcpFlags;
use tcptrace_rs::report::{Kind, Verdict};

use super::{Packet, analyse, handshake};

const MSS: i64 = 1_000;
const SEGMENTS: i64 = 60;
/// Segments in flight.
const WINDOW: i64 = 12;
/// From one host to the other, ns.
const TRIP: i64 = 10_000_000;
/// From one segment to the next at the sender, ns.
const SPACING: i64 = 200_000;
/// Least time between two copies, ns: more than a tick of the sender's clock, and than a path may shorten by. What comes back for two
/// that are closer may be for either.
const APART: i64 = 6_000_000;
const TIMEOUT: i64 = 300_000_000;

/// What the network and the sender do, one draw for each segment that is sent.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    /// Delivered later by so much, ns.
    delay: i64,
    /// The sender also sends what it sent so many segments before, for no reason.
    needless: Option<i64>,
}

fn fate() -> impl Strategy<Value = Fate> {
    let delay = prop_oneof![12 => Just(0_i64), 1 => 1_000_000_i64..8_000_000];
    let needless = prop_oneof![20 => Just(None), 1 => (1_i64..4).prop_map(Some)];
    (prop::bool::weighted(0.08), delay, needless).prop_map(|(lost, delay, needless)| Fate {
        lost,
        delay,
        needless,
    })
}

/// A moment in the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A segment reaches the receiver, with its `TSval`.
    Arrives(i64, u32),
    /// An acknowledgment reaches the sender, and the tap beside it.
    Heard { ack: i64, sack: Vec<(i64, i64)>, echo: u32, tsval: u32, id: u16 },
    /// The sender may send the next new segment.
    Turn,
    /// The sender sends a segment again for no reason.
    Needless(i64),
    /// Nothing was heard since the time in it.
    Timer(i64),
}

/// The whole of it.
struct World {
    /// Both send timestamps. Then nothing is delayed, or a receiver might refuse what it gets late (RFC 7323 section 5).
    stamped: bool,
    fates: Vec<Fate>,
    events: BTreeSet<(i64, u64, Event)>,
    order: u64,
    packets: Vec<Packet>,
    /// Copies of each segment: whether one has been delivered or is on its way to be, and how many were sent.
    delivered: BTreeMap<i64, bool>,
    copies: BTreeMap<i64, u32>,
    /// Whether an earlier copy got through, for each retransmission by its IP identification.
    needless: BTreeMap<u16, bool>,
    // The sender.
    una: i64,
    next: i64,
    sent_at: BTreeMap<i64, i64>,
    sacked: BTreeSet<i64>,
    resent: BTreeSet<i64>,
    heard_at: i64,
    tsecr: u32,
    id: u16,
    // The receiver.
    got: BTreeSet<i64>,
    recent: Option<u32>,
    latest: Vec<i64>,
    last_ack: i64,
    answers: u16,
}

fn stamp(at: i64) -> u32 {
    // Milliseconds, above those of the handshake.
    u32::try_from(at / 1_000_000).unwrap() + 10
}

impl World {
    fn new(fates: Vec<Fate>, stamped: bool) -> Self {
        let mut world = Self {
            fates,
            events: BTreeSet::new(),
            order: 0,
            packets: handshake(2 * TRIP, stamped),
            stamped,
            delivered: BTreeMap::new(),
            copies: BTreeMap::new(),
            needless: BTreeMap::new(),
            una: 0,
            next: 0,
            sent_at: BTreeMap::new(),
            sacked: BTreeSet::new(),
            resent: BTreeSet::new(),
            heard_at: 3 * TRIP,
            tsecr: 1,
            id: 10,
            got: BTreeSet::new(),
            recent: None,
            latest: Vec::new(),
            last_ack: 0,
            answers: 10,
        };
        world.at(3 * TRIP, Event::Turn);
        world.at(3 * TRIP + TIMEOUT, Event::Timer(3 * TRIP));
        world
    }

    fn at(&mut self, when: i64, event: Event) {
        self.order += 1;
        self.events.insert((when, self.order, event));
    }

    fn send(&mut self, segment: i64, now: i64) {
        if self.sent_at.get(&segment).is_some_and(|&last| now - last < APART) {
            return;
        }
        self.sent_at.insert(segment, now);
        self.id += 1;
        self.packets.push(Packet {
            at: now,
            from_server: false,
            flags: TcpFlags::ACK,
            start: segment * MSS,
            len: u32::try_from(MSS).unwrap(),
            ack: 0,
            sack: Vec::new(),
            window: 60_000,
            id: self.id,
            stamps: self.stamped.then_some((stamp(now), self.tsecr)),
        });
        let fate = self.fates.pop().unwrap_or(Fate { lost: false, delay: 0, needless: None });
        let copies = self.copies.entry(segment).or_default();
        *copies += 1;
        if *copies > 1 {
            self.needless.insert(self.id, self.delivered.get(&segment) == Some(&true));
        }
        // Without stamps, a needless copy that is lost leaves no trace.
        let traced = self.stamped || self.delivered.get(&segment) != Some(&true);
        if fate.lost && traced {
            self.delivered.entry(segment).or_insert(false);
        } else {
            self.delivered.insert(segment, true);
            let delay = if self.stamped { 0 } else { fate.delay };
            self.at(now + TRIP + delay, Event::Arrives(segment, stamp(now)));
        }
        if let Some(back) = fate.needless
            && segment >= back
        {
            self.at(now + APART, Event::Needless(segment - back));
        }
    }

    /// The receiver answers each segment at once (RFC 5681 section 4.2), with blocks (RFC 2018, RFC 2883).
    fn arrives(&mut self, segment: i64, tsval: u32, now: i64) {
        let again = segment < self.last_ack || self.got.contains(&segment);
        // RFC 7323 section 4.3 (2).
        if segment <= self.last_ack && self.recent.is_none_or(|recent| tsval >= recent) {
            self.recent = Some(tsval);
        }
        self.got.insert(segment);
        let ack = (0..=SEGMENTS).find(|number| !self.got.contains(number)).unwrap();
        self.last_ack = ack;
        self.latest.retain(|&other| other != segment);
        self.latest.insert(0, segment);
        let mut blocks: Vec<(i64, i64)> = Vec::new();
        if again {
            blocks.push((segment, segment + 1));
        }
        let mut known: Vec<(i64, i64)> = Vec::new();
        for &number in self.latest.iter().filter(|&&number| number > ack) {
            if known.iter().any(|&(start, end)| (start..end).contains(&number)) {
                continue;
            }
            let start = (ack..=number).rev().take_while(|at| self.got.contains(at)).last().unwrap();
            let end = (number..=SEGMENTS).find(|at| !self.got.contains(at)).unwrap();
            known.push((start, end));
        }
        blocks.extend(known);
        blocks.truncate(3);
        self.answers += 1;
        let event = Event::Heard {
            ack,
            sack: blocks,
            echo: self.recent.unwrap_or(1),
            tsval: stamp(now),
            id: self.answers,
        };
        self.at(now + TRIP, event);
    }

    fn heard(&mut self, ack: i64, blocks: &[(i64, i64)], now: i64) {
        self.una = self.una.max(ack);
        for &(start, end) in blocks {
            self.sacked.extend(start..end);
        }
        self.heard_at = now;
        // Three segments above it (RFC 6675), once.
        let una = self.una;
        let holes = (una..self.next).filter(|segment| {
            !self.sacked.contains(segment)
                && !self.resent.contains(segment)
                && self.sacked.range(segment..).count() >= 3
        });
        let mut when = now;
        for segment in holes.collect::<Vec<_>>() {
            when += 10_000;
            self.resent.insert(segment);
            self.send(segment, when);
        }
    }

    /// Runs it to its end.
    fn run(mut self) -> Self {
        while let Some((now, _, event)) = self.events.pop_first() {
            match event {
                Event::Arrives(segment, tsval) => self.arrives(segment, tsval, now),
                Event::Heard { ack, sack, echo, tsval, id } => {
                    self.packets.push(Packet {
                        at: now,
                        from_server: true,
                        flags: TcpFlags::ACK,
                        start: 0,
                        len: 0,
                        ack: ack * MSS,
                        sack: sack.iter().map(|&(start, end)| (start * MSS, end * MSS)).collect(),
                        window: 60_000,
                        id,
                        stamps: self.stamped.then_some((tsval, echo)),
                    });
                    self.tsecr = self.tsecr.max(tsval);
                    self.heard(ack, &sack, now);
                }
                Event::Turn if self.next < SEGMENTS => {
                    if self.next < self.una + WINDOW {
                        self.next += 1;
                        self.send(self.next - 1, now);
                    }
                    self.at(now + SPACING, Event::Turn);
                }
                Event::Needless(segment) => self.send(segment, now),
                Event::Timer(since) if self.una < SEGMENTS => {
                    let quiet = self.heard_at.max(since);
                    if quiet > since {
                        self.at(quiet + TIMEOUT, Event::Timer(quiet));
                    } else {
                        self.resent.clear();
                        self.send(self.una, now);
                        self.at(now + TIMEOUT, Event::Timer(now));
                    }
                }
                Event::Turn | Event::Timer(_) => {}
            }
        }
        self.packets.sort_by_key(|packet| packet.at);
        self
    }
}

proptest! {
    #[test]
    fn verdicts_are_what_happened(
        fates in prop::collection::vec(fate(), 60..140),
        stamped in any::<bool>(),
    ) {
        let world = World::new(fates, stamped).run();
        let gathered = analyse(&world.packets);
        prop_assert_eq!(gathered.connections.len(), 1);
        let rows: Vec<_> = gathered.rows.iter().filter(|row| row.kind == Kind::Retransmission).collect();
        prop_assert_eq!(rows.len(), world.needless.len());
        for row in rows {
            let packet = &world.packets[usize::try_from(row.frame - 1).unwrap()];
            let truth = if world.needless[&packet.id] { Verdict::Spurious } else { Verdict::Lost };
            prop_assert_eq!(row.verdict, Some(truth), "frame {} by {}", row.frame, row.evidence);
        }
    }
}
