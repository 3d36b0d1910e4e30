//! Round trips: the sender's own estimator (RFC 6298) and what a report says of them.

use serde::{Deserialize, Serialize};

use crate::analysis::distribution::Distribution;
use crate::report::RttSource;
use crate::units::{Span, Timestamp};

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

/// Acknowledgments of data that gave no sample, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::analysis) struct Refused {
    /// What they acknowledge was sent more than once, and no timestamp told which copy (Karn's rule, RFC 6298 section 3).
    pub(in crate::analysis) ambiguous: u64,
    /// What they acknowledge was not in the capture, or had been reported before.
    pub(in crate::analysis) unmatched: u64,
    /// They are stamped before what they acknowledge.
    pub(in crate::analysis) backwards: u64,
}

/// The samples of one direction and what they add up to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::analysis) struct RttStats {
    values: Distribution,
    count: u64,
    sum_us: f64,
    min: Option<Span>,
    max: Option<Span>,
    /// The smallest of the oldest segments.
    least: Option<Span>,
    smoothed: Option<Span>,
    variation: Span,
    refused: Refused,
}

impl RttStats {
    /// A sample of at least 0.
    pub(super) fn add(&mut self, sample: &RttSample) {
        let rtt = sample.oldest;
        self.count += 1;
        self.sum_us += rtt.as_micros_f64();
        self.min = Some(self.min.map_or(sample.newest, |min| min.min(sample.newest)));
        self.max = Some(self.max.map_or(rtt, |max| max.max(rtt)));
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.smooth(rtt);
        self.values.add(rtt);
    }

    /// Keeps no more memory than the samples need.
    pub(in crate::analysis) fn shrink(&mut self) {
        self.values.shrink();
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

    /// The acknowledgments that gave no sample.
    pub(in crate::analysis) const fn refused(&self) -> Refused {
        self.refused
    }

    /// To count one.
    pub(super) const fn refused_mut(&mut self) -> &mut Refused {
        &mut self.refused
    }

    /// `SRTT`.
    pub(in crate::analysis) const fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// The timeout that a Linux sender must have (RFC 6298 with `tcp_rto_min` of 200 ms under the variation); a second
    /// before the first sample.
    pub(in crate::analysis) fn timeout(&self) -> Span {
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
        // The histogram rounds to 1 %.
        let (least, most) = (self.least?.as_micros_f64(), self.max?.as_micros_f64());
        self.values.quantile_us(share).map(|value| value.clamp(least, most.max(least)))
    }
}
