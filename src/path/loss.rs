//! Losses at random and losses of a full buffer.
//!
//! A full buffer loses what arrives when the queue is longest; chance loses alike at every length. So the rate below
//! the longest queues is that of chance, and what is lost beyond it at the longest is the buffer's. Nothing is decided
//! for a single loss.

use super::{Delay, Estimate};
use crate::report::{DelayBin, PathSlice};

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

/// No round trip that the flow's own queue makes is longer than what is in flight takes through the bottleneck; by so much the one or the
/// other may be missed.
const OWN: f64 = 1.05;

/// Where nearly all, this part, of the losses are those of the longest queues, they are not there by chance.
const NEARLY_ALL: f64 = 0.9;

/// Of all packets so many may have been held up elsewhere, by a stalled host or another link, for longer than the longest queue takes.
const ELSEWHERE: f64 = 0.02;

/// What the round trips say if the longest queue makes one of `longest`.
struct Split {
    edge: f64,
    chance: f64,
    lost: [f64; 2],
    full: bool,
}

/// `lost` packets were lost by the verdicts; the histogram says when. `segment` is the time that a segment takes, and `own` the longest that
/// what was in flight takes.
pub(super) fn losses(slice: &PathSlice, delay: &Delay, segment: f64, own: f64, lost: f64) -> Losses {
    let base = delay.base.value;
    let most = OWN * own.max(base);
    // What took longer was held up elsewhere, and what was lost then may have been lost of either.
    let bins: Vec<DelayBin> = slice.delays.iter().filter(|bin| bin.delay <= most).collect();
    let deep = CLEAR * delay.jitter.value + 4.0 * segment;
    let longest = all_but(&bins, STRAYS).unwrap_or(base);
    let mut found = (split(&bins, base, deep, longest), longest);
    // Nothing is lost of a queue that is not there: what was longer than at any loss may have waited elsewhere.
    if !found.0.full
        && let Some(last) = bins.iter().rfind(|bin| bin.lost > 0 && bin.delay < longest)
        && all_but(&bins, ELSEWHERE).is_some_and(|bulk| bulk <= last.delay)
    {
        let shorter: Vec<DelayBin> = bins.iter().copied().filter(|bin| bin.delay <= last.delay).collect();
        let again = split(&shorter, base, deep, last.delay);
        if again.full && again.lost[1] >= NEARLY_ALL * (again.lost[0] + again.lost[1]) {
            found = (again, last.delay);
        }
    }
    let (Split { edge, chance, lost: [low, high], full }, longest) = found;
    let marked = low + high;
    let congestive_share = if full && marked > 0.0 { (high - chance) / marked } else { 0.0 };
    let random_count = if marked > 0.0 { lost * (1.0 - congestive_share) } else { lost };
    let full_at = full.then(|| {
        let mut count = 0.0;
        let at = bins.iter().filter(|bin| bin.delay >= edge).find(|bin| {
            count += f64::from(bin.lost);
            count >= high / 2.0
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

/// The delay that all but this part of the packets keep to.
fn all_but(bins: &[DelayBin], part: f64) -> Option<f64> {
    let total: f64 = bins.iter().map(|bin| f64::from(bin.delivered + bin.lost)).sum();
    let mut seen = 0.0;
    let kept = bins.iter().find(|bin| {
        seen += f64::from(bin.delivered + bin.lost);
        seen >= total * (1.0 - part)
    });
    kept.or_else(|| bins.last()).map(|bin| bin.delay)
}

/// Compares what was lost of the longest queues with what was lost below. A queue is one if it takes longer than `deep`.
fn split(bins: &[DelayBin], base: f64, deep: f64, longest: f64) -> Split {
    let queue = longest - base;
    let edge = if queue > deep { base + LONGEST * queue } else { f64::INFINITY };
    let (mut low, mut high) = ([0.0; 2], [0.0; 2]);
    for bin in bins {
        let side = if bin.delay < edge { &mut low } else { &mut high };
        side[0] += f64::from(bin.delivered + bin.lost);
        side[1] += f64::from(bin.lost);
    }
    // What chance loses among the longest, from what it loses below.
    let chance = if low[0] > 0.0 { (low[1] + 0.5) / low[0] * high[0] } else { 0.0 };
    let beyond = high[1] - chance;
    // Slow start ends with the first random loss, wherever that comes: one loss at the longest queue says nothing.
    let often = if high[0] > 0.0 { high[1] / high[0] } else { 0.0 };
    let seldom = if low[0] > 0.0 { low[1] / low[0] } else { 0.0 };
    let full = beyond > 2.0 + 2.0 * chance.sqrt() && often > OFTEN * seldom;
    Split { edge, chance, lost: [low[1], high[1]], full }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn delay() -> Delay {
        Delay { base: Estimate::within(0.04, 0.04, 0.04), jitter: Estimate::within(0.0, 1e-4, 1e-4) }
    }

    fn slice(bins: &[(i64, u32, u32)]) -> PathSlice {
        let mut slice = PathSlice::default();
        for &(millis, delivered, lost) in bins {
            slice.delays.add(Span::from_millis(millis), delivered, lost);
        }
        slice
    }

    // A buffer that holds 80 ms, of which 60 packets were lost, and a second in which something else held up 100 packets.
    #[test]
    fn what_was_held_up_elsewhere_is_no_queue() {
        let slice = slice(&[(40, 2_000, 0), (80, 3_000, 0), (120, 4_000, 60), (250, 50, 0), (800, 50, 0)]);
        for own in [0.125, f64::INFINITY] {
            let found = losses(&slice, &delay(), 1.2e-3, own, 60.0);
            assert!(found.full_at.is_some_and(|at| (at - 0.12).abs() < 0.001), "{own}: {:?}", found.full_at);
            assert!(found.random_count < 1.0, "{own}: {}", found.random_count);
        }
    }

    // One packet of a hundred, whatever the queue.
    #[test]
    fn losses_of_all_queues_are_chance() {
        let slice = slice(&[(40, 2_000, 20), (80, 3_000, 30), (110, 1_000, 11), (120, 100, 1)]);
        let found = losses(&slice, &delay(), 1.2e-3, 0.125, 62.0);
        assert_eq!(found.full_at, None);
        assert!((found.random_count - 62.0).abs() < 1e-9);
    }
}
