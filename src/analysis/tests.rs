//! Any list of segments through the whole pipeline: nothing panics, and the counts add up.

use proptest::prelude::*;

use super::{Job, Lanes, Pipeline, PipelineOptions};
use crate::decode::{Address, Endpoint, IpMeta, SackBlocks, Segment, TcpFlags, TcpOptions};
use crate::report::{ConnectionReport, Kind, ReportSink, RetransmissionRow, SeriesRow, Trace, Verdict};
use crate::seq::SeqNumber;
use crate::units::{Span, Timestamp};

/// A segment in small numbers, so that they meet.
#[derive(Clone, Debug)]
struct Draw {
    down: bool,
    flags: u16,
    seq: u32,
    ack: u32,
    len: u32,
    id: u16,
    window: u16,
    stamps: Option<(u32, u32)>,
    sack: Vec<(u32, u32)>,
    wait: i64,
}

fn draw() -> impl Strategy<Value = Draw> {
    let number = || prop_oneof![8 => 0_u32..40, 1 => any::<u32>()];
    let flags = prop_oneof![
        12 => Just(TcpFlags::ACK),
        1 => Just(TcpFlags::SYN),
        1 => Just(TcpFlags::SYN | TcpFlags::ACK),
        1 => Just(TcpFlags::FIN | TcpFlags::ACK),
        1 => Just(TcpFlags::RST),
        1 => 0_u16..512,
    ];
    let wait =
        prop_oneof![8 => 0_i64..50_000_000, 1 => -2_000_000_000_i64..400_000_000_000, 1 => any::<i64>()];
    let head = (any::<bool>(), flags, number(), number(), prop_oneof![4 => 0_u32..4, 1 => 0_u32..200_000]);
    let rest = (
        0_u16..6,
        prop_oneof![3 => Just(500_u16), 1 => Just(0)],
        prop::option::of((0_u32..30, 0_u32..30)),
        prop::collection::vec((number(), number()), 0..3),
        wait,
    );
    (head, rest).prop_map(|((down, flags, seq, ack, len), (id, window, stamps, sack, wait))| Draw {
        down,
        flags,
        seq,
        ack,
        len,
        id,
        window,
        stamps,
        sack,
        wait,
    })
}

fn segment(draw: &Draw, frame: u64, at: Timestamp) -> Segment<'static> {
    let end = |last, port| Endpoint { ip: Address::v4([10, 0, 0, last]), port };
    let (client, server) = (end(1, 40_000), end(2, 80));
    let (src, dst) = if draw.down { (server, client) } else { (client, server) };
    let mut sack = SackBlocks::default();
    for (start, stop) in &draw.sack {
        sack.push(SeqNumber::new(*start), SeqNumber::new(*stop));
    }
    Segment {
        frame,
        at,
        ip: IpMeta { id: Some(draw.id), ttl: 64, ..IpMeta::default() },
        seq: SeqNumber::new(draw.seq),
        ack: SeqNumber::new(draw.ack),
        flags: TcpFlags(draw.flags),
        window: draw.window,
        options: TcpOptions {
            mss: (draw.flags & TcpFlags::SYN != 0).then_some(1_000),
            window_scale: (draw.flags & TcpFlags::SYN != 0).then_some(2),
            timestamps: draw.stamps,
            sack,
            sack_permitted: true,
            ..TcpOptions::default()
        },
        payload_len: draw.len,
        ..Segment::between(src, dst)
    }
}

#[derive(Default)]
struct Gathered {
    connections: Vec<ConnectionReport>,
    rows: Vec<RetransmissionRow>,
    series: Vec<SeriesRow>,
    traces: Vec<[Option<Trace>; 2]>,
    /// What listeners were told of each segment.
    facts: Vec<String>,
}

impl ReportSink for Gathered {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }
    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.rows.push(row.clone());
    }
    fn traces(&mut self, _: &ConnectionReport, traces: [Option<Trace>; 2]) {
        self.traces.push(traces);
    }
    fn series(&mut self, row: &SeriesRow) {
        self.series.push(row.clone());
    }
}

