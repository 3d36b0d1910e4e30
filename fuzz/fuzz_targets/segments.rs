//! Any list of segments through the whole analysis, twins of senders here and on lanes: never a panic, each segment counted once,
//! and the same report both ways, and whether or not plain segments go the short way and first ones wait.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::analysis::{Job, Lanes, Pipeline, PipelineOptions};
use tcptrace_rs::decode::{Address, EncapId, Endpoint, IpMeta, SackBlocks, Segment, TcpFlags, TcpOptions};
use tcptrace_rs::driver::Options;
use tcptrace_rs::report::ConnectionReport;
use tcptrace_rs::seq::SeqNumber;
use tcptrace_rs::units::{Span, Timestamp};

/// Bytes of a segment: direction and what follows, flags, number, acknowledgment, length, window, IP id, wait,
/// timestamps, two SACK blocks.
const SIZE: usize = 20;

/// Jobs that run when they are asked for, as late as threads may.
#[derive(Debug, Default)]
struct Late([Option<Box<Job>>; 2]);

impl Lanes for Late {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn send(&mut self, lane: usize, job: Box<Job>) {
        self.0[lane] = Some(job);
    }
    fn receive(&mut self, lane: usize) -> Box<Job> {
        let mut job = self.0[lane].take().unwrap_or_default();
        job.run();
        job
    }
}

fn segment(bytes: &[u8; SIZE], frame: u64, at: Timestamp) -> Segment<'static> {
    let [kind, flags, s0, s1, a0, a1, len, long, window, id, _, _, v0, v1, e0, e1, b0, b1, c0, c1] = *bytes;
    let end = |last: u8, port: u16| Endpoint { ip: Address::v4([10, 0, 0, last]), port };
    let (client, server) = (end(1, 40_000 + u16::from(kind >> 6)), end(2, 80));
    let (src, dst) = if kind & 1 == 0 { (client, server) } else { (server, client) };
    // Small numbers meet; those with a high bit are anywhere in the space of sequence numbers.
    let number = |low: u8, high: u8| {
        let value = u32::from(u16::from_le_bytes([low, high & 0x7f]));
        SeqNumber::new(if high & 0x80 == 0 { value } else { value.wrapping_mul(0x9e37_79b1) })
    };
    let mut sack = SackBlocks::default();
    if kind & 2 != 0 {
        sack.push(SeqNumber::new(b0.into()), SeqNumber::new(b1.into()));
    }
    if kind & 4 != 0 {
        sack.push(SeqNumber::new(u32::from(c0) * 64), SeqNumber::new(u32::from(c1) * 64));
    }
    let stamps = (u32::from(u16::from_le_bytes([v0, v1])), u32::from(u16::from_le_bytes([e0, e1])));
    let payload_len = if long & 1 == 0 { u32::from(len) } else { u32::from(len) << (long % 13) };
    Segment {
        frame,
        at,
        encap: EncapId(u32::from(kind >> 5 & 1)),
        ip: IpMeta { id: Some(id.into()), ttl: 64, ..IpMeta::default() },
        seq: number(s0, s1),
        ack: number(a0, a1),
        flags: TcpFlags(flags.into()),
        window: u16::from(window) << 4,
        options: TcpOptions {
            timestamps: (kind & 8 != 0).then_some(stamps),
            sack,
            sack_permitted: kind & 16 != 0,
            window_scale: (kind & 16 != 0).then_some(7),
            mss: (kind & 16 != 0).then_some(1_000),
            ..TcpOptions::default()
        },
        payload_len,
        ..Segment::between(src, dst)
    }
}

fn run(bytes: &[u8], mut pipeline: Pipeline) -> Vec<ConnectionReport> {
    let mut found = Vec::new();
    let mut at = Timestamp::from_secs_nanos(1_700_000_000, 0);
    for (frame, bytes) in (1..).zip(bytes.chunks_exact(SIZE)) {
        let wait = u16::from_le_bytes([bytes[10], bytes[11]]);
        // Up to half a minute, now and then backwards.
        let step = Span::from_nanos(i64::from(wait) * i64::from(wait) * 8);
        at = if wait % 61 == 60 { at - step } else { at + step };
        let Ok(bytes) = bytes.try_into() else { break };
        pipeline.push(&segment(bytes, frame, at));
        if pipeline.has_output() {
            pipeline.hand_out(&|_| None, &mut found);
        }
    }
    pipeline.finish(&|_| None, &mut found);
    found
}

fuzz_target!(|bytes: &[u8]| {
    let options = Options { max_connections: 3, ..Options::default() }.pipeline();
    let here = run(bytes, Pipeline::new(options));
    let counted = |side: fn(&ConnectionReport) -> u64| here.iter().map(side).sum::<u64>();
    let passed = counted(|one| one.c2s.packets + one.c2s.duplicates)
        + counted(|one| one.s2c.packets + one.s2c.duplicates);
    assert_eq!(passed, (bytes.len() / SIZE) as u64);
    for direction in here.iter().flat_map(|one| [&one.c2s, &one.s2c]) {
        assert!(direction.unique_bytes <= direction.data_bytes);
        let judged = [direction.lost_packets, direction.spurious_packets, direction.undecided_packets];
        let judged: u64 = judged.into_iter().flatten().sum();
        assert_eq!(direction.retransmitted_packets.unwrap_or(0), judged);
    }
    assert_eq!(here, run(bytes, Pipeline::with_lanes(options, Box::new(Late::default()))));
    assert_eq!(here, run(bytes, Pipeline::new(PipelineOptions { long_way: true, ..options })));
    assert_eq!(here, run(bytes, Pipeline::new(PipelineOptions { lone: true, ..options })));
});
