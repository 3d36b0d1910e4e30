//! The table alone, with connections that are nothing but their times.

use super::*;
use crate::decode::{Address, Endpoint, TcpFlags};

#[derive(Clone, Debug)]
struct Stub {
    number: u32,
    stage: Stage,
    last: Timestamp,
}

impl Tracked for Stub {
    fn stage(&self) -> Stage {
        self.stage
    }
    fn last(&self) -> Timestamp {
        self.last
    }
    fn accepts(&mut self, _: &Segment<'_>, _: Side) -> bool {
        true
    }
    fn is_over_for(&self, segment: &Segment<'_>, _: Side) -> bool {
        segment.flags.has(TcpFlags::RST)
    }
    fn pack(&self) -> Option<Box<[u8]>> {
        let stage = self.stage as u8;
        let last = self.last.as_nanos();
        Some([&[stage], &self.number.to_le_bytes()[..], &last.to_le_bytes()].concat().into())
    }
    fn unpack(bytes: &[u8]) -> Option<Self> {
        let stage = [Stage::HalfOpen, Stage::Unconfirmed, Stage::Open, Stage::Closed][usize::from(bytes[0])];
        let number = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
        let last = Timestamp::from_nanos(i64::from_le_bytes(bytes[5..].try_into().unwrap()));
        Some(Self { number, stage, last })
    }
}

fn segment(port: u16, at: Timestamp, flags: u16) -> Segment<'static> {
    let end = |last, port| Endpoint { ip: Address::v4([10, 0, 0, last]), port };
    Segment { at, flags: TcpFlags(flags), ..Segment::between(end(1, port), end(2, 80)) }
}

struct Bench {
    table: FlowTable<Stub>,
    begun: u32,
}

impl Bench {
    fn new(connections: usize, half_open_connections: usize) -> Self {
        let bounds = Bounds {
            connections,
            half_open_connections,
            unpacked: 0,
            half_open: Span::from_secs(10),
            open: Span::from_secs(100),
            closed: Span::from_secs(1),
        };
        Self { table: FlowTable::new(bounds, 7), begun: 0 }
    }

    /// A packet of the connection from `port`, which it leaves in `stage`. Gives what left the table meanwhile.
    fn pass(&mut self, port: u16, seconds: i64, stage: Stage) -> Vec<(u32, Reason)> {
        self.pass_flags(port, Timestamp::from_secs_nanos(seconds, 0), stage, TcpFlags::ACK)
    }

    fn pass_flags(&mut self, port: u16, at: Timestamp, stage: Stage, flags: u16) -> Vec<(u32, Reason)> {
        let begun = &mut self.begun;
        self.table.route(
            &segment(port, at, flags),
            |_, _, _| {
                *begun += 1;
                Stub { number: *begun - 1, stage, last: at }
            },
            |stub, _| {
                stub.stage = stage;
                stub.last = stub.last.max(at);
            },
        );
        std::iter::from_fn(|| self.table.next_finished())
            .map(|finished| (finished.connection.number, finished.reason))
            .collect()
    }
}

impl Bench {
    /// The number of the connection that a segment from `port` comes to.
    fn found(&mut self, port: u16, at: Timestamp, flags: u16) -> u32 {
        let (begun, mut number) = (&mut self.begun, u32::MAX);
        self.table.route(
            &segment(port, at, flags),
            |_, _, _| {
                *begun += 1;
                Stub { number: *begun - 1, stage: Stage::Open, last: at }
            },
            |stub, _| number = stub.number,
        );
        while self.table.next_finished().is_some() {}
        number
    }
}

#[test]
fn silence_finishes_a_connection_by_its_stage() {
    let mut bench = Bench::new(100, 100);
    bench.pass(1, 0, Stage::HalfOpen);
    bench.pass(2, 0, Stage::Open);
    bench.pass(3, 0, Stage::Closed);
    // Time has passed once two segments say so.
    bench.pass(4, 2, Stage::Open);
    assert_eq!(bench.pass(4, 3, Stage::Open), [(2, Reason::Idle)]);
    bench.pass(4, 11, Stage::Open);
    assert_eq!(bench.pass(4, 12, Stage::Open), [(0, Reason::Idle)]);
    bench.pass(4, 101, Stage::Open);
    assert_eq!(bench.pass(4, 102, Stage::Open), [(1, Reason::Idle)]);
    assert_eq!(bench.table.live(), 1);
}

