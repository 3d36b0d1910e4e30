//! What holds for any bytes.

use proptest::prelude::*;

use super::*;

/// Reads it all; the frames are as many as are counted and no more than there are bytes.
fn survives(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(mut reader) = reader(bytes) else { return Ok(()) };
    let (mut frames, mut captured) = (0_u64, 0_u64);
    let mut failed = false;
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                prop_assert!(frame.wire_len as usize >= frame.data.len());
                frames += 1;
                captured += frame.data.len() as u64;
            }
            Ok(None) => break,
            Err(_) => {
                prop_assert!(!failed, "a second error");
                failed = true;
            }
        }
    }
    let info = reader.info();
    prop_assert_eq!((info.frames, info.captured_bytes), (frames, captured));
    prop_assert!(captured <= bytes.len() as u64);
    prop_assert!(frames <= bytes.len() as u64 / 12);
    Ok(())
}

/// The beginning of a file of every format.
fn beginnings() -> Vec<Vec<u8>> {
    vec![
        LITTLE.pcap_header(0xa1b2_c3d4, (2, 4), 65_535, 1),
        BIG.pcap_header(0xa1b2_c3d4, (2, 2), 65_535, 1),
        LITTLE.pcap_header(0xa1b2_cd34, (2, 3), 65_535, 1),
        LITTLE.pcap_header(0xa1b2_3c4d, (2, 4), u32::MAX, 1)[..4].to_vec(),
        [LITTLE.section(), LITTLE.interface(1, 64, &[])].concat(),
        BIG.section(),
        LITTLE.section()[..12].to_vec(),
        [b"snoop\0\0\0".to_vec(), BIG.words([2, 4])].concat(),
        Vec::new(),
    ]
}

/// A pcapng block of any known type with any body.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let kinds = prop_oneof![Just(1_u32), Just(2), Just(3), Just(5), Just(6), Just(0x0a0d_0d0a), Just(0xbad)];
    (kinds, any::<bool>(), prop::collection::vec(any::<u8>(), 0..80)).prop_map(|(kind, small, mut body)| {
        if small {
            // Small numbers in the fields, so that interfaces and lengths are sometimes right.
            body.iter_mut().enumerate().for_each(|(index, byte)| {
                *byte = if index % 4 == 0 { *byte % 24 } else { 0 };
            });
        }
        LITTLE.block(kind, &body)
    })
}

proptest! {
    #[test]
    fn any_bytes_behind_a_magic_end(
        index in 0..9_usize,
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
    ) {
        survives(&[beginnings()[index].clone(), bytes].concat())?;
    }

    #[test]
    fn any_blocks_end(blocks in prop::collection::vec(block(), 0..30)) {
        let bytes = [LITTLE.section(), LITTLE.interface(1, 16, &[]), blocks.concat()].concat();
        survives(&bytes)?;
    }

    #[test]
    fn a_changed_byte_does_no_harm(at in 0..252_usize, value in any::<u8>()) {
        let mut bytes = pcap_at(&[1, 2, 3]);
        bytes[at] = value;
        survives(&bytes)?;
    }

    #[test]
    fn disorder_up_to_the_bound_is_sorted(stamps in prop::collection::vec(0..100_000_u64, 0..17)) {
        let outcome = read(&pcap_at(&stamps));
        let mut expected: Vec<(u64, u64)> = stamps.iter().copied().zip(1..).collect();
        let falls = stamps.windows(2).filter(|pair| pair[1] < pair[0]).count();
        expected.sort_unstable();
        prop_assert_eq!(outcome.numbers(), expected.iter().map(|pair| pair.1).collect::<Vec<_>>());
        prop_assert_eq!(outcome.info.clock_disorder, falls as u64);
    }
}
