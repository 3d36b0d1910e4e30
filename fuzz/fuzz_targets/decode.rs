//! Any bytes as frames of any link type, one after another in one decoder: never a panic, and lengths that agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::capture::{Frame, LinkType};
use tcptrace_rs::decode::{DecodeOptions, Decoder};
use tcptrace_rs::units::Timestamp;

/// Frames are told apart by a head of six bytes: link type, captured length, bytes that were cut.
const HEAD: usize = 6;

fuzz_target!(|bytes: &[u8]| {
    let mut decoder = Decoder::new(DecodeOptions::default());
    let mut rest = bytes;
    let mut number = 0;
    while let Some((&[l0, l1, c0, c1, w0, w1], after)) = rest.split_first_chunk::<HEAD>() {
        let held = usize::from(u16::from_le_bytes([c0, c1])).min(after.len());
        let (data, next) = after.split_at(held);
        number += 1;
        let frame = Frame {
            number,
            file: 0,
            at: Timestamp::from_nanos(i64::try_from(number).unwrap_or(0) * 1_000_000),
            link: LinkType(u16::from_le_bytes([l0, l1])),
            wire_len: u32::try_from(held).unwrap_or(0) + u32::from(u16::from_le_bytes([w0, w1])),
            data,
        };
        if let Ok(segment) = decoder.decode(&frame) {
            assert!(segment.payload.len() <= segment.payload_len as usize);
            let encap = segment.encap;
            let _ = decoder.encapsulation(encap).to_string();
        }
        rest = next;
    }
    let counted: u64 = decoder.segments() + decoder.skipped().map(|(_, count)| count).sum::<u64>();
    assert_eq!(counted, number);
});
