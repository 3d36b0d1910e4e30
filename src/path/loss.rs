//! Losses at random and losses of a full buffer.
//!
//! A full buffer loses what arrives when the queue is longest; chance loses alike at every length. So the rate below
//! the longest queues is that of chance, and what is lost beyond it at the longest is the buffer's. Nothing is decided
//! for a single loss.

use super::{Delay, Estimate};
use crate::report::PathSlice;

/// The split.
pub(super) struct Losses {
    /// Random losses.
    pub(super) random_count: f64,
    pub(super) congestive: Estimate,
    /// Round trip at which the buffer was full, seconds.
    pub(super) full_at: Option<f64>,
    /// Round trip from which on it may have been, seconds.
    pub(super) nearly_full_at: f64,
    /// Longest round trip, seconds.
    pub(super) longest: f64,
}

/// The longest queues: from this part of the longest on.
const LONGEST: f64 = 0.75;

/// Parts of all packets that may have had a longer round trip than the longest that counts: a retransmission or a
/// stalled sender makes single ones.
const STRAYS: f64 = 0.000_5;

/// A full buffer loses so many times what chance does.
const OFTEN: f64 = 2.0;

/// A queue is longer than so many deviations of the jitter.
const CLEAR: f64 = 6.0;

/// `lost` packets were lost by the verdicts; the histogram says when. `segment` is the time that a segment takes.
pub(super) fn losses(slice: &PathSlice, delay: &Delay, segment: f64, lost: f64) -> Losses {
    let base = delay.base.value;
    let total: f64 = slice.delays.iter().map(|bin| f64::from(bin.delivered + bin.lost)).sum();
    let mut seen = 0.0;
    let mut longest = base;
    for bin in slice.delays.iter() {
        seen += f64::from(bin.delivered + bin.lost);
        longest = bin.delay;
        if seen >= total * (1.0 - STRAYS) {
            break;
        }
    }
    let queue = longest - base;
    let has_queue = queue > CLEAR * delay.jitter.value + 4.0 * segment;
    let edge = if has_queue { base + LONGEST * queue } else { f64::INFINITY };
    let (mut low, mut high) = ([0.0; 2], [0.0; 2]);
    for bin in slice.delays.iter() {
        let side = if bin.delay < edge { &mut low } else { &mut high };
        side[0] += f64::from(bin.delivered + bin.lost);
        side[1] += f64::from(bin.lost);
    }
    let marked = low[1] + high[1];
    // What chance loses among the longest, from what it loses below.
    let chance = if low[0] > 0.0 { (low[1] + 0.5) / low[0] * high[0] } else { 0.0 };
    let beyond = high[1] - chance;
    // Slow start ends with the first random loss, wherever that comes: one loss at the longest queue says nothing.
    let often = if high[0] > 0.0 { high[1] / high[0] } else { 0.0 };
    let seldom = if low[0] > 0.0 { low[1] / low[0] } else { 0.0 };
    let full = beyond > 2.0 + 2.0 * chance.sqrt() && often > OFTEN * seldom;
    let congestive_share = if full && marked > 0.0 { beyond / marked } else { 0.0 };
    let random_count = if marked > 0.0 { lost * (1.0 - congestive_share) } else { lost };
    let full_at = full.then(|| {
        let half = high[1] / 2.0;
        let mut count = 0.0;
        let at = slice.delays.iter().filter(|bin| bin.delay >= edge).find(|bin| {
            count += f64::from(bin.lost);
            count >= half
        });
        at.map_or(longest, |bin| bin.delay)
    });
    let count = lost - random_count;
    // As many of the longest queues' losses are chance as a Poisson variate of that mean says.
    let uncertain = super::estimate::TENTH * chance.sqrt();
    Losses {
        random_count,
        congestive: Estimate::within((count - uncertain).max(0.0), count, (count + uncertain).min(lost)),
        full_at,
        nearly_full_at: if full { edge } else { f64::INFINITY },
        longest,
    }
}

/// A rate of `count` events in `exposed`, by the Gamma posterior of a Poisson rate (Jeffreys' prior, count + 1/2), in
/// Wilson and Hilferty's approximation of its quantiles. `spread` is the variance of the count over that of a Poisson variate: bursts of
/// losses tell as much as fewer single ones.
pub(super) fn rate(count: f64, exposed: f64, spread: f64) -> Estimate {
    let shape = count / spread + 0.5;
    let quantile = |deviate: f64| {
        let cube = 1.0 - 1.0 / (9.0 * shape) + deviate / (3.0 * shape.sqrt());
        shape * cube.max(0.0).powi(3) * spread / exposed.max(1.0)
    };
    let value = if count < 0.5 { 0.0 } else { count / exposed.max(1.0) };
    Estimate::within(quantile(-super::estimate::TENTH), value, quantile(super::estimate::TENTH))
}