/// Lanes whose jobs run when they are asked for: as late as threads may.
#[derive(Debug)]
struct Late(Vec<Option<Box<Job>>>);

impl Lanes for Late {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn send(&mut self, lane: usize, job: Box<Job>) {
        assert!(self.0[lane].replace(job).is_none(), "one job at a time");
    }
    fn receive(&mut self, lane: usize) -> Box<Job> {
        let mut job = self.0[lane].take().unwrap();
        job.run();
        job
    }
}

/// In place of a number of lanes: none, and all that can be packed is.
const PACKED: usize = usize::MAX;
/// The same: none, and no short way for plain segments.
const LONG_WAY: usize = usize::MAX - 1;
/// The same: none, and a first packet from out of nowhere waits for another.
const LONE: usize = usize::MAX - 2;

fn run(draws: &[Draw]) -> Gathered {
    run_on(draws, 0)
}

fn options(lanes: usize) -> PipelineOptions {
    PipelineOptions {
        series: lanes != LONE,
        traces: lanes != PACKED,
        freebsd: lanes != PACKED,
        unpacked: if lanes == PACKED { 0 } else { usize::MAX },
        interval: Span::from_secs(1),
        max_connections: 10,
        idle_timeout: Span::from_secs(9_000),
        ignore_encap: false,
        vantages: super::Vantages::default(),
        hash_seed: 1,
        lone: lanes == LONE,
        long_way: lanes == LONG_WAY,
    }
}

fn run_on(draws: &[Draw], lanes: usize) -> Gathered {
    let mut pipeline = match lanes {
        0 | PACKED | LONG_WAY | LONE => Pipeline::new(options(lanes)),
        _ => Pipeline::with_lanes(options(lanes), Box::new(Late((0..lanes).map(|_| None).collect()))),
    };
    let mut gathered = Gathered::default();
    let mut at = Timestamp::from_secs_nanos(1_700_000_000, 0);
    for (frame, draw) in (1..).zip(draws) {
        at = at + Span::from_nanos(draw.wait);
        let facts = &mut gathered.facts;
        pipeline.push_with(&segment(draw, frame, at), |seen| {
            facts.push(format!("{:?} {:?} {} {:?}", seen.dir, seen.facts, seen.from_start, seen.data_ack));
        });
        pipeline.hand_out(&|_| None, &mut gathered);
    }
    pipeline.finish(&|_| None, &mut gathered);
    gathered
}

/// Puts most segments where a sender would: of how each follows those before, 0 lets it stand as it was drawn, odd sends the next
/// data, even acknowledges, each more or less of what is outstanding.
///
/// `opened` has them begin with a handshake, whose two halves took so many ns.
fn in_sequence(opened: Option<(i64, i64)>, draws: &[(Draw, u8)]) -> Vec<Draw> {
    let mut out = Vec::new();
    if let Some((down, up)) = opened {
        let syn = Draw { flags: TcpFlags::SYN, seq: u32::MAX, len: 0, ..data() };
        let answer = Draw { flags: TcpFlags::SYN | TcpFlags::ACK, down: true, wait: down, ..syn.clone() };
        out.extend([syn, answer, Draw { len: 0, id: 2, wait: up, ..data() }]);
    }
    let (mut next, mut acked) = ([0_u32; 2], [0_u32; 2]);
    for (draw, how) in draws {
        let mut draw = draw.clone();
        let (mine, theirs) = (usize::from(draw.down), usize::from(!draw.down));
        if *how > 0 {
            draw.flags = TcpFlags::ACK | if *how == 7 { TcpFlags::PSH } else { 0 };
            draw.seq = next[mine];
            draw.wait = draw.wait.rem_euclid(30_000_000);
            draw.sack.clear();
            draw.window = 500;
            draw.len = if how % 2 == 1 { draw.len % 3_000 } else { 0 };
            if *how > 2 {
                acked[theirs] += (next[theirs] - acked[theirs]) * u32::from(*how) / 7;
            }
            draw.ack = acked[theirs];
            next[mine] += draw.len;
        }
        out.push(draw);
    }
    out
}

