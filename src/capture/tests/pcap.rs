//! The variants of pcap.

use super::*;

#[test]
fn both_byte_orders_and_both_resolutions_are_read() {
    for (order, magic, nanos) in [
        (LITTLE, 0xa1b2_c3d4, 7_000),
        (BIG, 0xa1b2_c3d4, 7_000),
        (LITTLE, 0xa1b2_3c4d, 7),
        (BIG, 0xa1b2_3c4d, 7),
    ] {
        let bytes =
            [order.pcap_header(magic, (2, 4), 96, 101), order.pcap_record(2, 7, (60, 1_500), 60)].concat();
        let outcome = read(&bytes);
        assert_eq!(outcome.frames, [(1, 2_000_000_000 + nanos, 101, 60, 1_500)]);
        assert!(outcome.error.is_none());
        assert_eq!((outcome.info.format.as_str(), outcome.info.cut_frames), ("pcap", 1));
        assert_eq!((outcome.info.captured_bytes, outcome.info.wire_bytes), (60, 1_500));
    }
}

#[test]
fn lengths_are_swapped_as_libpcap_has_it() {
    let lengths = |version, lengths, bytes| {
        let file = [
            BIG.pcap_header(0xa1b2_c3d4, version, 68, 1),
            BIG.pcap_record(1, 0, lengths, bytes),
            BIG.pcap_record(2, 0, lengths, bytes),
        ];
        let outcome = read(&file.concat());
        assert_eq!((outcome.frames.len(), outcome.error.is_none()), (2, true), "{version:?}");
        (outcome.frames[1].3, outcome.frames[1].4)
    };
    assert_eq!(lengths((2, 2), (82, 68), 68), (68, 82));
    assert_eq!(lengths((543, 0), (82, 68), 68), (68, 82));
    assert_eq!(lengths((2, 3), (82, 68), 68), (68, 82));
    assert_eq!(lengths((2, 3), (68, 82), 68), (68, 82));
    assert_eq!(lengths((2, 4), (68, 82), 68), (68, 82));
    // Since 2.4 the first is the captured one, even if it is the bigger: a frame is then as long as its bytes.
    assert_eq!(lengths((2, 4), (82, 68), 82), (82, 82));
}

#[test]
fn modified_pcap_has_longer_record_headers() {
    for order in [LITTLE, BIG] {
        let mut record = order.pcap_record(1, 5, (60, 60), 0);
        record.extend(order.words([3]));
        record.extend([8, 0, 4, 0]);
        record.extend([FILL; 60]);
        let bytes = [order.pcap_header(0xa1b2_cd34, (2, 4), 65_535, 1), record.clone(), record].concat();
        let seen = (1_000_005_000, 1, 60, 60);
        let expected = [1, 2].map(|number| (number, seen.0, seen.1, seen.2, seen.3));
        assert_eq!(read(&bytes).frames, expected);
    }
}

#[test]
fn a_link_type_is_the_low_half_of_its_field() {
    let link = |field| {
        let bytes =
            [LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), 0, field), LITTLE.pcap_record(1, 0, (60, 60), 60)];
        read(&bytes.concat()).frames[0].2
    };
    assert_eq!(link(1), 1);
    // Bits 28 to 31 are the length of the frame check sequence in 16-bit words, bit 26 says that they are valid.
    assert_eq!(link(0x2400_0001), 1);
    assert_eq!(link(276), 276);
    assert_eq!([link(12), link(14), link(101)], [101; 3]);
}

#[test]
fn a_fraction_above_a_second_is_carried_and_counted() {
    let outcome = read(
        &[
            LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), 65_535, 1),
            LITTLE.pcap_record(1, 999_999, (60, 60), 60),
            LITTLE.pcap_record(1, 1_000_001, (60, 60), 60),
            LITTLE.pcap_record(u32::MAX, u32::MAX, (60, 60), 60),
        ]
        .concat(),
    );
    assert_eq!(
        outcome.nanos(),
        [1_999_999_000, 2_000_001_000, 4_294_967_295_000_000_000 + 4_294_967_295_000]
    );
    assert_eq!(outcome.info.odd_stamps, 2);
}

#[test]
fn a_packet_above_the_snap_length_is_accepted_within_reason() {
    let read = |snaplen, captured: u32| {
        let bytes = [
            LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), snaplen, 1),
            LITTLE.pcap_record(1, 0, (captured, captured), captured as usize),
            LITTLE.pcap_record(2, 0, (60, 60), 60),
        ];
        read(&bytes.concat())
    };
    assert_eq!(read(1_500, 524_280).frames.len(), 2);
    assert_eq!(read(8 << 20, 3 << 20).frames.len(), 2);
    let error = read(1_500, (1 << 20) + 1).error.unwrap();
    assert!(matches!(error, CaptureError::Corrupt { offset: 24, frames: 0, .. }), "{error}");
    let error = read(u32::MAX, (64 << 20) + 1).error.unwrap();
    assert!(matches!(error, CaptureError::Corrupt { .. }), "{error}");
}

#[test]
fn stamps_a_little_out_of_order_are_put_in_order() {
    let outcome = read(&pcap_at(&[10_000, 30_000, 20_000, 40_000]));
    assert_eq!((outcome.numbers(), outcome.info.clock_disorder), (vec![1, 3, 2, 4], 1));
    // A clock set back by a second is left alone.
    let outcome = read(&pcap_at(&[2_000_000, 1_000_000, 1_010_000]));
    assert_eq!((outcome.numbers(), outcome.info.clock_disorder), (vec![1, 2, 3], 1));
}

#[test]
fn order_and_bytes_hold_across_window_refills() {
    // 40,000 frames of 60 to 1059 bytes are 23 MB: many windows, with every third pair of stamps swapped.
    let mut bytes = LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), 65_535, 1);
    let mut expected = Vec::new();
    for number in 0..40_000_u32 {
        let at = match number % 3 {
            0 => number + 1,
            1 => number - 1,
            _ => number,
        };
        let len = 60 + number * 7 % 1_000;
        bytes.extend(LITTLE.pcap_record(1, at, (len, len), len as usize));
        expected.push((at, number + 1, len));
    }
    expected.sort_unstable();
    let outcome = read(&bytes);
    assert!(outcome.error.is_none());
    assert_eq!(outcome.frames.len(), 40_000);
    for (seen, (_, number, len)) in outcome.frames.iter().zip(expected) {
        assert_eq!((seen.0, seen.4), (u64::from(number), len));
    }
}
