//! Writes large captures to measure with: `make_capture KIND PACKETS [FLIGHT] > FILE`.
//!
//! Kinds, all Ethernet and IPv4 with 96 bytes of each packet, the same bytes at each run:
//! `bulk`: 16 flows that upload at full size, an acknowledgment for every second packet, timestamps;
//! `short`: connections of 10 packets (handshake, request, answer, close), 100 of them at a time;
//! `steady`: the same at 1,000 connections a second of the capture's time;
//! `flood`: a SYN each from another address and port; `stray`: the same with data, as if of connections that nobody knows; `lossy`: as bulk, every fifth segment sent twice; `super`: one flow in
//! segments of 64 kB, as a sender's tap sees them before they are cut up.
//! FLIGHT is how many segments of a flow of `bulk`, `lossy` and `super` are in flight: 8 unless told otherwise.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the values are chosen here, and fields of headers wrap by design"
)]

use std::io::{self, BufWriter, Write};

const SNAP: usize = 96;
const MSS: u32 = 1448;

struct Writer<W: Write> {
    out: W,
    now: u64,
    /// From one packet to the next, ns.
    pace: u64,
    id: u16,
}

struct Packet {
    src: u32,
    dst: u32,
    ports: (u16, u16),
    seq: u32,
    ack: u32,
    flags: u8,
    len: u32,
}

impl<W: Write> Writer<W> {
    fn new(mut out: W, pace: u64) -> io::Result<Self> {
        // pcap with nanoseconds, Ethernet.
        for field in [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 96, 1] {
            out.write_all(&field.to_le_bytes())?;
        }
        Ok(Self { out, now: 1_700_000_000_000_000_000, pace, id: 1 })
    }

    fn packet(&mut self, packet: &Packet) -> io::Result<()> {
        self.now += self.pace;
        self.id = self.id.wrapping_add(1).max(1);
        let options: &[u8] = if packet.flags & 2 != 0 {
            // MSS 1460, SACK permitted, timestamps, window scale 7.
            &[2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7]
        } else {
            &[1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0]
        };
        let (tcp_len, ip_len) = (20 + options.len(), 40 + options.len() as u32 + packet.len);
        let mut frame = [0_u8; SNAP];
        frame[..14].copy_from_slice(&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]);
        frame[14] = 0x45;
        frame[16..18].copy_from_slice(&(ip_len as u16).to_be_bytes());
        frame[18..20].copy_from_slice(&self.id.to_be_bytes());
        (frame[20], frame[22], frame[23]) = (0x40, 64, 6);
        frame[26..30].copy_from_slice(&packet.src.to_be_bytes());
        frame[30..34].copy_from_slice(&packet.dst.to_be_bytes());
        let tcp = &mut frame[34..];
        tcp[..2].copy_from_slice(&packet.ports.0.to_be_bytes());
        tcp[2..4].copy_from_slice(&packet.ports.1.to_be_bytes());
        tcp[4..8].copy_from_slice(&packet.seq.to_be_bytes());
        tcp[8..12].copy_from_slice(&packet.ack.to_be_bytes());
        tcp[12] = (tcp_len as u8 / 4) << 4;
        tcp[13] = packet.flags;
        tcp[14..16].copy_from_slice(&0x7fff_u16.to_be_bytes());
        tcp[20..tcp_len].copy_from_slice(options);
        if packet.flags & 2 == 0 {
            let millis = (self.now / 1_000_000) as u32;
            tcp[24..28].copy_from_slice(&millis.to_be_bytes());
            tcp[28..32].copy_from_slice(&millis.wrapping_sub(20).to_be_bytes());
        }
        let wire = 14 + ip_len;
        let captured = (wire as usize).min(SNAP);
        let (secs, nanos) = ((self.now / 1_000_000_000) as u32, (self.now % 1_000_000_000) as u32);
        for field in [secs, nanos, captured as u32, wire] {
            self.out.write_all(&field.to_le_bytes())?;
        }
        self.out.write_all(&frame[..captured])
    }
}

const SYN: u8 = 2;
const ACK: u8 = 16;
const PSH: u8 = 8;
const FIN: u8 = 1;
const SERVER: u32 = 0x0a01_0001;

/// What a transfer is like.
struct Transfer {
    flows: u32,
    /// Payload of a segment.
    size: u32,
    /// Segments in flight.
    flight: u32,
    /// Every fifth segment is sent twice.
    lossy: bool,
}

