//! Each row around the same packet yields the same segment.

use super::*;
use crate::decode::testing::{cat, cut_everywhere, ethernet, frame, packet, path_of, reason};
use crate::decode::{Decoder, SkipReason, testing};

/// LLC and SNAP before an `EtherType`.
const SNAP_IPV4: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];

/// A Wi-Fi data header; `more` comes after the sequence control field.
fn wifi(kind: u8, flags: u8, more: &[u8]) -> Vec<u8> {
    cat(&[&[kind, flags, 0, 0], &[2; 18], &[0x10, 0], more, &SNAP_IPV4, &packet()])
}

/// Frames of a link type, each around the same packet.
fn frames(code: u16) -> Vec<Vec<u8>> {
    let packet = &packet()[..];
    let snap = &cat(&[&SNAP_IPV4, packet])[..];
    match code {
        1 => vec![
            ethernet(0x0800, packet),
            // Padding and check sequence after the packet.
            cat(&[&ethernet(0x0800, packet), &[0xee; 10]]),
            // A length in the place of the type, SNAP, and more padding than that.
            cat(&[&ethernet(u16::try_from(snap.len()).unwrap(), snap), &[0xee; 10]]),
            ethernet(u16::try_from(packet.len()).unwrap() + 3, &cat(&[&[6, 6, 3], packet])),
        ],
        113 => vec![
            cat(&[&[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0], packet]),
            cat(&[&[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 0, 4], snap]),
        ],
        276 => vec![cat(&[&[8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0], packet])],
        12 | 14 | 101 | 228 => vec![packet.to_vec()],
        229 => vec![testing::ipv6(6, &testing::tcp())],
        0 | 108 => [[2, 0, 0, 0], [0, 0, 0, 2]].iter().map(|head| cat(&[head, packet])).collect(),
        9 | 50 => vec![
            cat(&[&[0xff, 3, 0, 0x21], packet]),
            cat(&[&[0, 0x21], packet]),
            cat(&[&[0x21], packet]),
            cat(&[&[0xff, 3, 0x21], packet]),
            cat(&[&[0x0f, 0, 8, 0], packet]),
            // TCP sent whole to set the state of Van Jacobson compression: the protocol field is a slot.
            cat(&[&[0xff, 3, 0, 0x2f], &testing::ipv4(5, &testing::tcp())]),
        ],
        204 => vec![cat(&[&[1, 0xff, 3, 0, 0x21], packet])],
        51 => vec![cat(&[&[0x11, 0, 0, 9, 0, 154, 0, 0x21], packet])],
        105 => vec![
            wifi(0x08, 0x01, &[]),
            wifi(0x08, 0x03, &[2; 6]),
            wifi(0x88, 0x02, &[0, 0]),
            wifi(0x88, 0x82, &[0, 0, 0, 0, 0, 0]),
            // An aggregate: two addresses, the length of the first frame, and another behind it.
            cat(&[
                &[0x88, 1, 0, 0],
                &[2; 18],
                &[0x10, 0, 0x80, 0],
                &[2; 12],
                &u16::try_from(snap.len()).unwrap().to_be_bytes(),
                snap,
                &[0xee; 40],
            ]),
        ],
        127 => vec![
            cat(&[&[0, 0, 8, 0, 0, 0, 0, 0], &wifi(0x08, 1, &[])]),
            // Timer and flags: FCS and a padded header.
            cat(&[
                &[0, 0, 17, 0, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x30],
                &wifi(0x88, 1, &[0, 0, 0, 0]),
                &[0xee; 4],
            ]),
        ],
        192 => vec![
            cat(&[&[0, 0, 8, 0, 1, 0, 0, 0], &ethernet(0x0800, packet)]),
            cat(&[&[0, 0, 8, 0, 105, 0, 0, 0], &wifi(0x08, 1, &[])]),
        ],
        119 => vec![
            cat(&[&[0, 0, 0, 0x44, 144, 0, 0, 0], &[0; 136], &wifi(0x08, 1, &[])]),
            cat(&[&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64], &[0; 56], &wifi(0x08, 1, &[])]),
        ],
        163 => vec![cat(&[&[0x80, 0x21, 0x10, 1, 0, 0, 0, 64], &[0; 56], &wifi(0x08, 1, &[])])],
        104 => vec![cat(&[&[0x0f, 0, 8, 0], packet])],
        107 => vec![
            cat(&[&[0x18, 0x41, 3, 0xcc], packet]),
            cat(&[&[0x18, 0x41, 3, 0, 0xcc], packet]),
            cat(&[&[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0], packet]),
            cat(&[&[0x18, 0x41, 8, 0], packet]),
        ],
        10 => vec![cat(&[&[0x54], &[2; 12], snap])],
        6 => vec![
            cat(&[&[0x10, 0x40], &[2; 12], snap]),
            cat(&[&[0x10, 0x40], &[2; 6], &[0x82, 2, 2, 2, 2, 2], &[6, 0x80, 0, 1, 0, 2], snap]),
        ],
        239 => vec![
            cat(&[&[2, 0, 0, 0, 8, 0, 1, 0, 8, 0, 3, 0, 5, 0, 10, 0, b'x', 0, 0, 0, 156, 0, 9, 0], packet]),
            cat(&[&[2, 0, 0, 0, 0, 8, 0, 1, 8, 0, 3, 0, 0, 156, 0, 9], packet]),
        ],
        226 => vec![cat(&[&[1, 2], &[0; 22], packet])],
        274 => vec![
            cat(&[&[0x55; 7], &[0xd5], &ethernet(0x0800, packet), &[0xee; 4]]),
            cat(&[&[0x55; 7], &[0xe6], &ethernet(0x0800, packet), &[0xee; 4]]),
        ],
        258 => vec![cat(&[&[16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], &ethernet(0x0800, packet)])],
        _ => Vec::new(),
    }
}

