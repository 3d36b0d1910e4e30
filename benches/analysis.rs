//! What a segment costs in the analysis, decoded once beforehand: verdicts, scoreboard, windows, limits and the sender's twin.

#![expect(clippy::unwrap_used, reason = "offsets and lengths are chosen here and fit")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tcptrace_rs::analysis::Pipeline;
use tcptrace_rs::decode::{Address, Endpoint, IpMeta, SackBlocks, Segment, TcpOptions};
use tcptrace_rs::driver::Options;
use tcptrace_rs::report::ConnectionReport;
use tcptrace_rs::seq::SeqNumber;
use tcptrace_rs::units::Timestamp;

fn main() {
    divan::main();
}

const SEGMENTS: u32 = 20_000;
const MSS: u32 = 1_448;
/// In flight.
const WINDOW: u32 = 64;

/// Whether the number sent at this step is lost.
type Lost = fn(u32) -> bool;

struct Packet {
    up: bool,
    seq: u32,
    ack: u32,
    len: u32,
    sack: Option<(u32, u32)>,
}

/// An upload whose every second segment is acknowledged `WINDOW` segments later; what is lost is reported with SACK and sent again.
fn upload(lost: Lost) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut hole = None;
    for number in 0..SEGMENTS {
        packets.push(Packet { up: true, seq: number * MSS, ack: 0, len: MSS, sack: None });
        let Some(arrived) = number.checked_sub(WINDOW) else { continue };
        if lost(arrived) && hole.is_none() {
            hole = Some(arrived);
            continue;
        }
        match hole {
            Some(first) if arrived < first + WINDOW => {
                let sack = Some(((first + 1) * MSS, (arrived + 1) * MSS));
                packets.push(Packet { up: false, seq: 0, ack: first * MSS, len: 0, sack });
                if arrived == first + 3 {
                    packets.push(Packet { up: true, seq: first * MSS, ack: 0, len: MSS, sack: None });
                }
            }
            _ if arrived % 2 == 1 => {
                hole = None;
                packets.push(Packet { up: false, seq: 0, ack: (arrived + 1) * MSS, len: 0, sack: None });
            }
            _ => {}
        }
    }
    packets
}

fn segment(packet: &Packet, frame: u64) -> Segment<'static> {
    let end = |last, port| Endpoint { ip: Address::v4([10, 0, 0, last]), port };
    let (client, server) = (end(1, 40_000), end(2, 80));
    let (src, dst) = if packet.up { (client, server) } else { (server, client) };
    let mut sack = SackBlocks::default();
    if let Some((start, end)) = packet.sack {
        sack.push(SeqNumber::new(start), SeqNumber::new(end));
    }
    let micros = frame * 10;
    let millis = u32::try_from(micros / 1_000).unwrap();
    Segment {
        frame,
        at: Timestamp::from_nanos(i64::try_from(micros * 1_000).unwrap()),
        ip: IpMeta { id: Some(u16::try_from(frame % 60_000 + 1).unwrap()), ttl: 64, ..IpMeta::default() },
        seq: SeqNumber::new(packet.seq),
        ack: SeqNumber::new(packet.ack),
        window: 60_000,
        options: TcpOptions { timestamps: Some((millis, millis)), sack, ..TcpOptions::default() },
        payload_len: packet.len,
        ..Segment::between(src, dst)
    }
}

const KINDS: &[(&str, Lost)] = &[("clean", |_| false), ("1 in 200 lost", |number| number % 200 == 100)];

#[divan::bench(args = KINDS.iter().map(|(name, _)| *name))]
fn segments(bencher: Bencher<'_, '_>, name: &str) {
    let lost = KINDS.iter().find(|(kind, _)| *kind == name).unwrap().1;
    let segments: Vec<_> = (1..).zip(upload(lost)).map(|(frame, packet)| segment(&packet, frame)).collect();
    bencher.counter(ItemsCount::new(segments.len())).bench_local(|| {
        let mut pipeline = Pipeline::new(Options::default().pipeline());
        let mut found: Vec<ConnectionReport> = Vec::new();
        for segment in &segments {
            pipeline.push(black_box(segment));
            if pipeline.has_output() {
                pipeline.hand_out(&|_| None, &mut found);
            }
        }
        pipeline.finish(&|_| None, &mut found);
        found
    });
}
