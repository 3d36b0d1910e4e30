//! What an acknowledgment is: one that advances, a duplicate, or a report of duplicate data.

use crate::decode::Segment;
use crate::flow::Stream;
use crate::seq::StreamOffset;

/// The last acknowledgment of one side, to compare the next with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckTracker {
    window: Option<u16>,
}

impl AckTracker {
    /// Whether the segment, which acknowledges `ack` of `stream` and advances it by `advance`, is a duplicate
    /// acknowledgment: RFC 5681 section 2 (a) data is outstanding, (b) it carries none, (c) neither SYN nor FIN,
    /// (d) it repeats the highest number, (e) it repeats the window; with SACK blocks the last is not asked for
    /// (RFC 6675 section 2).
    #[inline]
    pub(super) fn is_duplicate(
        &mut self,
        segment: &Segment<'_>,
        stream: &Stream,
        ack: StreamOffset,
        advance: i64,
        first: bool,
    ) -> bool {
        let same_window = self.window.replace(segment.window) == Some(segment.window);
        !first
            && advance == 0
            && segment.is_pure_ack()
            && stream.acked() == Some(ack)
            && stream.outstanding() > 0
            && segment.window != 0
            && (same_window || !segment.options.sack.is_empty())
    }
}

/// Whether the SACK blocks report a duplicate: the first block lies at or below the acknowledgment, or inside the
/// second block (RFC 2883 section 4).
#[inline]
pub(super) fn reports_duplicate(segment: &Segment<'_>) -> bool {
    let mut blocks = segment.options.sack.iter();
    let Some((start, end)) = blocks.next() else { return false };
    if !end.is_after(start) {
        return false;
    }
    if segment.ack.distance_from(start) > 0 && segment.ack.distance_from(end) >= 0 {
        return true;
    }
    blocks.next().is_some_and(|(outer_start, outer_end)| {
        start.distance_from(outer_start) >= 0 && outer_end.distance_from(end) >= 0
    })
}
