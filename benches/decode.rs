//! How long one frame takes to decode: plain, and in the wrappings that are met most.

#![expect(clippy::unwrap_used, reason = "the frames are built here and their lengths fit")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tcptrace_rs::capture::{Frame, LinkType};
use tcptrace_rs::decode::Decoder;
use tcptrace_rs::units::Timestamp;

fn main() {
    divan::main();
}

/// Frames of one connection that are decoded in one measured turn.
const FRAMES: u32 = 1024;

/// TCP with the options given, then `payload` bytes.
fn tcp(seq: u32, options: &[u8], payload: usize) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(&40_000_u16.to_be_bytes());
    out.extend_from_slice(&80_u16.to_be_bytes());
    out.extend_from_slice(&seq.to_be_bytes());
    out.extend_from_slice(&1_u32.to_be_bytes());
    out.extend_from_slice(&[u8::try_from(5 + options.len() / 4).unwrap() << 4, 0x10, 0x10, 0, 0, 0, 0, 0]);
    out.extend_from_slice(options);
    out.resize(out.len() + payload, 0x61);
    out
}

fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0x45, 0];
    out.extend_from_slice(&u16::try_from(20 + payload.len()).unwrap().to_be_bytes());
    out.extend_from_slice(&[0, 1, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    out.extend_from_slice(payload);
    out
}

fn ipv6(payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0x60, 0, 0, 0];
    out.extend_from_slice(&u16::try_from(payload.len()).unwrap().to_be_bytes());
    out.extend_from_slice(&[6, 64]);
    for host in [1, 2] {
        out.extend_from_slice(&[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host]);
    }
    out.extend_from_slice(payload);
    out
}

fn ethernet(header: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut out = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    out.extend_from_slice(header);
    out.extend_from_slice(payload);
    out
}

const TIMESTAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
const SACK: [u8; 24] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2];

fn wrapped(name: &str, seq: u32) -> Vec<u8> {
    let segment = ipv4(6, &tcp(seq, &TIMESTAMPS, 1448));
    match name {
        "plain" => ethernet(&[8, 0], &segment),
        "no options" => ethernet(&[8, 0], &ipv4(6, &tcp(seq, &[], 1448))),
        "sack" => ethernet(&[8, 0], &ipv4(6, &tcp(seq, &SACK, 0))),
        "ipv6" => ethernet(&[0x86, 0xdd], &ipv6(&tcp(seq, &TIMESTAMPS, 1428))),
        "vlan" => ethernet(&[0x81, 0, 0, 100, 8, 0], &segment),
        "cooked" => {
            let mut out = vec![0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0];
            out.extend_from_slice(&segment);
            out
        }
        "vxlan" => {
            let inner = ethernet(&[8, 0], &segment);
            let mut udp = vec![0xc0, 0, 0x12, 0xb5];
            udp.extend_from_slice(&u16::try_from(16 + inner.len()).unwrap().to_be_bytes());
            udp.extend_from_slice(&[0, 0, 8, 0, 0, 0, 0, 0, 42, 0]);
            udp.extend_from_slice(&inner);
            ethernet(&[8, 0], &ipv4(17, &udp))
        }
        _ => ethernet(&[8, 0], &ipv4(17, &[0; 64])),
    }
}

#[divan::bench(args = ["plain", "no options", "sack", "ipv6", "vlan", "vxlan", "cooked", "udp"])]
fn decode(bencher: Bencher<'_, '_>, name: &str) {
    let frames: Vec<Vec<u8>> = (0..FRAMES).map(|n| wrapped(name, n * 1448)).collect();
    let mut decoder = Decoder::default();
    bencher.counter(ItemsCount::new(FRAMES)).bench_local(|| {
        for (number, data) in (1..).zip(&frames) {
            let frame = Frame {
                number,
                file: 0,
                at: Timestamp::from_nanos(0),
                link: LinkType(if name == "cooked" { 113 } else { 1 }),
                wire_len: u32::try_from(data.len()).unwrap_or(u32::MAX),
                data,
            };
            let _ = black_box(decoder.decode(black_box(&frame)));
        }
    });
}
