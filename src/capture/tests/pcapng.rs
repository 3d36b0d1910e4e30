//! Sections, interfaces and blocks of pcapng.

use super::*;

const EMPTY: &[u8] = &[];

/// One packet at `ticks` on an interface with these options: its nanoseconds.
fn stamp(order: Order, options: &[u8], ticks: u64) -> i64 {
    let bytes = [order.section(), order.interface(1, 0, options), order.packet(0, ticks, 60)].concat();
    read(&bytes).nanos()[0]
}

#[test]
fn stamps_are_scaled_by_resolution_and_offset() {
    for order in [LITTLE, BIG] {
        assert_eq!(stamp(order, EMPTY, 1_700_000_000_000_001), 1_700_000_000_000_001_000);
        assert_eq!(stamp(order, &order.option(9, &[9]), 1_700_000_000_000_001), 1_700_000_000_000_001);
        assert_eq!(stamp(order, &order.option(9, &[12]), 5_000_000_000_999), 5_000_000_000);
        assert_eq!(stamp(order, &order.option(9, &[0x80 | 0x14]), 3 << 19), 1_500_000_000);
        assert_eq!(stamp(order, &order.option(9, &[0x80 | 0x3f]), 3 << 62), 1_500_000_000);
        let minus = if order.big { (-7_i64).to_be_bytes() } else { (-7_i64).to_le_bytes() };
        let options = [order.option(9, &[9]), order.option(14, &minus)].concat();
        assert_eq!(stamp(order, &options, 1), -6_999_999_999);
    }
}

#[test]
fn a_stamp_beyond_2262_is_held_and_counted() {
    let outcome = read(
        &[LITTLE.section(), LITTLE.interface(1, 0, &LITTLE.option(9, &[0])), LITTLE.packet(0, 1 << 40, 60)]
            .concat(),
    );
    assert_eq!((outcome.nanos()[0], outcome.info.odd_stamps), (i64::MAX, 1));
}

#[test]
fn each_interface_has_its_own_link_type_and_clock() {
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 0, &LITTLE.option(2, b"eth0")),
        LITTLE.interface(113, 0, &[LITTLE.option(2, b"a\x1bny\0"), LITTLE.option(9, &[9])].concat()),
        LITTLE.packet(0, 1_000_000, 60),
        LITTLE.packet(1, 1_000_000_500, 61),
        LITTLE.packet(0, 1_000_001, 62),
    ];
    let outcome = read(&bytes.concat());
    let expected =
        [(1, 1_000_000_000, 1, 60, 61), (2, 1_000_000_500, 113, 61, 62), (3, 1_000_001_000, 1, 62, 63)];
    assert_eq!(outcome.frames, expected);
    assert_eq!(outcome.info.interfaces, 2);
    assert_eq!(outcome.info.interface_names, ["eth0", "a?ny"]);
    assert_eq!(outcome.info.link_types.iter().map(|link| link.0).collect::<Vec<_>>(), [1, 113]);
}

#[test]
fn a_section_of_the_other_byte_order_begins_anew() {
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 0, EMPTY),
        LITTLE.interface(1, 0, EMPTY),
        LITTLE.packet(1, 1_000_000, 60),
        BIG.section(),
        BIG.interface(113, 0, EMPTY),
        BIG.packet(0, 2_000_000, 60),
        // The second interface was one of the first section only.
        BIG.packet(1, 3_000_000, 60),
        LITTLE.section(),
        LITTLE.interface(101, 0, EMPTY),
        LITTLE.packet(0, 4_000_000, 60),
    ];
    let outcome = read(&bytes.concat());
    let links: Vec<_> = outcome.frames.iter().map(|frame| (frame.1, frame.2)).collect();
    assert_eq!(links, [(1_000_000_000, 1), (2_000_000_000, 113), (4_000_000_000, 101)]);
    assert_eq!(outcome.info.skipped_records["packet of an interface that is not described"], 1);
    assert!(outcome.error.is_none());
}

#[test]
fn a_simple_packet_has_the_stamp_before_and_the_snap_length_of_the_first_interface() {
    let simple = |wire: u32, len: usize| LITTLE.block(3, &[LITTLE.words([wire]), vec![FILL; len]].concat());
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 64, EMPTY),
        LITTLE.interface(113, 0, EMPTY),
        LITTLE.packet(1, 5_000_000, 60),
        simple(1_514, 64),
        simple(61, 61),
    ];
    let outcome = read(&bytes.concat());
    assert_eq!(outcome.frames[1..], [(2, 5_000_000_000, 1, 64, 1_514), (3, 5_000_000_000, 1, 61, 61)]);
}

#[test]
fn the_old_packet_block_is_read_with_its_drops() {
    let old = |interface: u16, drops: u16, ticks: u32| {
        let mut body = [LITTLE.u16(interface), LITTLE.u16(drops)].concat();
        body.extend(LITTLE.words([0, ticks, 60, 90]));
        body.extend([FILL; 60]);
        LITTLE.block(2, &body)
    };
    let bytes =
        [LITTLE.section(), LITTLE.interface(1, 0, EMPTY), old(0, 3, 7), old(0, 0xffff, 8), old(0, 2, 9)];
    let outcome = read(&bytes.concat());
    assert_eq!(outcome.frames, [(1, 7_000, 1, 60, 90), (2, 8_000, 1, 60, 90), (3, 9_000, 1, 60, 90)]);
    assert_eq!(outcome.info.interface_drops, Some(5));
}

/// Interface statistics with a count of drops by the interface and by the system.
fn statistics(interface: u32, ifdrop: u64, osdrop: u64) -> Vec<u8> {
    let options = [LITTLE.option(5, &ifdrop.to_le_bytes()), LITTLE.option(7, &osdrop.to_le_bytes())].concat();
    LITTLE.block(5, &[LITTLE.words([interface, 0, 0]), options].concat())
}

