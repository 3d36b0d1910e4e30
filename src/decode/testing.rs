//! Frames built by hand for the tests of this layer.

use std::path::PathBuf;

use super::{Decoder, Segment, SkipReason};
use crate::capture::{Frame, LinkType};
use crate::seq::SeqNumber;
use crate::units::Timestamp;

/// Payload bytes of [`tcp`].
pub(crate) const PAYLOAD: usize = 100;

/// Joins parts.
pub(crate) fn cat(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn be16(value: usize) -> [u8; 2] {
    u16::try_from(value).unwrap().to_be_bytes()
}

/// From port 40000 to 80: sequence number 1000, ACK 2000, PSH, timestamps 7 and 9, 100 bytes `0, 1, 2 ...`.
pub(crate) fn tcp() -> Vec<u8> {
    let payload: Vec<u8> = (0..100).collect();
    cat(&[
        &[0x9c, 0x40, 0, 80, 0, 0, 0x03, 0xe8, 0, 0, 0x07, 0xd0, 0x80, 0x18, 0x01, 0xf5, 0xab, 0xcd, 0, 0],
        &[1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9],
        &payload,
    ])
}

/// An IPv4 header from 10.0.0.1 to 10.0.0.2 and what it carries.
pub(crate) fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    cat(&[
        &[0x45, 2],
        &be16(20 + payload.len()),
        &[0x12, 0x34, 0x40, 0, 61, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2],
        payload,
    ])
}

/// A fragment of such a packet: identification 0x1234, `offset` in bytes.
pub(crate) fn ipv4_fragment(protocol: u8, offset: usize, more: bool, payload: &[u8]) -> Vec<u8> {
    let mut packet = ipv4(protocol, payload);
    packet[6..8].copy_from_slice(&be16((offset / 8) | if more { 0x2000 } else { 0 }));
    packet
}

/// An IPv6 header from `2001:db8::1` to `::2` and what it carries.
pub(crate) fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let address = |host| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host];
    cat(&[&[0x60, 0x20, 0, 0], &be16(payload.len()), &[next, 61], &address(1), &address(2), payload])
}

/// UDP to `port` from a port that means nothing.
pub(crate) fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    cat(&[&[0xc0, 1], &port.to_be_bytes(), &be16(8 + payload.len()), &[0, 0], payload])
}

/// An Ethernet header and what it carries.
pub(crate) fn ethernet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    cat(&[&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2], &ether_type.to_be_bytes(), payload])
}

/// The packet that the tests wrap.
pub(crate) fn packet() -> Vec<u8> {
    ipv4(6, &tcp())
}

/// A frame around `data`, captured whole.
pub(crate) fn frame(link: u16, data: &[u8]) -> Frame<'_> {
    Frame {
        number: 1,
        file: 0,
        at: Timestamp::from_nanos(1_000),
        link: LinkType(link),
        wire_len: u32::try_from(data.len()).unwrap(),
        data,
    }
}

/// The path around the segment of a frame that must be the one [`tcp`] makes.
pub(crate) fn path_of(link: u16, data: &[u8]) -> String {
    let mut decoder = Decoder::default();
    let segment = decoder.decode(&frame(link, data)).unwrap_or_else(|reason| panic!("{reason:?}: {data:x?}"));
    check(&segment);
    let encap = segment.encap;
    decoder.encapsulation(encap).to_string()
}

/// Why a frame yields no segment.
pub(crate) fn reason(link: u16, data: &[u8]) -> SkipReason {
    let mut decoder = Decoder::default();
    let reason = decoder.decode(&frame(link, data)).expect_err("no segment is expected");
    assert_eq!(decoder.skipped().collect::<Vec<_>>(), [(reason, 1)]);
    reason
}

/// Asserts that a segment is the one that [`tcp`] makes.
pub(crate) fn check(segment: &Segment<'_>) {
    let (src, dst) = (segment.src.to_string(), segment.dst.to_string());
    if src.starts_with('[') {
        assert_eq!((&*src, &*dst), ("[2001:db8::1]:40000", "[2001:db8::2]:80"));
        assert_eq!(segment.ip.id, None);
    } else {
        assert_eq!((&*src, &*dst), ("10.0.0.1:40000", "10.0.0.2:80"));
        assert_eq!(segment.ip.id, Some(0x1234));
    }
    assert_eq!((segment.ip.ttl, segment.ip.ecn), (61, 2));
    assert_eq!((segment.seq, segment.ack), (SeqNumber::new(1000), SeqNumber::new(2000)));
    assert_eq!((segment.flags.0, segment.window, segment.checksum), (0x18, 501, 0xabcd));
    assert_eq!(segment.options.timestamps, Some((7, 9)));
    assert_eq!(segment.payload_len as usize, PAYLOAD);
    assert!(segment.payload.iter().copied().eq(0..100), "{:?}", segment.payload);
}

/// Cuts a frame at each byte: no cut may panic, and a segment that is still found has the same payload length.
pub(crate) fn cut_everywhere(link: u16, data: &[u8]) {
    for held in 0..data.len() {
        let mut decoder = Decoder::default();
        let cut = Frame { data: &data[..held], ..frame(link, data) };
        if let Ok(segment) = decoder.decode(&cut) {
            assert_eq!(segment.payload_len as usize, PAYLOAD, "cut at {held}");
            assert!(segment.payload.len() <= PAYLOAD);
        }
    }
}

/// A capture under `fixtures/link`: classic, little-endian, of microseconds. Link type, then length on the wire and
/// bytes of each frame.
pub(crate) fn fixture(name: &str) -> (u16, Vec<(u32, Vec<u8>)>) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "fixtures", "link", name].iter().collect();
    let bytes = std::fs::read(path).unwrap();
    let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    assert_eq!(word(0), 0xa1b2_c3d4, "{name}");
    let mut frames = Vec::new();
    let mut at = 24;
    while at < bytes.len() {
        let held = word(at + 8) as usize;
        frames.push((word(at + 12), bytes[at + 16..at + 16 + held].to_vec()));
        at += 16 + held;
    }
    (u16::try_from(word(20)).unwrap(), frames)
}
