//! Whether packets are lost in a row.

use super::Estimate;
use super::estimate::TENTH;

/// Losses kept of a direction.
const MOST: usize = 4_096;

/// Stream ranges that were lost, as verdicts say.
#[derive(Clone, Debug, Default)]
pub struct LostRanges(Vec<(i64, u32)>);

impl LostRanges {
    /// One that was lost; the first thousands are kept.
    pub fn add(&mut self, offset: i64, len: u32) {
        if self.0.len() < MOST {
            self.0.push((offset, len));
        }
    }

    /// Mean packets lost in a row, at a loss of `rate`.
    pub(super) fn mean_length(mut self, rate: f64) -> Estimate {
        self.0.sort_unstable();
        self.0.dedup_by_key(|lost| lost.0);
        let count = self.0.len() as f64;
        let adjacent =
            self.0.windows(2).filter(|pair| pair[1].0 == pair[0].0 + i64::from(pair[0].1)).count() as f64;
        // By chance alone a loss follows a loss as often as any packet.
        let chance = count * rate;
        if count < 4.0 || adjacent < chance + 2.0 * chance.sqrt() + 2.0 {
            return Estimate::within(1.0, 1.0, 1.0);
        }
        let share = adjacent / count;
        let off = TENTH * (share * (1.0 - share) / count).sqrt();
        let length = |share: f64| 1.0 / (1.0 - share.clamp(0.0, 0.98));
        Estimate::within(length(share - off), length(share), length(share + off))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_and_chance_is_not_a_run() {
        let mut pairs = LostRanges::default();
        let mut alone = LostRanges::default();
        for at in 0..100 {
            pairs.add(at * 100_000, 1_000);
            pairs.add(at * 100_000 + 1_000, 1_000);
            alone.add(at * 100_000, 1_000);
        }
        assert!((pairs.mean_length(0.001).value - 2.0).abs() < 1e-9);
        assert!((alone.mean_length(0.001).value - 1.0).abs() < 1e-9);
    }
}
