//! A distribution of times in bounded memory: as they are while they are few, then a histogram (`hdrhistogram`, to 1 %).

use serde::{Deserialize, Serialize};

use crate::units::Span;

/// Values kept as they are: most connections have fewer.
const FEW: usize = 128;

/// Longest that is told apart, µs: a day.
const LONGEST: u64 = 86_400_000_000;

/// Times in µs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Distribution {
    Few(Vec<u32>),
    /// Too large to be packed.
    #[serde(skip)]
    Many(Box<hdrhistogram::Histogram<u32>>),
}

impl Default for Distribution {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Distribution {
    /// One more; what is below a microsecond counts as one.
    pub(super) fn add(&mut self, span: Span) {
        let micros = u64::try_from(span.as_nanos() / 1_000).unwrap_or(0).clamp(1, LONGEST);
        match self {
            Self::Few(few) if few.len() < FEW => few.push(u32::try_from(micros).unwrap_or(u32::MAX)),
            Self::Few(few) => {
                // Bounds and digits are constants that the crate takes.
                if let Ok(mut many) = hdrhistogram::Histogram::new_with_bounds(1, LONGEST, 2) {
                    for &value in few.iter() {
                        many.saturating_record(value.into());
                    }
                    many.saturating_record(micros);
                    *self = Self::Many(Box::new(many));
                }
            }
            Self::Many(many) => many.saturating_record(micros),
        }
    }

    /// Keeps no more memory than the values need.
    pub(super) fn shrink(&mut self) {
        if let Self::Few(few) = self {
            few.shrink_to_fit();
        }
    }

    /// The value below which `share` (0 to 1) lie, µs, by the nearest rank.
    pub(super) fn quantile_us(&self, share: f64) -> Option<f64> {
        match self {
            Self::Few(few) if few.is_empty() => None,
            Self::Few(few) => {
                let mut sorted = few.clone();
                sorted.sort_unstable();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share of at most FEW"
                )]
                let rank = (share * sorted.len() as f64).ceil() as usize;
                sorted.get(rank.clamp(1, sorted.len()) - 1).map(|&value| f64::from(value))
            }
            Self::Many(many) => Some(many.value_at_quantile(share) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 1 to 1000 ms: the 95th percentile is 950 ms whichever form holds the values.
    #[test]
    fn the_histogram_says_what_the_sorted_list_says_to_one_percent() {
        let mut times = Distribution::default();
        for millis in 1..=100 {
            times.add(Span::from_millis(millis));
        }
        assert_eq!(times.quantile_us(0.95), Some(95_000.0));
        assert_eq!(times.quantile_us(0.5), Some(50_000.0));
        for millis in 101..=1000 {
            times.add(Span::from_millis(millis));
        }
        assert!(matches!(times, Distribution::Many(_)));
        let p95 = times.quantile_us(0.95).unwrap();
        assert!((p95 / 950_000.0 - 1.0).abs() < 0.01, "{p95}");
        assert_eq!(Distribution::default().quantile_us(0.5), None);
    }
}
