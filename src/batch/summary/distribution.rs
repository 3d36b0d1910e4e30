//! Quantiles of figures over all directions, in bounded memory.

use hdrhistogram::Histogram;

use super::row::Row;
use crate::report::fleet::{FleetBin, FleetDistribution};

/// A figure of a direction.
pub(super) struct Metric {
    name: &'static str,
    unit: &'static str,
    /// What one count of the histogram is, in that unit.
    scale: f64,
    value: fn(&Row) -> Option<f64>,
}

/// Every one, in the order of the summary.
pub(super) const METRICS: &[Metric] = &[
    Metric { name: "goodput_bps", unit: "bit/s", scale: 1.0, value: |row| row.goodput_bps },
    Metric { name: "rtt_min_us", unit: "µs", scale: 1e-3, value: |row| row.rtt_min_us },
    Metric { name: "rtt_p50_us", unit: "µs", scale: 1e-3, value: |row| row.rtt_p50_us },
    Metric { name: "rtt_p95_us", unit: "µs", scale: 1e-3, value: |row| row.rtt_p95_us },
    Metric { name: "handshake_rtt_us", unit: "µs", scale: 1e-3, value: |row| row.handshake_rtt_us },
    // Of directions that are long enough for a share.
    Metric { name: "loss", unit: "", scale: 1e-9, value: loss },
];

/// Packets below which a share of packets says nothing.
const ENOUGH: u64 = 100;

/// Lost packets of all, 0 to 1.
pub(super) fn loss(row: &Row) -> Option<f64> {
    (row.data_packets >= ENOUGH).then(|| row.lost_packets as f64 / row.data_packets as f64)
}

/// Values of a metric; three significant digits.
#[derive(Clone, Debug)]
pub(super) struct Values(Histogram<u64>);

impl Values {
    pub(super) fn new() -> Self {
        Self(Histogram::new(3).expect("three digits are within what a histogram can have"))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub(super) fn add(&mut self, value: f64, scale: f64) {
        // A histogram that resizes refuses nothing.
        _ = self.0.record((value / scale).round() as u64);
    }

    fn bins(&self, scale: f64) -> Vec<FleetBin> {
        let mut bins: Vec<FleetBin> = Vec::new();
        for step in self.0.iter_recorded() {
            let (value, count) = (step.value_iterated_to(), step.count_at_value());
            let from = if value > 0 { f64::from(value.ilog2()).exp2() * scale } else { 0.0 };
            match bins.last_mut().filter(|bin| bin.from >= from) {
                Some(bin) => bin.count += count,
                None => bins.push(FleetBin { from, to: 2.0 * from, count }),
            }
        }
        bins
    }
}

/// The distributions of all metrics.
pub(super) struct Distributions(Vec<Values>);

impl Distributions {
    pub(super) fn new() -> Self {
        Self(METRICS.iter().map(|_| Values::new()).collect())
    }

    pub(super) fn add(&mut self, row: &Row) {
        for (metric, values) in METRICS.iter().zip(&mut self.0) {
            if let Some(value) = (metric.value)(row) {
                values.add(value, metric.scale);
            }
        }
    }

    pub(super) fn append(&mut self, other: &Self) {
        for (values, more) in self.0.iter_mut().zip(&other.0) {
            // As above.
            _ = values.0.add(&more.0);
        }
    }

    pub(super) fn finish(&self) -> Vec<FleetDistribution> {
        let filled = METRICS.iter().zip(&self.0).filter(|(_, values)| !values.0.is_empty());
        filled
            .map(|(Metric { name, unit, scale, .. }, values)| {
                let at = |quantile| values.0.value_at_quantile(quantile) as f64 * scale;
                FleetDistribution {
                    metric: name,
                    unit,
                    count: values.0.len(),
                    min: values.0.min() as f64 * scale,
                    p10: at(0.1),
                    p50: at(0.5),
                    p90: at(0.9),
                    p99: at(0.99),
                    max: values.0.max() as f64 * scale,
                    bins: values.bins(*scale),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_hold_every_value_once() {
        let mut values = Values::new();
        for value in [0.0, 1.0, 3.0, 2.0, 1_000_000.0, 1_048_575.0, 1_048_577.0] {
            values.add(value * 1e-3, 1e-3);
        }
        let bins: Vec<_> = values.bins(1e-3).iter().map(|bin| (bin.from, bin.to, bin.count)).collect();
        let power = |exponent: i32| f64::from(exponent).exp2() * 1e-3;
        assert_eq!(
            bins,
            [
                (0.0, 0.0, 1),
                (power(0), power(1), 1),
                (power(1), power(2), 2),
                (power(19), power(20), 2),
                (power(20), power(21), 1)
            ]
        );
    }
}
