//! Round trips: the sender's own estimator (RFC 6298) and what a report says of them.

use crate::report::RttSource;
use crate::units::{Span, Timestamp};

/// Samples kept as they are before a histogram takes their place: most connections have fewer.
const FEW: usize = 128;

/// Longest that is told apart, µs: a day.
const LONGEST: u64 = 86_400_000_000;

/// One round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct RttSample {
    /// When the sender heard the ACK.
    pub(in crate::analysis) at: Timestamp,
    /// From the oldest segment acknowledged.
    pub(in crate::analysis) oldest: Span,
    /// From the newest.
    pub(in crate::analysis) newest: Span,
    pub(in crate::analysis) source: RttSource,
}

/// Distribution of the samples, in µs, to 1 %.
#[derive(Clone, Debug)]
enum Values {
    Few(Vec<u32>),
    Many(Box<hdrhistogram::Histogram<u32>>),
}

/// The samples of one direction and what they add up to.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct RttStats {
    values: Values,
    count: u64,
    sum_us: f64,
    min: Option<Span>,
    max: Option<Span>,
    smoothed: Option<Span>,
    variation: Span,
}

impl Default for RttStats {
    fn default() -> Self {
        Self {
            values: Values::Few(Vec::new()),
            count: 0,
            sum_us: 0.0,
            min: None,
            max: None,
            smoothed: None,
            variation: Span::ZERO,
        }
    }
}

impl RttStats {
    /// A sample of at least 0.
    pub(super) fn add(&mut self, sample: &RttSample) {
        let rtt = sample.oldest;
        self.count += 1;
        self.sum_us += rtt.as_micros_f64();
        self.min = Some(self.min.map_or(sample.newest, |min| min.min(sample.newest)));
        self.max = Some(self.max.map_or(rtt, |max| max.max(rtt)));
        self.smooth(rtt);
        let micros = u64::try_from(rtt.as_nanos() / 1_000).unwrap_or(0).clamp(1, LONGEST);
        match &mut self.values {
            Values::Few(few) if few.len() < FEW => few.push(u32::try_from(micros).unwrap_or(u32::MAX)),
            Values::Few(few) => {
                // Bounds and digits are constants that the crate takes.
                if let Ok(mut many) = hdrhistogram::Histogram::new_with_bounds(1, LONGEST, 2) {
                    for &value in few.iter() {
                        many.saturating_record(value.into());
                    }
                    many.saturating_record(micros);
                    self.values = Values::Many(Box::new(many));
                }
            }
            Values::Many(many) => many.saturating_record(micros),
        }
    }

    /// RFC 6298 section 2.
    fn smooth(&mut self, rtt: Span) {
        match self.smoothed {
            None => {
                self.smoothed = Some(rtt);
                self.variation = Span::from_nanos(rtt.as_nanos() / 2);
            }
            Some(smoothed) => {
                let off = (smoothed - rtt).abs().as_nanos();
                let variation = self.variation.as_nanos();
                self.variation = Span::from_nanos(variation - variation / 4 + off / 4);
                let (smoothed, rtt) = (smoothed.as_nanos(), rtt.as_nanos());
                self.smoothed = Some(Span::from_nanos(smoothed - smoothed / 8 + rtt / 8));
            }
        }
    }

    /// `SRTT`.
    pub(in crate::analysis) const fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// The timeout that a Linux sender must have (RFC 6298 with `tcp_rto_min` of 200 ms under the variation); a second
    /// before the first sample.
    pub(super) fn timeout(&self) -> Span {
        let Some(smoothed) = self.smoothed else { return Span::from_secs(1) };
        let spread = Span::from_nanos(self.variation.as_nanos().saturating_mul(4));
        smoothed + spread.max(Span::from_millis(200))
    }

    /// The smallest, of the newest segment of each ACK.
    pub(in crate::analysis) const fn min(&self) -> Option<Span> {
        self.min
    }

    pub(in crate::analysis) const fn max(&self) -> Option<Span> {
        self.max
    }

    pub(in crate::analysis) const fn count(&self) -> u64 {
        self.count
    }

    /// In µs.
    pub(in crate::analysis) fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_us / self.count as f64)
    }

    /// The value below which `share` (0 to 1) of the samples lie, µs.
    pub(in crate::analysis) fn quantile_us(&self, share: f64) -> Option<f64> {
        match &self.values {
            Values::Few(few) if few.is_empty() => None,
            Values::Few(few) => {
                let mut sorted = few.clone();
                sorted.sort_unstable();
                // Nearest rank, as the histogram has it.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share of at most FEW"
                )]
                let rank = (share * sorted.len() as f64).ceil() as usize;
                sorted.get(rank.clamp(1, sorted.len()) - 1).map(|&value| f64::from(value))
            }
            Values::Many(many) => Some(many.value_at_quantile(share) as f64),
        }
    }
}