#[test]
fn a_busy_connection_outlives_its_place_in_the_list() {
    let mut bench = Bench::new(100, 100);
    bench.pass(1, 0, Stage::Open);
    bench.pass(2, 1, Stage::Open);
    for second in 0..300 {
        let gone = bench.pass(1, second, Stage::Open);
        assert!(gone.is_empty() || (gone == [(1, Reason::Idle)] && second > 100), "{second}: {gone:?}");
    }
    assert_eq!(bench.table.live(), 1);
}

#[test]
fn one_wild_stamp_finishes_nothing() {
    let mut bench = Bench::new(100, 100);
    bench.pass(1, 0, Stage::Open);
    assert!(bench.pass_flags(2, Timestamp::MAX, Stage::Open, TcpFlags::ACK).is_empty());
    assert!(bench.pass(1, 1, Stage::Open).is_empty());
    // Both ends of time together do not hang either.
    bench.pass_flags(3, Timestamp::MAX, Stage::Closed, TcpFlags::ACK);
    bench.pass_flags(3, Timestamp::MAX, Stage::Closed, TcpFlags::ACK);
    bench.pass_flags(3, Timestamp::MIN, Stage::Closed, TcpFlags::ACK);
}

#[test]
fn too_many_push_out_the_closed_then_the_half_open_then_the_idlest() {
    let mut bench = Bench::new(3, 100);
    bench.pass(1, 0, Stage::Open);
    bench.pass(2, 0, Stage::HalfOpen);
    bench.pass(3, 0, Stage::Closed);
    assert_eq!(bench.pass(4, 0, Stage::Open), [(2, Reason::Evicted)]);
    assert_eq!(bench.pass(5, 0, Stage::Open), [(1, Reason::Evicted)]);
    bench.pass(1, 1, Stage::Open);
    assert_eq!(bench.pass(6, 1, Stage::Open), [(3, Reason::Evicted)], "the first was busy since");
}

#[test]
fn a_flood_of_half_open_ones_pushes_out_only_itself() {
    let mut bench = Bench::new(1_000, 10);
    bench.pass(1, 0, Stage::Open);
    for port in 100..200 {
        let gone = bench.pass(port, 0, Stage::HalfOpen);
        assert!(gone.iter().all(|(number, reason)| *number > 0 && *reason == Reason::Evicted));
    }
    assert_eq!(bench.table.live(), 11);
    assert!(bench.pass(1, 0, Stage::Open).is_empty());
}

#[test]
fn a_new_connection_of_the_same_ends_takes_the_place_of_the_old() {
    let mut bench = Bench::new(10, 10);
    bench.pass(1, 0, Stage::Open);
    let gone = bench.pass_flags(1, Timestamp::from_secs_nanos(1, 0), Stage::Open, TcpFlags::RST);
    assert_eq!(gone, [(0, Reason::Replaced)]);
    assert_eq!((bench.table.live(), bench.begun), (1, 2));
    bench.table.finish();
    let left: Vec<_> =
        std::iter::from_fn(|| bench.table.next_finished()).map(|finished| finished.reason).collect();
    assert_eq!(left, [Reason::End]);
}

/// More connections than places near at hand, begun, found and removed at random: each segment comes to the connection that a plain map
/// has for its port.
#[test]
fn what_is_near_is_never_another_or_gone() {
    let mut bench = Bench::new(usize::MAX, usize::MAX);
    let mut known = std::collections::HashMap::new();
    let mut random = 1_u64;
    for step in 0..20_000_i64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let port = 1_000 + u16::try_from(random >> 33 & 0x3ff).unwrap();
        // One in eight begins a new one in place of the old.
        let flags = if random >> 50 & 7 == 0 { TcpFlags::RST } else { TcpFlags::ACK };
        let number = bench.found(port, Timestamp::from_nanos(step), flags);
        let replaced = flags == TcpFlags::RST && known.contains_key(&port);
        if replaced || !known.contains_key(&port) {
            assert!(known.values().all(|other| *other != number), "a new one at step {step}");
            known.insert(port, number);
        }
        assert_eq!(known[&port], number, "step {step}, port {port}");
    }
}
