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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::{Frame, LinkType};
    use crate::decode::{DecodeOptions, Decoder};
    use crate::units::Timestamp;

    /// IPv4 and TCP without options or payload.
    const PACKET: [u8; 40] = [
        0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0, 80, 0, 0, 3,
        0xe8, 0, 0, 0x13, 0x88, 0x50, 0x10, 1, 0, 0, 0, 0, 0,
    ];

    proptest! {
        #[test]
        fn any_order_of_time_comes_out_in_that_of_the_file(order in Just((1..40_u64).collect::<Vec<_>>()).prop_shuffle()) {
            let mut decoder = Decoder::new(DecodeOptions::default());
            let mut file = FileOrder::default();
            let mut seen = Vec::new();
            for number in order {
                let frame = Frame {
                    number,
                    file: 0,
                    at: Timestamp::default(),
                    link: LinkType(101),
                    wire_len: 40,
                    data: &PACKET,
                };
                // Every third has no segment.
                let segment = decoder.decode(&frame).ok().filter(|_| number % 3 > 0);
                file.push(number, segment.as_ref());
                seen.extend(std::iter::from_fn(|| file.pop()).map(|segment| segment.frame));
            }
            prop_assert_eq!(seen, (1..40).filter(|number| number % 3 > 0).collect::<Vec<u64>>());
        }
    }
}
