//! Segments in the order of the file: other programs take them so, while this one puts them in order of time.

use std::collections::BTreeMap;

use crate::decode::Segment;

/// Most frames that wait for one before them.
const MOST: usize = 1 << 16;

/// Frames that came early wait here.
#[derive(Debug)]
pub struct FileOrder {
    next: u64,
    waiting: BTreeMap<u64, Option<Segment<'static>>>,
}

impl Default for FileOrder {
    fn default() -> Self {
        Self { next: 1, waiting: BTreeMap::new() }
    }
}

impl FileOrder {
    /// A frame, with its segment if it has one.
    pub fn push(&mut self, number: u64, segment: Option<&Segment<'_>>) {
        self.waiting.insert(number, segment.map(without_payload));
    }

    /// The next segment in the order of the file. What is missing for long is not waited for.
    pub fn pop(&mut self) -> Option<Segment<'static>> {
        while let Some(entry) = self.waiting.first_entry() {
            let number = *entry.key();
            if number > self.next && self.waiting.len() <= MOST {
                return None;
            }
            let (_, segment) = self.waiting.pop_first()?;
            self.next = number + 1;
            if segment.is_some() {
                return segment;
            }
        }
        None
    }

    /// No more frames come: nothing is waited for any more.
    pub fn finish(&mut self) {
        self.next = u64::MAX;
    }
}

/// The segment, to be kept.
fn without_payload(segment: &Segment<'_>) -> Segment<'static> {
    let Segment { frame, file, at, src, dst, encap, ip, seq, ack, flags, window, urgent, checksum, .. } =
        *segment;
    let Segment { options, payload_len, wire_len, .. } = *segment;
    Segment {
        frame,
        file,
        at,
        src,
        dst,
        encap,
        ip,
        seq,
        ack,
        flags,
        window,
        urgent,
        checksum,
        options,
        payload_len,
        payload: &[],
        wire_len,
    }
}
