//! Fragments in any order, cut, repeated, contradictory, late, and too many.

use proptest::prelude::*;

use super::*;
use crate::capture::Frame;
use crate::decode::testing::{cat, check, ethernet, frame, ipv4, ipv4_fragment, ipv6, tcp};
use crate::decode::{DecodeOptions, Decoder, SkipReason};

/// Decodes frames one after another: whether each yielded the segment of [`tcp`], put together.
fn run(decoder: &mut Decoder, frames: &[Vec<u8>]) -> Vec<bool> {
    let mut found = Vec::new();
    for data in frames {
        match decoder.decode(&frame(1, data)) {
            Ok(segment) => {
                assert!(segment.ip.reassembled);
                check(&segment);
                found.push(true);
            }
            Err(reason) => {
                assert_eq!(reason, SkipReason::Fragment);
                found.push(false);
            }
        }
    }
    found
}

/// The segment in IPv4 fragments that begin at these bytes.
fn fragments(starts: &[usize]) -> Vec<Vec<u8>> {
    let whole = tcp();
    let ends = starts[1..].iter().copied().chain([whole.len()]);
    let piece = |(&start, end): (&usize, usize)| {
        ethernet(0x0800, &ipv4_fragment(6, start, end < whole.len(), &whole[start..end]))
    };
    starts.iter().zip(ends).map(piece).collect()
}

#[test]
fn the_last_to_come_completes_the_datagram() {
    let pieces = fragments(&[0, 24, 64]);
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let frames: Vec<_> = order.iter().map(|&place| pieces[place].clone()).collect();
        let mut decoder = Decoder::default();
        assert_eq!(run(&mut decoder, &frames), [false, false, true], "{order:?}");
        assert_eq!((decoder.reassembled(), decoder.incomplete_datagrams()), (1, 0));
    }
}

#[test]
fn ipv6_fragments_too() {
    let whole = cat(&[&[6, 0, 1, 4, 0, 0, 0, 0], &tcp()]);
    let piece = |offset: u16, more: u8, data: &[u8]| {
        let [high, low] = (offset | u16::from(more)).to_be_bytes();
        ethernet(0x86dd, &ipv6(44, &cat(&[&[60, 0, high, low, 0, 1, 2, 3], data])))
    };
    let frames = [piece(48, 0, &whole[48..]), piece(0, 1, &whole[..48])];
    assert_eq!(run(&mut Decoder::default(), &frames), [false, true]);
}

#[test]
fn a_tunnel_in_fragments_and_fragments_in_it() {
    // The inner packet is in two fragments; the packets around them are each in two, too.
    let inner = fragments(&[0, 56]);
    let mut frames = Vec::new();
    for (id, inner) in (1..).zip(&inner) {
        let payload = &inner[14..];
        for (offset, more, part) in [(0, true, &payload[..48]), (48, false, &payload[48..])] {
            let mut data = ethernet(0x0800, &ipv4_fragment(4, offset, more, part));
            data[14 + 5] = id;
            frames.push(data);
        }
    }
    let mut decoder = Decoder::default();
    assert_eq!(run(&mut decoder, &frames), [false, false, false, true]);
    assert_eq!(decoder.encapsulation(EncapId(1)).to_string(), "ipip");
}

#[test]
fn what_came_first_stays() {
    let mut frames = fragments(&[0, 64]);
    // Bytes 32 to 72 once more, other ones: 32 to 64 are there already, 64 to 72 are not.
    let mut other = tcp()[32..72].to_vec();
    other[..32].fill(0xee);
    frames.insert(1, ethernet(0x0800, &ipv4_fragment(6, 32, true, &other)));
    assert_eq!(run(&mut Decoder::default(), &frames), [false, false, true]);
}

#[test]
fn a_hole_is_not_filled_by_what_lies_beyond_the_end() {
    let whole = tcp();
    let frames = [
        ethernet(0x0800, &ipv4_fragment(6, 0, true, &whole[..64])),
        ethernet(0x0800, &ipv4_fragment(6, 800, true, &[0; 32])),
        ethernet(0x0800, &ipv4_fragment(6, 96, false, &whole[96..])),
        ethernet(0x0800, &ipv4_fragment(6, 64, true, &whole[64..96])),
    ];
    assert_eq!(run(&mut Decoder::default(), &frames), [false, false, false, true]);
}

#[test]
fn impossible_fragments_are_not_kept() {
    let frames = [
        ethernet(0x0800, &ipv4_fragment(6, 0, true, &[0; 33])),
        ethernet(0x0800, &ipv4_fragment(6, 0, true, &[])),
        ethernet(0x0800, &ipv4_fragment(6, 65_528, false, &[0; 8])),
    ];
    let mut decoder = Decoder::default();
    assert_eq!(run(&mut decoder, &frames), [false; 3]);
    assert_eq!(decoder.incomplete_datagrams(), 0);
}