/// Otherwise the property below would hold two equal ways together.
#[test]
fn most_of_a_transfer_goes_the_short_way() {
    let sends = |number: u8| (Draw { id: u16::from(number), ..data() }, if number % 3 == 2 { 6 } else { 1 });
    let draws: Vec<_> =
        (0..120).map(sends).map(|(draw, how)| (Draw { down: how == 6, ..draw }, how)).collect();
    super::plain::TAKEN.set(0);
    let passed = run(&in_sequence(Some((1_000_000, 20)), &draws)).facts.len();
    assert_eq!(passed, 123);
    assert!(super::plain::TAKEN.get() >= 110, "{}", super::plain::TAKEN.get());
    super::plain::TAKEN.set(0);
    run_on(&in_sequence(None, &draws), LONG_WAY);
    assert_eq!(super::plain::TAKEN.get(), 0);
}

fn data() -> Draw {
    Draw {
        down: false,
        flags: TcpFlags::ACK,
        seq: 0,
        ack: 0,
        len: 100,
        id: 1,
        window: 500,
        stamps: None,
        sack: Vec::new(),
        wait: 0,
    }
}

#[test]
fn one_side_of_a_quiet_connection_is_one() {
    let mut pipeline = Pipeline::new(options(0));
    let mut gathered = Gathered::default();
    // A packet every six minutes, and others every minute, whose stamps let time pass; a half-open connection is given up after five.
    for minute in 0..37_u32 {
        let ports: &[u16] = if minute.is_multiple_of(6) { &[1, 2] } else { &[2] };
        for &port in ports {
            let at = Timestamp::from_secs_nanos(i64::from(minute) * 60, 0);
            let mut segment = segment(&Draw { seq: minute * 100, ..data() }, u64::from(minute) + 1, at);
            segment.src.port = port;
            pipeline.push(&segment);
            pipeline.hand_out(&|_| None, &mut gathered);
        }
    }
    pipeline.finish(&|_| None, &mut gathered);
    let mut packets: Vec<_> =
        gathered.connections.iter().map(|row| row.c2s.packets + row.s2c.packets).collect();
    packets.sort_unstable();
    assert_eq!(packets, [7, 37]);
}

/// Data from made-up addresses, a packet each, more of them than connections are followed.
#[test]
fn a_flood_out_of_nowhere_pushes_out_only_itself() {
    a_flood(0);
    a_flood(LONE);
}

fn a_flood(lanes: usize) {
    let data = data();
    let mut pipeline = Pipeline::new(options(lanes));
    let most = u16::try_from(options(lanes).max_connections).unwrap();
    let mut gathered = Gathered::default();
    let mut frame = 0;
    let mut pass = |port: u16, seq: u32| {
        frame += 1;
        let at = Timestamp::from_secs_nanos(i64::try_from(frame).unwrap(), 0);
        let mut segment = segment(&Draw { seq, ..data.clone() }, frame, at);
        segment.src.port = port;
        pipeline.push(&segment);
        pipeline.hand_out(&|_| None, &mut gathered);
    };
    // Seen from one side only, as where the answers take another way.
    (0..3).for_each(|number| pass(1, number * 100));
    (0..most * 5).for_each(|number| pass(1_000 + number, 0));
    (3..6).for_each(|number| pass(1, number * 100));
    pipeline.finish(&|_| None, &mut gathered);
    let lasting: Vec<_> =
        gathered.connections.iter().filter(|row| row.c2s.packets + row.s2c.packets > 1).collect();
    assert_eq!(lasting.len(), 1);
    assert_eq!((lasting[0].c2s.unique_bytes, lasting[0].evicted), (600, false));
    assert_eq!(gathered.connections.iter().filter(|row| row.evicted).count(), usize::from(most) * 4 + 1);
}

