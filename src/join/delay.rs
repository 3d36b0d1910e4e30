//! One-way delays of one direction: a bounded sample of them, from which the clocks are taken out at the end.

use super::clock::Estimate;
use super::tap::Tap;
use crate::report::join::DelayReport;
use crate::units::{Span, Timestamp};

/// Samples kept; beyond it every second one is dropped.
const MOST: usize = 4_096;

/// Samples kept of a connection that is over, where many are.
const FEW: usize = 64;

/// Delays by two clocks, each with its moment on the first tap's.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    kept: Vec<(Timestamp, i64)>,
    /// One of so many is kept.
    stride: u64,
    count: u64,
    least: Option<(Timestamp, i64)>,
    most: Option<(Timestamp, i64)>,
}

impl Delays {
    /// A packet took `raw`.
    pub(super) fn add(&mut self, at: Timestamp, raw: Span) {
        let sample = (at, raw.as_nanos());
        self.stride = self.stride.max(1);
        if self.count.is_multiple_of(self.stride) {
            if self.kept.len() == MOST {
                self.thin(MOST / 2);
            }
            if self.count.is_multiple_of(self.stride) {
                self.kept.push(sample);
            }
        }
        self.count += 1;
        if self.least.is_none_or(|(_, least)| sample.1 < least) {
            self.least = Some(sample);
        }
        if self.most.is_none_or(|(_, most)| sample.1 > most) {
            self.most = Some(sample);
        }
    }

    fn thin(&mut self, most: usize) {
        while self.kept.len() > most {
            let mut place = 0_usize;
            self.kept.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride = self.stride.saturating_mul(2);
        }
    }

    /// Keeps few of them and gives back the room.
    pub(super) fn shrink(&mut self) {
        self.thin(FEW);
        self.kept.shrink_to_fit();
    }

    /// How many are kept.
    pub(super) const fn len(&self) -> usize {
        self.kept.len()
    }

    /// By one clock, for packets that passed `near` first.
    pub(super) fn report(&self, near: Tap, clock: &Estimate) -> Option<DelayReport> {
        let corrected = |&(at, raw): &(Timestamp, i64)| {
            let ahead = clock.ahead(at).as_nanos();
            raw.saturating_sub(if near == Tap::First { ahead } else { -ahead })
        };
        let mut delays: Vec<i64> = self.kept.iter().map(corrected).collect();
        delays.sort_unstable();
        let micros = |nanos: i64| Span::from_nanos(nanos).as_micros_f64();
        let at =
            |percent: usize| delays.get((delays.len().saturating_sub(1) * percent).div_ceil(100)).copied();
        let mean = delays.iter().map(|&delay| delay as f64).sum::<f64>() / delays.len().max(1) as f64 / 1e3;
        Some(DelayReport {
            packets: self.count,
            min_us: micros(corrected(&self.least?).min(*delays.first()?)),
            p50_us: micros(at(50)?),
            mean_us: mean,
            p95_us: micros(at(95)?),
            p99_us: micros(at(99)?),
            max_us: micros(corrected(&self.most?).max(*delays.last()?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_stay_near_when_samples_are_dropped() {
        let mut delays = Delays::default();
        for step in 0..100_000_i64 {
            delays.add(Timestamp::from_nanos(step), Span::from_nanos(step.wrapping_mul(7_919) % 100_000));
        }
        assert!(delays.len() <= MOST);
        let found = delays.report(Tap::First, &Estimate::default()).unwrap();
        assert_eq!((found.packets, found.min_us, found.max_us), (100_000, 0.0, 99.999));
        assert!((found.p50_us - 50.0).abs() < 1.5 && (found.p95_us - 95.0).abs() < 1.0, "{found:?}");
    }
}