#[test]
fn drops_are_the_last_count_of_each_interface() {
    let start = [LITTLE.section(), LITTLE.interface(1, 0, EMPTY), LITTLE.interface(1, 0, EMPTY)].concat();
    let drops = |blocks: &[Vec<u8>]| read(&[start.clone(), blocks.concat()].concat()).info.interface_drops;
    assert_eq!(drops(&[]), None);
    assert_eq!(drops(&[statistics(0, 0, 0)]), Some(0));
    assert_eq!(drops(&[statistics(0, 5, 0), statistics(0, 7, 1), statistics(1, 10, 20)]), Some(38));
    // A new section counts anew.
    assert_eq!(drops(&[statistics(0, 5, 0), start.clone(), statistics(0, 4, 0)]), Some(9));
    // epb_dropcount of 6 are the same drops that the statistics then tell.
    let mut body = LITTLE.words([0, 0, 1, 4, 4]);
    body.extend([FILL; 4]);
    body.extend(LITTLE.option(4, &6_u64.to_le_bytes()));
    let packet = LITTLE.block(6, &body);
    assert_eq!(drops(std::slice::from_ref(&packet)), Some(6));
    assert_eq!(drops(&[packet, statistics(0, 8, 0)]), Some(8));
}

#[test]
fn blocks_that_are_not_needed_are_passed_over_and_counted() {
    let bytes = [
        LITTLE.section(),
        LITTLE.block(4, &[1; 20]),
        LITTLE.interface(1, 0, EMPTY),
        LITTLE.packet(0, 1, 60),
        LITTLE.block(0xbad, &[1; 8]),
        LITTLE.block(0x4000_0bad, &[1; 8]),
        LITTLE.block(0xa, &[1; 8]),
        LITTLE.block(9, b"A=B\n"),
        LITTLE.block(0x1234_5678, EMPTY),
        LITTLE.packet(0, 2, 60),
    ];
    let outcome = read(&bytes.concat());
    assert_eq!((outcome.frames.len(), outcome.error.is_none()), (2, true));
    let skipped: Vec<_> = outcome.info.skipped_records.into_iter().collect();
    let expected = [
        ("block of an unknown type", 1),
        ("custom block", 2),
        ("decryption secrets block", 1),
        ("name resolution block", 1),
        ("systemd journal block", 1),
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn a_big_block_between_frames_out_of_order_harms_neither() {
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 0, EMPTY),
        LITTLE.packet(0, 20, 60),
        LITTLE.packet(0, 10, 61),
        LITTLE.block(0xbad, &vec![1; 9 << 20]),
        LITTLE.packet(0, 30, 62),
        LITTLE.packet(0, 25, 3 << 20),
        LITTLE.packet(0, 40, 63),
    ];
    let outcome = read(&bytes.concat());
    assert_eq!(outcome.numbers(), [2, 1, 3, 4, 5]);
    assert_eq!(outcome.info.skipped_records["custom block"], 1);
    assert!(outcome.error.is_none());
}

#[test]
fn a_packet_above_64_mb_is_passed_over() {
    let bytes = [
        LITTLE.section(),
        LITTLE.interface(1, 0, EMPTY),
        LITTLE.packet(0, 1, 65 << 20),
        LITTLE.packet(0, 2, 60),
    ];
    let outcome = read(&bytes.concat());
    assert_eq!(outcome.nanos(), [2_000]);
    assert_eq!(outcome.info.skipped_records["packet block above 64 MB"], 1);
}

#[test]
fn a_packet_longer_than_its_block_costs_that_block_only() {
    let mut wrong = LITTLE.packet(0, 1, 60);
    wrong[20..24].copy_from_slice(&61_u32.to_le_bytes());
    let bytes = [LITTLE.section(), LITTLE.interface(1, 0, EMPTY), wrong, LITTLE.packet(0, 2, 60)];
    let outcome = read(&bytes.concat());
    assert_eq!((outcome.nanos(), outcome.error.is_none()), (vec![2_000], true));
    assert_eq!(outcome.info.skipped_records["packet block shorter than its packet"], 1);
}

#[test]
fn a_wrong_frame_of_a_block_is_corrupt_where_it_begins() {
    let good = [LITTLE.section(), LITTLE.interface(1, 0, EMPTY), LITTLE.packet(0, 1, 60)].concat();
    let fault = |block: Vec<u8>| match read(&[good.clone(), block, LITTLE.packet(0, 2, 60)].concat()) {
        Outcome { frames, error: Some(CaptureError::Corrupt { offset, what, .. }), .. } => {
            assert_eq!((frames.len(), offset), (1, good.len() as u64));
            what
        }
        outcome => panic!("{outcome:?}"),
    };
    let mut trailer = LITTLE.packet(0, 2, 60);
    *trailer.last_mut().unwrap() = 1;
    assert!(fault(trailer).contains("not repeated at its end"));
    let mut big = LITTLE.block(0xbad, &vec![0; 100_000]);
    *big.last_mut().unwrap() = 1;
    assert!(fault(big).contains("not repeated at its end"));
    let mut short = LITTLE.packet(0, 2, 60);
    short[4..8].copy_from_slice(&8_u32.to_le_bytes());
    assert!(fault(short).contains("the length 8"));
    let mut odd = LITTLE.packet(0, 2, 60);
    odd[4] += 1;
    assert!(fault(odd).contains("the length 93"));
    let mut section = LITTLE.section();
    section[8] = 0;
    assert!(fault(section).contains("byte-order magic 00 3c 2b 1a"));
}