proptest! {
    #[test]
    fn any_segments_are_counted_once_and_judged_once(draws in prop::collection::vec(draw(), 0..120)) {
        let gathered = run(&draws);
        let mut packets = 0;
        for connection in &gathered.connections {
            for (direction, dir) in [(&connection.c2s, "c2s"), (&connection.s2c, "s2c")] {
                packets += direction.packets + direction.duplicates;
                prop_assert!(direction.unique_bytes <= direction.data_bytes);
                if direction.retransmitted_packets.is_none() {
                    prop_assert_eq!(direction.packets, 0, "a direction that was never seen");
                    continue;
                }
                let judged = [direction.lost_packets, direction.spurious_packets, direction.undecided_packets];
                let judged: u64 = judged.into_iter().flatten().sum();
                prop_assert_eq!(Some(judged), direction.retransmitted_packets);
                let rows = |kind: Kind, verdict: Option<Verdict>| {
                    let mine = gathered.rows.iter().filter(|row| {
                        row.connection == connection.connection && row.dir.name() == dir && row.kind == kind
                    });
                    mine.filter(|row| verdict.is_none() || row.verdict == verdict).count() as u64
                };
                prop_assert_eq!(Some(rows(Kind::Retransmission, None)), direction.retransmitted_packets);
                prop_assert_eq!(Some(rows(Kind::Retransmission, Some(Verdict::Lost))), direction.lost_packets);
                prop_assert_eq!(Some(rows(Kind::Reordering, None)), direction.reordered_packets);
                prop_assert_eq!(Some(rows(Kind::InferredLoss, None)), direction.inferred_losses);
            }
        }
        prop_assert_eq!(packets, draws.len() as u64);
    }

    #[test]
    fn the_same_segments_give_the_same_report(draws in prop::collection::vec(draw(), 0..60)) {
        let (one, other) = (run(&draws), run(&draws));
        prop_assert_eq!(one.connections, other.connections);
        prop_assert_eq!(one.rows, other.rows);
    }

    /// With long stretches of data and acknowledgments in sequence, as well as without.
    #[test]
    fn the_short_way_gives_what_the_long_one_does(
        opened in prop::option::of((0_i64..20_000_000, 0_i64..20_000_000)),
        draws in prop::collection::vec((draw(), prop_oneof![1 => Just(0_u8), 4 => 1..8_u8]), 0..200),
    ) {
        let draws = in_sequence(opened, &draws);
        let (short, long) = (run(&draws), run_on(&draws, LONG_WAY));
        prop_assert_eq!(&short.connections, &long.connections);
        prop_assert_eq!(&short.rows, &long.rows);
        prop_assert_eq!(&short.series, &long.series);
        prop_assert_eq!(&short.facts, &long.facts);
        prop_assert_eq!(format!("{:?}", short.traces), format!("{:?}", long.traces));
        let lanes = run_on(&draws, 2);
        prop_assert_eq!(&lanes.connections, &long.connections);
    }

    #[test]
    fn a_first_packet_that_waits_is_taken_in_all_the_same(
        draws in prop::collection::vec((draw(), 0..8_u8), 0..40),
    ) {
        let draws = in_sequence(None, &draws);
        let (at_once, waiting) = (run(&draws), run_on(&draws, LONE));
        prop_assert_eq!(&at_once.connections, &waiting.connections);
        prop_assert_eq!(&at_once.rows, &waiting.rows);
        prop_assert_eq!(format!("{:?}", at_once.traces), format!("{:?}", waiting.traces));
    }

    #[test]
    fn connections_that_were_packed_are_the_same(draws in prop::collection::vec(draw(), 0..120)) {
        let (here, packed) = (run(&draws), run_on(&draws, PACKED));
        prop_assert_eq!(here.connections, packed.connections);
        prop_assert_eq!(here.rows, packed.rows);
        prop_assert_eq!(here.series, packed.series);
    }

    #[test]
    fn twins_on_other_threads_give_the_same_in_the_same_order(
        draws in prop::collection::vec(draw(), 0..120),
        lanes in 1..4_usize,
    ) {
        let (here, away) = (run(&draws), run_on(&draws, lanes));
        prop_assert_eq!(here.connections, away.connections);
        prop_assert_eq!(here.rows, away.rows);
        prop_assert_eq!(here.series, away.series);
        prop_assert_eq!(format!("{:?}", here.traces), format!("{:?}", away.traces));
    }
}
