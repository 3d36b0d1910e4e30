//! Random conversations through the whole pipeline, against slow and obvious reckonings of the same.

mod bytes;
mod world;

use tcptrace_rs::analysis::Pipeline;
use tcptrace_rs::decode::{Address, Endpoint, IpMeta, SackBlocks, Segment, TcpFlags, TcpOptions};
use tcptrace_rs::driver::Options;
use tcptrace_rs::report::{ConnectionReport, ReportSink, RetransmissionRow};
use tcptrace_rs::seq::SeqNumber;
use tcptrace_rs::units::Timestamp;

/// Numbers of the two SYNs: near enough to the end of the number space that every conversation crosses it.
const ISN: [u32; 2] = [u32::MAX - 20, u32::MAX - 3];

/// A packet between the two hosts; offsets count from the first byte of each stream.
#[derive(Clone, Debug)]
struct Packet {
    /// ns.
    at: i64,
    from_server: bool,
    flags: u16,
    start: i64,
    len: u32,
    ack: i64,
    sack: Vec<(i64, i64)>,
    window: u16,
    id: u16,
    stamps: Option<(u32, u32)>,
}

/// The number on the wire of an offset of one of the streams.
fn number(server: bool, offset: i64) -> SeqNumber {
    let low = u32::try_from(offset.rem_euclid(1 << 32)).unwrap();
    SeqNumber::new(ISN[usize::from(server)].wrapping_add(1).wrapping_add(low))
}

impl Packet {
    fn segment(&self, frame: u64) -> Segment<'static> {
        let end = |last, port| Endpoint { ip: Address::v4([10, 0, 0, last]), port };
        let (client, server) = (end(1, 40_000), end(2, 80));
        let (src, dst) = if self.from_server { (server, client) } else { (client, server) };
        let mut sack = SackBlocks::default();
        for &(start, end) in &self.sack {
            sack.push(number(!self.from_server, start), number(!self.from_server, end));
        }
        let syn = self.flags & TcpFlags::SYN != 0;
        Segment {
            frame,
            at: Timestamp::from_nanos(1_700_000_000_000_000_000 + self.at),
            ip: IpMeta { id: Some(self.id), ttl: 64, ..IpMeta::default() },
            seq: number(self.from_server, self.start),
            ack: number(!self.from_server, self.ack),
            flags: TcpFlags(self.flags),
            window: self.window,
            options: TcpOptions {
                mss: syn.then_some(1_460),
                window_scale: syn.then_some(0),
                sack_permitted: syn,
                timestamps: self.stamps,
                sack,
                ..TcpOptions::default()
            },
            payload_len: self.len,
            wire_len: 54 + self.len,
            ..Segment::between(src, dst)
        }
    }
}

/// The three packets that open the connection, `trip` ns from one to the next, seen beside the client.
fn handshake(trip: i64, stamped: bool) -> Vec<Packet> {
    let packet = |at: i64, from_server, flags, start, ack, stamps: (u32, u32)| Packet {
        at,
        from_server,
        flags,
        start,
        len: 0,
        ack,
        sack: Vec::new(),
        window: 60_000,
        id: 1,
        stamps: stamped.then_some(stamps),
    };
    vec![
        packet(0, false, TcpFlags::SYN, -1, 0, (1, 0)),
        packet(trip, true, TcpFlags::SYN | TcpFlags::ACK, -1, 0, (1, 1)),
        Packet { id: 2, ..packet(trip + 10_000, false, TcpFlags::ACK, 0, 0, (2, 1)) },
    ]
}

#[derive(Default)]
struct Gathered {
    connections: Vec<ConnectionReport>,
    rows: Vec<RetransmissionRow>,
}

impl ReportSink for Gathered {
    fn connection(&mut self, connection: ConnectionReport) {
        self.connections.push(connection);
    }
    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.rows.push(row.clone());
    }
}

/// What the program makes of these packets; the frame of the first is 1.
fn analyse(packets: &[Packet]) -> Gathered {
    let mut pipeline = Pipeline::new(Options::default().pipeline());
    let mut gathered = Gathered::default();
    for (frame, packet) in (1..).zip(packets) {
        pipeline.push(&packet.segment(frame));
        pipeline.hand_out(&|_| None, &mut gathered);
    }
    pipeline.finish(&|_| None, &mut gathered);
    gathered
}
