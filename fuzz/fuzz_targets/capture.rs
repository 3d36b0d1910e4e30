//! Any bytes as a capture: reading ends, with at most one error.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use tcptrace_rs::capture::{FrameSource, from_reader};

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut reader) = from_reader("fuzz", Box::new(Cursor::new(bytes.to_vec()))) else { return };
    let mut captured = 0;
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                assert!(frame.wire_len as usize >= frame.data.len());
                captured += frame.data.len() as u64;
            }
            Ok(None) => break,
            Err(_) => {
                assert!(matches!(reader.next_frame(), Ok(None)));
                break;
            }
        }
    }
    assert_eq!(reader.info().captured_bytes, captured);
});