#[test]
fn every_row_yields_the_packet_inside() {
    for row in LINK_LAYERS {
        assert!(!row.codes.is_empty() && !row.name.is_empty());
        for &code in row.codes {
            let frames = frames(code);
            assert!(!frames.is_empty(), "{} {code} is not covered", row.name);
            for data in frames {
                let path = path_of(code, &data);
                assert_eq!(path, if code == 51 { "pppoe 9" } else { "" }, "{} {code}", row.name);
                cut_everywhere(code, &data);
            }
        }
    }
}

#[test]
fn no_link_type_has_two_rows() {
    for (place, row) in LINK_LAYERS.iter().enumerate() {
        for code in row.codes {
            assert_eq!(LINK_LAYERS.iter().position(|row| row.codes.contains(code)), Some(place), "{code}");
        }
    }
}

#[test]
fn what_is_not_ip_is_told_apart() {
    let packet = packet();
    // USB, and a number nobody has.
    assert_eq!(reason(220, &packet), SkipReason::UnknownLinkType);
    assert_eq!(reason(65_000, &packet), SkipReason::UnknownLinkType);
    assert_eq!(reason(1, &ethernet(0x0806, &[0; 46])), SkipReason::NotIp);
    // Spanning tree.
    assert_eq!(reason(1, &ethernet(38, &[0x42, 0x42, 3, 0, 0, 0])), SkipReason::NotIp);
    assert_eq!(reason(1, &[0; 13]), SkipReason::BadLinkHeader);
    assert_eq!(reason(101, &[0x12; 40]), SkipReason::BadIpHeader);
    // Link control protocol; Van Jacobson compressed; encrypted.
    assert_eq!(reason(9, &[0xff, 3, 0xc0, 0x21, 1, 1]), SkipReason::NotIp);
    assert_eq!(reason(9, &[0xff, 3, 0, 0x2d, 1, 1]), SkipReason::NotIp);
    assert_eq!(reason(9, &[0xff, 3, 0, 0x53, 1, 1]), SkipReason::Encrypted);
    // Beacon, data without data, protected data, a fragment.
    assert_eq!(reason(105, &[0x80; 40]), SkipReason::NotIp);
    assert_eq!(reason(105, &wifi(0x48, 1, &[])), SkipReason::NotIp);
    assert_eq!(reason(105, &wifi(0x08, 0x41, &[])), SkipReason::Encrypted);
    assert_eq!(reason(105, &wifi(0x08, 0x05, &[])), SkipReason::Fragment);
    // Preempted, verify.
    assert_eq!(reason(274, &[0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x61, 0xe6, 1]), SkipReason::Fragment);
    assert_eq!(reason(274, &[0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x07, 1]), SkipReason::NotIp);
    // A header within itself for ever.
    assert_eq!(reason(192, &[0, 0, 8, 0, 192, 0, 0, 0].repeat(100)), SkipReason::BadLinkHeader);
    assert_eq!(reason(192, &[0, 0, 0, 0, 192, 0, 0, 0]), SkipReason::BadLinkHeader);
}

#[test]
fn a_frame_without_a_byte_is_counted_as_such() {
    let mut decoder = Decoder::default();
    let empty = crate::capture::Frame { wire_len: 1500, ..frame(1, &[]) };
    assert_eq!(decoder.decode(&empty).err(), Some(SkipReason::NoBytes));
}
