//! Files that are cut, empty or something else.

use super::*;

/// Cuts a file at every byte: the frames that are whole come, then one error unless the cut is between records.
fn cut_everywhere(bytes: &[u8], begin: usize, record: usize) {
    for len in begin..bytes.len() {
        let outcome = read(&bytes[..len]);
        let whole = (len - begin) / record;
        assert_eq!(outcome.frames.len(), whole, "cut at {len}");
        let start = (begin + whole * record) as u64;
        match outcome.error {
            None => assert_eq!(start, len as u64),
            Some(CaptureError::Truncated { offset, frames, .. }) => {
                assert_eq!((offset, frames), (start, whole as u64), "cut at {len}");
            }
            Some(error) => panic!("cut at {len}: {error}"),
        }
    }
}

#[test]
fn a_pcap_cut_anywhere_gives_what_is_whole() {
    cut_everywhere(&pcap_at(&[1, 2, 3]), 24, 76);
}

#[test]
fn a_pcapng_cut_anywhere_gives_what_is_whole() {
    let head = [LITTLE.section(), LITTLE.interface(1, 0, &[])].concat();
    let packets = [LITTLE.packet(0, 1, 60), LITTLE.packet(0, 2, 60), LITTLE.packet(0, 3, 60)].concat();
    cut_everywhere(&[head.clone(), packets].concat(), head.len(), 92);
}

#[test]
fn a_cut_header_is_named() {
    let file = pcap_at(&[]);
    for len in 4..24 {
        let error = read(&file[..len]).error.unwrap();
        assert!(
            matches!(error, CaptureError::Truncated { what: "the file header", offset: 0, .. }),
            "{error}"
        );
        assert!(error.is_truncation());
    }
    for len in 4..28 {
        let error = read(&LITTLE.section()[..len]).error.unwrap();
        assert!(matches!(error, CaptureError::Truncated { offset: 0, frames: 0, .. }), "{error}");
    }
}

#[test]
fn frames_out_of_order_before_a_cut_still_come_in_order() {
    let mut bytes = pcap_at(&[3_000, 1_000, 2_000, 4_000]);
    bytes.pop();
    let outcome = read(&bytes);
    assert_eq!(outcome.numbers(), [2, 3, 1]);
    assert!(matches!(outcome.error, Some(CaptureError::Truncated { what: "a record", frames: 3, .. })));
}

#[test]
fn what_is_no_capture_is_said_to_be() {
    assert!(matches!(reader(&[]), Err(CaptureError::Empty { .. })));
    let message = |bytes: &[u8]| reader(bytes).err().unwrap().to_string();
    assert!(message(b"\x7fELF\x02\x01\x01\0\0").starts_with(
        "test: not a capture: it begins with 7f 45 4c 46 02 01 01 00 (an ELF program). Expected pcap, pcapng, snoop or ERF"
    ));
    assert!(message(&[0xa1, 0xb2]).contains("it begins with a1 b2."));
    let mut wrong = LITTLE.section();
    wrong[8] = 0;
    assert!(message(&wrong).contains("not a capture"));
}

#[test]
fn an_archaic_version_is_refused() {
    let bytes = LITTLE.pcap_header(0xa1b2_c3d4, (1, 9), 65_535, 1);
    let error = read(&bytes).error.unwrap();
    assert!(error.to_string().contains("pcap version 1.9"), "{error}");
}

#[test]
fn an_error_of_the_system_ends_the_file_after_what_was_read() {
    struct Broken(Cursor<Vec<u8>>);
    impl std::io::Read for Broken {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(buf)? {
                0 => Err(std::io::ErrorKind::ConnectionReset.into()),
                count => Ok(count),
            }
        }
    }
    let bytes = pcap_at(&[1, 2, 3]);
    let len = bytes.len() as u64;
    let mut reader = from_reader("pipe", Box::new(Broken(Cursor::new(bytes)))).unwrap();
    let outcome = drain(&mut reader);
    assert_eq!(outcome.frames.len(), 3);
    assert_eq!(outcome.error.unwrap().to_string(), "pipe: connection reset");
    assert_eq!(reader.bytes_read(), len);
}
