//! snoop.

use super::*;

fn record(original: u32, included: u32, drops: u32, secs: u32, micros: u32) -> Vec<u8> {
    let padded = included.next_multiple_of(4);
    let mut bytes = BIG.words([original, included, 24 + padded, drops, secs, micros]);
    bytes.extend(vec![FILL; included as usize]);
    bytes.resize(24 + padded as usize, 0);
    bytes
}

#[test]
fn records_are_padded_and_drops_are_a_running_count() {
    let header = [b"snoop\0\0\0".to_vec(), BIG.words([2, 4])].concat();
    let bytes = [header, record(1_514, 70, 2, 1, 3), record(60, 60, 5, 1, 4)].concat();
    let outcome = read(&bytes);
    assert_eq!(outcome.frames, [(1, 1_000_003_000, 1, 70, 1_514), (2, 1_000_004_000, 1, 60, 60)]);
    assert_eq!(outcome.info.interface_drops, Some(5));
    assert_eq!(outcome.info.format, "snoop");
}

#[test]
fn link_numbers_are_those_of_the_registry() {
    let link = |number| {
        let header = [b"snoop\0\0\0".to_vec(), BIG.words([2, number])].concat();
        read(&[header, record(60, 60, 0, 1, 0)].concat()).frames[0].2
    };
    assert_eq!([link(0), link(2), link(4), link(8)], [1, 6, 1, 10]);
    assert_eq!(link(9), u16::MAX, "\"other\" is no link type that is known");
}

#[test]
fn a_record_shorter_than_its_packet_is_corrupt() {
    let header = [b"snoop\0\0\0".to_vec(), BIG.words([2, 4])].concat();
    let mut bytes = [header, record(60, 60, 0, 1, 0), record(60, 60, 0, 1, 0)].concat();
    bytes[16 + 84 + 8..][..4].copy_from_slice(&83_u32.to_be_bytes());
    let outcome = read(&bytes);
    assert_eq!(outcome.frames.len(), 1);
    assert!(matches!(outcome.error, Some(CaptureError::Corrupt { offset: 100, frames: 1, .. })));
}
