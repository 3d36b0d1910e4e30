//! How many packets lie between those that were lost.

/// Losses kept of a direction.
const MOST: usize = 4_096;

/// One that was lost.
#[derive(Clone, Copy, Debug)]
struct Lost {
    offset: i64,
    len: u32,
    /// When it was sent again, nanoseconds since the epoch.
    at: i64,
}

/// Stream ranges that were lost, as verdicts say.
#[derive(Clone, Debug, Default)]
pub struct LostRanges(Vec<Lost>);

impl LostRanges {
    /// One that was lost, and when it was sent again in nanoseconds since the epoch; the first thousands are kept.
    pub fn add(&mut self, offset: i64, len: u32, at: i64) {
        if self.0.len() < MOST {
            self.0.push(Lost { offset, len, at });
        }
    }

    /// Packets of `mss` bytes that arrived between each of the losses and the next, by their place in the stream. What was lost again when
    /// it was sent again counts once. Only losses that were repaired at a time that is `quiet` are looked at.
    pub(super) fn gaps(mut self, mss: u32, quiet: impl Fn(i64) -> bool) -> Vec<u32> {
        self.0.sort_unstable_by_key(|lost| (lost.offset, lost.at));
        self.0.dedup_by_key(|lost| lost.offset);
        self.0.retain(|lost| quiet(lost.at));
        let mss = i64::from(mss.max(1));
        let mut gaps = Vec::new();
        let mut last: Option<i64> = None;
        for lost in &self.0 {
            if let Some(end) = last {
                let between = (lost.offset - end + mss / 2).max(0) / mss;
                gaps.push(u32::try_from(between).unwrap_or(u32::MAX));
            }
            // A super-segment is several packets.
            let packets = u32::try_from(i64::from(lost.len) / mss).unwrap_or(0).max(1);
            gaps.extend(std::iter::repeat_n(0, packets as usize - 1));
            last = Some(lost.offset + i64::from(lost.len));
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: segments 0, 1 and 5 lost, 1 twice; a super-segment of three at 10; one at 20 in a time that is not quiet.
    #[test]
    fn gaps_count_what_arrived_in_between() {
        let mut lost = LostRanges::default();
        for (segment, packets, at) in [(5, 1, 3), (0, 1, 1), (1, 1, 2), (1, 1, 9), (10, 3, 4), (20, 1, 100)] {
            lost.add(segment * 1_448, packets * 1_448, at);
        }
        assert_eq!(lost.gaps(1_448, |at| at < 50), [0, 3, 4, 0, 0]);
    }
}