fn bulk<W: Write>(out: &mut Writer<W>, packets: u64, transfer: &Transfer) -> io::Result<()> {
    let (flows, mut written) = (transfer.flows, 0_u64);
    let Transfer { size, flight, lossy, .. } = *transfer;
    let end = |flow: u32| (0x0a00_0001 + flow, (40_000 + flow as u16, 443_u16));
    for flow in 0..flows {
        let (client, ports) = end(flow);
        let back = (ports.1, ports.0);
        let (up, down) = ((client, SERVER), (SERVER, client));
        for ((src, dst), ports, seq, ack, flags) in
            [(up, ports, 999, 0, SYN), (down, back, 4_999, 1_000, SYN | ACK), (up, ports, 1_000, 5_000, ACK)]
        {
            out.packet(&Packet { src, dst, ports, seq, ack, flags, len: 0 })?;
            written += 1;
        }
    }
    let mut sent = vec![1_000_u32; flows as usize];
    let mut round = 0_u32;
    while written < packets {
        round += 1;
        for flow in 0..flows {
            let (client, ports) = end(flow);
            let seq = &mut sent[flow as usize];
            for step in 0..2 {
                let packet =
                    Packet { src: client, dst: SERVER, ports, seq: *seq, ack: 5_000, flags: ACK, len: size };
                out.packet(&packet)?;
                written += 1;
                if lossy && (round * 2 + step).is_multiple_of(5) {
                    out.packet(&packet)?;
                    written += 1;
                }
                *seq = seq.wrapping_add(size);
            }
            if round * 2 <= flight {
                continue;
            }
            let ack = seq.wrapping_sub(flight.wrapping_mul(size));
            let back = (ports.1, ports.0);
            out.packet(&Packet {
                src: SERVER,
                dst: client,
                ports: back,
                seq: 5_000,
                ack,
                flags: ACK,
                len: 0,
            })?;
            written += 1;
        }
    }
    Ok(())
}

fn short<W: Write>(out: &mut Writer<W>, packets: u64) -> io::Result<()> {
    const AT_A_TIME: u64 = 100;
    // (from the client, flags, bytes sent before by the client, by the server, length)
    let steps: [(bool, u8, u32, u32, u32); 10] = [
        (true, SYN, 0, 0, 0),
        (false, SYN | ACK, 1, 0, 0),
        (true, ACK, 1, 1, 0),
        (true, ACK | PSH, 1, 1, 300),
        (false, ACK, 301, 1, MSS),
        (false, ACK | PSH, 301, 1 + MSS, 700),
        (true, ACK, 301, 701 + MSS, 0),
        (true, ACK | FIN, 301, 701 + MSS, 0),
        (false, ACK | FIN, 302, 701 + MSS, 0),
        (true, ACK, 302, 702 + MSS, 0),
    ];
    let connections = packets / steps.len() as u64;
    for batch in 0..connections.div_ceil(AT_A_TIME) {
        for (from_client, flags, client_sent, server_sent, len) in steps {
            for n in batch * AT_A_TIME..((batch + 1) * AT_A_TIME).min(connections) {
                let client = 0x0a00_0000 + 2 + (n / 25_000) as u32;
                let port = 10_000 + (n % 25_000) as u16;
                let packet = if from_client {
                    Packet {
                        src: client,
                        dst: SERVER,
                        ports: (port, 443),
                        seq: 7_000 + client_sent,
                        ack: 9_000 + server_sent,
                        flags,
                        len,
                    }
                } else {
                    Packet {
                        src: SERVER,
                        dst: client,
                        ports: (443, port),
                        seq: 9_000 + server_sent,
                        ack: 7_000 + client_sent,
                        flags,
                        len,
                    }
                };
                out.packet(&packet)?;
            }
        }
    }
    Ok(())
}

/// A packet with these flags and length each from another address and port.
fn flood<W: Write>(out: &mut Writer<W>, packets: u64, flags: u8, len: u32) -> io::Result<()> {
    for n in 0..packets {
        let (src, port) = (0x0b00_0000 + (n / 60_000) as u32, 1_024 + (n % 60_000) as u16);
        let seq = (n as u32).wrapping_mul(2_654_435_761);
        out.packet(&Packet { src, dst: SERVER, ports: (port, 80), seq, ack: 0, flags, len })?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (kind, packets) = (words.next(), words.next().and_then(|count| count.parse().ok()));
    let (Some(kind), Some(packets)) = (kind, packets) else {
        return Err(io::Error::other(
            "usage: make_capture bulk|lossy|super|short|steady|flood|stray PACKETS [FLIGHT] > FILE",
        ));
    };
    let flight = words.next().and_then(|count| count.parse().ok()).unwrap_or(8);
    let sixteen = Transfer { flows: 16, size: MSS, flight, lossy: false };
    // A connection of `short` has ten packets.
    let pace = if kind == "steady" { 100_000 } else { 1_200 };
    let mut out = Writer::new(BufWriter::with_capacity(1 << 20, io::stdout().lock()), pace)?;
    match kind.as_str() {
        "bulk" => bulk(&mut out, packets, &sixteen)?,
        "lossy" => bulk(&mut out, packets, &Transfer { lossy: true, ..sixteen })?,
        "super" => bulk(&mut out, packets, &Transfer { flows: 1, size: 45 * MSS, ..sixteen })?,
        "short" | "steady" => short(&mut out, packets)?,
        "flood" => flood(&mut out, packets, SYN, 0)?,
        "stray" => flood(&mut out, packets, ACK | PSH, MSS)?,
        _ => {
            return Err(io::Error::other("the kinds are bulk, lossy, super, short, steady, flood and stray"));
        }
    }
    out.out.flush()
}
