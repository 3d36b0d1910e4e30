//! Counts: what was sent, sent again, acknowledged and missed, kept as one flag for each byte.

use proptest::prelude::*;
use tcptrace_rs::decode::TcpFlags;
use tcptrace_rs::report::DirectionReport;

use super::{Packet, analyse, handshake};

/// What happens next; places are shares of what has been sent, in 256ths.
#[derive(Clone, Debug)]
enum Step {
    /// The client sends what comes next; the capture may miss it.
    New { len: u32, captured: bool },
    /// The client sends again from somewhere.
    Again { place: u8, len: u32 },
    /// The server acknowledges up to somewhere, with blocks of what lies beyond.
    Ack { place: u8, blocks: Vec<(u8, u8)>, window: u16 },
    /// The server has something to say too.
    Answer { len: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    // A segment of one byte may be a probe, which is another matter.
    let len = || 2_u32..40;
    let window = prop_oneof![6 => Just(5_000_u16), 1 => Just(0), 1 => any::<u16>()];
    prop_oneof![
        5 => (len(), prop::bool::weighted(0.85)).prop_map(|(len, captured)| Step::New { len, captured }),
        2 => (any::<u8>(), len()).prop_map(|(place, len)| Step::Again { place, len }),
        5 => (any::<u8>(), prop::collection::vec((any::<u8>(), 1_u8..60), 0..3), window)
            .prop_map(|(place, blocks, window)| Step::Ack { place, blocks, window }),
        1 => len().prop_map(|len| Step::Answer { len }),
    ]
}

/// The packets of a conversation, as the capture holds them.
fn converse(steps: &[Step]) -> Vec<Packet> {
    let mut packets = handshake(30_000_000, false);
    let mut now = 40_000_000_i64;
    let (mut sent, mut answered, mut heard) = (0_i64, 0_i64, 0_i64);
    let (mut ids, mut window) = ([10_u16, 10], 5_000_u16);
    for step in steps {
        // Longer than any disorder of stamps.
        now += 30_000_000;
        let at = |place: u8| sent * i64::from(place) / 256;
        let from_server = matches!(step, Step::Ack { .. } | Step::Answer { .. });
        let id = &mut ids[usize::from(from_server)];
        *id += 1;
        let packet = Packet {
            at: now,
            from_server,
            flags: TcpFlags::ACK,
            start: if from_server { answered } else { sent },
            len: 0,
            ack: if from_server { heard } else { answered },
            sack: Vec::new(),
            window: if from_server { window } else { 5_000 },
            id: *id,
            stamps: None,
        };
        match step {
            Step::New { len, captured } => {
                sent += i64::from(*len);
                if *captured {
                    packets.push(Packet { len: *len, ..packet });
                }
            }
            Step::Again { place, len } => {
                let start = at(*place);
                let len = i64::from(*len).min(sent - start);
                if len >= 2 {
                    packets.push(Packet { start, len: u32::try_from(len).unwrap(), ..packet });
                }
            }
            Step::Ack { place, blocks, window: offered } => {
                let ack = at(*place);
                heard = heard.max(ack);
                window = *offered;
                let blocks = blocks.iter().map(|&(first, size)| {
                    let start = (at(first)).max(ack + 1);
                    (start, (start + i64::from(size)).min(sent))
                });
                let sack = blocks.filter(|(start, end)| start < end).collect();
                packets.push(Packet { ack, sack, window, ..packet });
            }
            Step::Answer { len } => {
                answered += i64::from(*len);
                packets.push(Packet { len: *len, ..packet });
            }
        }
    }
    packets
}

/// What one pass over the packets, with a flag for each byte, says of the client's direction.
#[derive(Debug, Default, PartialEq)]
struct Reckoned {
    packets: u64,
    wire_bytes: u64,
    data_packets: u64,
    data_bytes: u64,
    unique_bytes: u64,
    stream_bytes: u64,
    unseen_bytes: u64,
    unseen_gaps: u64,
    retransmitted_packets: u64,
    retransmitted_bytes: u64,
    flight_max: u64,
    initial_window: Option<u64>,
    segment_max: Option<u32>,
    segment_min: Option<u32>,
    /// Of the server's acknowledgments.
    pure_acks: u64,
    duplicate_acks: u64,
    sack_acks: u64,
    zero_windows: u64,
    zero_window_events: u64,
}

fn count(number: usize) -> u64 {
    number.try_into().unwrap()
}

/// The same twice: the definitions of docs/metrics.md, byte by byte.
fn reckon(packets: &[Packet]) -> Reckoned {
    let mut all = Reckoned::default();
    let mut seen = vec![false; 20_000];
    // After the last byte known to have been sent, and before the first that is not acknowledged.
    let (mut next, mut acked) = (0_usize, 0_usize);
    let mut last_window = None;
    let mut shut = false;
    for packet in packets {
        if packet.from_server {
            if packet.flags & TcpFlags::SYN != 0 {
                last_window = Some(packet.window);
                continue;
            }
            let ack = usize::try_from(packet.ack).unwrap();
            let (before, outstanding) = (acked, next > acked);
            (acked, next) = (acked.max(ack), next.max(ack));
            if before == 0 && acked > 0 {
                all.initial_window = Some(count(next));
            }
            let pure = packet.len == 0;
            all.pure_acks += u64::from(pure);
            all.sack_acks += u64::from(!packet.sack.is_empty());
            // RFC 5681 section 2 (a) to (e); with SACK blocks (RFC 6675 section 2) the window may differ.
            let repeats = ack == before && outstanding && pure && packet.window != 0;
            let same = last_window == Some(packet.window) || !packet.sack.is_empty();
            all.duplicate_acks += u64::from(repeats && same);
            last_window = Some(packet.window);
            all.zero_windows += u64::from(packet.window == 0);
            all.zero_window_events += u64::from(packet.window == 0 && !shut);
            shut = packet.window == 0;
            continue;
        }
        all.packets += 1;
        all.wire_bytes += 54 + u64::from(packet.len);
        if packet.len == 0 {
            continue;
        }
        all.data_packets += 1;
        all.data_bytes += u64::from(packet.len);
        let start = usize::try_from(packet.start).unwrap();
        let end = start + usize::try_from(packet.len).unwrap();
        let known = count(seen[start..end].iter().filter(|&&seen| seen).count());
        if start < next {
            all.retransmitted_packets += 1;
            // What only fills a hole was sent before as a whole, or the hole would not be known.
            all.retransmitted_bytes += if known == 0 { u64::from(packet.len) } else { known };
        }
        seen[start..end].fill(true);
        next = next.max(end);
        all.flight_max = all.flight_max.max(count(next - acked));
        all.segment_max = all.segment_max.max(Some(packet.len));
        all.segment_min = Some(all.segment_min.map_or(packet.len, |min| min.min(packet.len)));
    }
    all.unique_bytes = count(seen.iter().filter(|&&seen| seen).count());
    all.stream_bytes = count(next);
    all.unseen_bytes = count(seen[..acked].iter().filter(|&&seen| !seen).count());
    all.unseen_gaps = count((0..acked).filter(|&at| !seen[at] && (at == 0 || seen[at - 1])).count());
    all
}

/// The same of the program.
fn told(sender: &DirectionReport, receiver: &DirectionReport) -> Reckoned {
    Reckoned {
        packets: sender.packets,
        wire_bytes: sender.wire_bytes,
        data_packets: sender.data_packets,
        data_bytes: sender.data_bytes,
        unique_bytes: sender.unique_bytes,
        stream_bytes: sender.stream_bytes.unwrap_or(0),
        unseen_bytes: sender.unseen_bytes,
        unseen_gaps: sender.unseen_gaps,
        retransmitted_packets: sender.retransmitted_packets.unwrap_or(0),
        retransmitted_bytes: sender.retransmitted_bytes.unwrap_or(0),
        flight_max: sender.flight_max_bytes.unwrap_or(0),
        initial_window: sender.initial_window_bytes,
        segment_max: sender.segment_max,
        segment_min: sender.segment_min,
        pure_acks: receiver.pure_acks,
        duplicate_acks: receiver.duplicate_acks,
        sack_acks: receiver.sack_acks,
        zero_windows: receiver.zero_windows,
        zero_window_events: receiver.zero_window_events,
    }
}

proptest! {
    #[test]
    fn counts_are_those_of_a_flag_for_each_byte(steps in prop::collection::vec(step(), 1..150)) {
        let packets = converse(&steps);
        let gathered = analyse(&packets);
        prop_assert_eq!(gathered.connections.len(), 1);
        let connection = &gathered.connections[0];
        prop_assert_eq!(told(&connection.c2s, &connection.s2c), reckon(&packets));
    }
}