#[test]
fn cut_fragments_keep_the_length_on_the_wire() {
    let frames = fragments(&[0, 64]);
    let mut decoder = Decoder::default();
    for (place, data) in frames.iter().enumerate() {
        let cut = Frame { data: &data[..70], ..frame(1, data) };
        let outcome = decoder.decode(&cut);
        if place == 0 {
            assert_eq!(outcome.err(), Some(SkipReason::Fragment));
        } else {
            let segment = outcome.expect("whole now");
            // 36 of the first fragment's 64 bytes were captured, 32 of them the TCP header.
            assert_eq!((segment.payload_len, segment.payload), (100, &[0, 1, 2, 3][..]));
        }
    }
}

#[test]
fn a_mark_on_any_fragment_is_one_on_the_whole() {
    let mut frames = fragments(&[0, 64]);
    frames[1][15] |= 3;
    let mut decoder = Decoder::default();
    assert!(decoder.decode(&frame(1, &frames[0])).is_err());
    assert_eq!(decoder.decode(&frame(1, &frames[1])).map(|segment| segment.ip.ecn).ok(), Some(3));
}

#[test]
fn a_datagram_waits_for_its_time_only() {
    let frames = fragments(&[0, 64]);
    for (millis, whole) in [(30_000, true), (30_001, false)] {
        let mut decoder = Decoder::default();
        let at = Timestamp::from_secs_nanos(100, 0);
        assert!(decoder.decode(&Frame { at, ..frame(1, &frames[0]) }).is_err());
        let at = Timestamp::from_nanos(at.as_nanos() + millis * 1_000_000);
        assert_eq!(decoder.decode(&Frame { at, ..frame(1, &frames[1]) }).is_ok(), whole, "{millis}");
        assert_eq!(decoder.incomplete_datagrams(), if whole { 0 } else { 2 });
    }
}

#[test]
fn the_oldest_go_when_memory_is_short() {
    let options = DecodeOptions { defrag_memory: 200_000, ..DecodeOptions::default() };
    let mut decoder = Decoder::new(options);
    let lone = |id: u16| {
        let mut data = ethernet(0x0800, &ipv4_fragment(6, 65_000, true, &[0; 8]));
        data[18..20].copy_from_slice(&id.to_be_bytes());
        data
    };
    for id in 0..100 {
        assert!(decoder.decode(&frame(1, &lone(id))).is_err());
        assert!(decoder.defrag_used() <= 200_000);
    }
    // Two of 65,008 bytes and what is noted of them fit; a third would not.
    assert_eq!(decoder.incomplete_datagrams(), 100);
    let frames = fragments(&[0, 64]);
    assert_eq!(run(&mut decoder, &frames), [false, true]);
}

#[test]
fn the_same_id_between_others_is_another_datagram() {
    let mut frames = fragments(&[0, 64]);
    let mut other = frames[1].clone();
    other[14 + 19] = 9;
    frames.insert(1, other);
    // Another VLAN is another network.
    let tagged = cat(&[&frames[2][..12], &[0x81, 0, 0, 5], &frames[2][12..]]);
    frames.insert(2, tagged);
    assert_eq!(run(&mut Decoder::default(), &frames), [false, false, false, true]);
}

#[test]
fn a_whole_datagram_that_is_not_tcp_says_what_it_is() {
    let mut decoder = Decoder::default();
    let whole = ipv4(17, &[0; 16]);
    assert!(decoder.decode(&frame(1, &ethernet(0x0800, &whole))).is_err());
    let frames = [ipv4_fragment(17, 0, true, &[0; 8]), ipv4_fragment(17, 8, false, &[0; 8])];
    for data in frames {
        assert!(decoder.decode(&frame(1, &ethernet(0x0800, &data))).is_err());
    }
    let skipped: Vec<_> = decoder.skipped().collect();
    assert_eq!(skipped, [(SkipReason::NotTcp, 2), (SkipReason::Fragment, 1)]);
}

proptest! {
    /// Any split in any order, with any of it repeated, gives the segment once all is there, and not before.
    #[test]
    fn any_split_in_any_order_gives_the_segment(
        cuts in prop::collection::btree_set(1_usize..16, 1..6),
        keys in prop::collection::vec(any::<u32>(), 8),
    ) {
        let starts: Vec<usize> = [0].into_iter().chain(cuts.iter().map(|cut| cut * 8)).collect();
        let mut frames: Vec<(u32, Vec<u8>)> = keys.iter().copied().zip(fragments(&starts)).collect();
        frames.sort();
        let mut twice = Vec::new();
        for (place, (key, data)) in frames.iter().enumerate() {
            twice.push(data.clone());
            if key % 2 == 0 && place + 1 < frames.len() {
                twice.push(data.clone());
            }
        }
        let found = run(&mut Decoder::default(), &twice);
        prop_assert_eq!(found.iter().position(|found| *found), Some(twice.len() - 1));
    }
}
