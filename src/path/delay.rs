//! The round trip without a queue, and how it varies.

use super::Estimate;
use crate::report::{PathSlice, RoundRecord};
use crate::units::Span;

/// Base and jitter, seconds.
pub(super) struct Delay {
    pub(super) base: Estimate,
    pub(super) jitter: Estimate,
}

/// Jitter of which nothing is known, of the round trip.
const UNKNOWN: f64 = 0.005;

/// The smallest of a thousand samples is so many deviations below their mean.
pub(super) const BELOW: f64 = 3.0;

/// Half of the rounds vary less than that.
const TYPICAL: f64 = 0.5;

/// Neighbouring samples differ by a segment's time in the queue, up or down, one time in six each: so much of it is their deviation.
const STEP: f64 = 0.408;

impl Delay {
    /// Takes out of the jitter what the steps of a queue of segments, each of which takes so long, make of it.
    pub(super) fn without_steps(&mut self, segment: f64) {
        let less = |value: f64| (value * value - (STEP * segment).powi(2)).max((value / 4.0).powi(2)).sqrt();
        let Estimate { low, value, high } = self.jitter;
        self.jitter = Estimate { low: less(low), value: less(value), high: less(high) };
    }
}

pub(super) fn delay(slice: &PathSlice, rounds: &[RoundRecord]) -> Option<Delay> {
    let inside = rounds.iter().filter(|round| round.end >= slice.start && round.start <= slice.end);
    let least = inside.filter_map(|round| round.rtt_min).min().map(Span::as_secs_f64);
    let counted = slice.delays.iter().find(|bin| bin.delivered > 0).map(|bin| bin.delay);
    // Rounds may reach beyond the stretch, and the bins of delays are half a percent wide.
    let base = match (least, counted) {
        (Some(least), Some(counted)) if least < counted * 0.98 => counted,
        (Some(least), _) => least,
        (None, counted) => counted?,
    };
    let jitter =
        match (slice.jitter.deviation(0.2), slice.jitter.deviation(TYPICAL), slice.jitter.deviation(0.8)) {
            (Some(low), Some(value), Some(high)) => Estimate::within(low, value, high),
            // Nothing was steady enough to tell.
            _ => Estimate::within(0.0, UNKNOWN * base, 4.0 * UNKNOWN * base),
        };
    // The smallest of many samples is below the mean by some deviations, and few samples miss it by one.
    let base = Estimate::within(base - jitter.value, base, base + (BELOW * jitter.value).max(base * 0.01));
    Some(Delay { base, jitter })
}
