//! The segments of the last moments, to find the one that a second capture repeats.

use std::collections::VecDeque;

use crate::decode::{Endpoint, IpMeta, Segment, TcpFlags, TcpOptions};
use crate::seq::SeqNumber;
use crate::units::{Span, Timestamp};

/// How much later a copy is looked for (that of the analysis' filter).
const WITHIN: Span = Span::from_millis(50);

/// Most segments kept; they fill 8 MB.
const MOST: usize = 1 << 15;

/// What two captures of one packet share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Print {
    src: Endpoint,
    dst: Endpoint,
    seq: SeqNumber,
    ack: SeqNumber,
    flags: TcpFlags,
    window: u16,
    checksum: u16,
    id: Option<u16>,
    options: TcpOptions,
    len: u32,
}

/// Segments in the order in which they were captured.
#[derive(Debug, Default)]
pub(super) struct Recent(VecDeque<(u64, Timestamp, Print)>);

impl Print {
    const fn of(segment: &Segment<'_>) -> Self {
        let IpMeta { id, .. } = segment.ip;
        Self {
            src: segment.src,
            dst: segment.dst,
            seq: segment.seq,
            ack: segment.ack,
            flags: segment.flags,
            window: segment.window,
            checksum: segment.checksum,
            id,
            options: segment.options,
            len: segment.payload_len,
        }
    }
}

impl Recent {
    /// Takes note of a segment.
    pub(super) fn push(&mut self, segment: &Segment<'_>) {
        while let Some(&(_, at, _)) = self.0.front()
            && (segment.at.since(at) > WITHIN || self.0.len() >= MOST)
        {
            self.0.pop_front();
        }
        self.0.push_back((segment.frame, segment.at, Print::of(segment)));
    }

    /// The frame of the latest segment that is equal to this one.
    pub(super) fn twin(&self, segment: &Segment<'_>) -> Option<u64> {
        let print = Print::of(segment);
        self.0.iter().rev().find(|(.., known)| *known == print).map(|&(frame, ..)| frame)
    }
}
