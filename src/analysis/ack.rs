//! What an acknowledgment is: one that advances, a duplicate, or a report of duplicate data.

use serde::{Deserialize, Serialize};

use crate::decode::Segment;
use crate::flow::Stream;
use crate::seq::StreamOffset;

/// The last acknowledgment of one side, to compare the next with.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct AckTracker {
    window: Option<u16>,
}

impl AckTracker {
    /// Takes note of the window of a segment that is none.
    #[inline]
    pub(super) const fn note(&mut self, window: u16) {
        self.window = Some(window);
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Address, Endpoint, SackBlocks, TcpOptions};
    use crate::seq::SeqNumber;

    fn ack(ack: u32, blocks: &[(u32, u32)]) -> Segment<'static> {
        let end = |last| Endpoint { ip: Address::v4([10, 0, 0, last]), port: 80 };
        let mut sack = SackBlocks::default();
        for (start, end) in blocks {
            sack.push(SeqNumber::new(*start), SeqNumber::new(*end));
        }
        Segment {
            ack: SeqNumber::new(ack),
            window: 1,
            options: TcpOptions { sack, ..TcpOptions::default() },
            ..Segment::between(end(1), end(2))
        }
    }

    // The tables of RFC 2883 section 4.1 and 4.2: (acknowledgment, blocks, whether the first reports a duplicate).
    #[test]
    fn the_examples_of_rfc_2883() {
        type Example = (u32, &'static [(u32, u32)], bool);
        let examples: &[Example] = &[
            (4000, &[(3000, 3500)], true),
            (4000, &[(3000, 3500), (4500, 5000)], true),
            (3000, &[(4500, 5000)], false),
            (4000, &[(5500, 6000), (4500, 6000)], true),
            (1000, &[(1500, 2000), (1500, 3000)], true),
            (3500, &[(500, 1000)], true),
            (5000, &[(7500, 8000), (7000, 8000), (5500, 6500)], true),
            (1000, &[(2500, 3000), (1500, 2000)], false),
        ];
        for (number, blocks, duplicate) in examples {
            assert_eq!(reports_duplicate(&ack(*number, blocks)), *duplicate, "{number} {blocks:?}");
        }
    }

    #[test]
    fn a_report_across_the_wrap_is_one() {
        assert!(reports_duplicate(&ack(10, &[(u32::MAX - 5, 4)])));
        assert!(!reports_duplicate(&ack(u32::MAX - 5, &[(10, 20)])));
    }
}
