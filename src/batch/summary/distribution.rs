//! Quantiles of figures over all directions, in bounded memory.

use hdrhistogram::Histogram;

use super::row::Row;
use crate::report::fleet::FleetDistribution;

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
                }
            })
            .collect()
    }
}
