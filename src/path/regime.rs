//! Where a path changed on the way (another route, another rate): its longest stretch without a change.

use super::{Estimate, delay, rate};
use crate::report::PathSlice;

/// A stretch and its part of the whole time.
pub(super) struct Regime {
    pub(super) slice: PathSlice,
    pub(super) share: f64,
}

/// Round trips of two stretches must differ by this part to be of two routes.
const ROUTE: f64 = 1.15;

/// And rates by this factor to be of two bottlenecks, between the end of the one's interval and the begin of the other's.
const RATE: f64 = 1.5;

/// Something waits where this many segments are queued, and it is the bottleneck that sets the pace where nearly all wait.
const DEEP: f64 = 8.0;
const NEARLY_ALL: f64 = 0.8;

/// A rate of which the interval is wider says nothing.
const SHARP: f64 = 1.25;

/// Segments that a slice must hold to tell a rate.
const RATED: u64 = 256;

/// Segments that a slice must hold to tell anything.
const TELLING: u64 = 16;

/// Smallest and largest delay with anything delivered.
fn range(slice: &PathSlice) -> Option<(f64, f64)> {
    let mut delays = slice.delays.iter().filter(|bin| bin.delivered > 0).map(|bin| bin.delay);
    let first = delays.next()?;
    Some((first, delays.last().unwrap_or(first)))
}

/// Whether no round trip of the one is as long as the shortest of the other. A queue that comes and goes has both.
fn routes_differ(one: &PathSlice, other: &PathSlice) -> bool {
    let (Some(one), Some(other)) = (range(one), range(other)) else { return false };
    one.0 > other.1 * ROUTE || other.0 > one.1 * ROUTE
}

/// The bottleneck's rate in a stretch in which nearly everything waited for it.
fn filled(slice: &PathSlice, mss: u32) -> Option<Estimate> {
    if slice.delivered < RATED {
        return None;
    }
    let delay = delay::delay(slice, &[])?;
    let rate = rate::rate(slice, &delay, mss)?;
    let queue = (DEEP * f64::from(mss) / rate.payload.value).max(4.0 * delay.jitter.value);
    let counted = |waited: bool| {
        let bins = slice.delays.iter().filter(|bin| !waited || bin.delay > delay.base.value + queue);
        bins.map(|bin| f64::from(bin.delivered)).sum::<f64>()
    };
    let sharp = rate.payload.high <= SHARP * rate.payload.low;
    (sharp && !rate.is_bound && counted(true) >= NEARLY_ALL * counted(false)).then_some(rate.payload)
}

/// Whether the bottleneck let through clearly more in the one than in the other, though something waited in both.
fn rates_differ(one: &PathSlice, other: &PathSlice, mss: u32) -> bool {
    let (Some(one), Some(other)) = (filled(one, mss), filled(other, mss)) else { return false };
    one.low > other.high * RATE || other.low > one.high * RATE
}

/// The longest stretch of one regime. `None` without any slice.
pub(super) fn longest(slices: &[PathSlice], mss: u32) -> Option<Regime> {
    let apart =
        |last: &PathSlice, next: &PathSlice| routes_differ(last, next) || rates_differ(last, next, mss);
    let mut stretches: Vec<PathSlice> = Vec::new();
    for slice in slices {
        match stretches.last_mut() {
            Some(last) if slice.delivered < TELLING || last.delivered < TELLING || !apart(last, slice) => {
                last.absorb(slice);
            }
            _ => stretches.push(slice.clone()),
        }
    }
    let length = |slice: &PathSlice| slice.end.since(slice.start).as_secs_f64();
    let total: f64 = stretches.iter().map(length).sum();
    let slice = stretches.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)))?;
    let share = if total > 0.0 { length(&slice) / total } else { 1.0 };
    Some(Regime { slice, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, Timestamp};

    fn slice(second: i64, delays: &[i64]) -> PathSlice {
        let at = |second: i64| Timestamp::from_nanos(second * 1_000_000_000);
        let mut slice =
            PathSlice { start: at(second), end: at(second + 1), delivered: 100, ..PathSlice::default() };
        for &delay in delays {
            slice.delays.add(Span::from_millis(delay), 50, 0);
        }
        slice
    }

    /// A second at so many Mbit/s with a queue, or without.
    fn paced(second: i64, mbit: i64, waits: bool) -> PathSlice {
        let delays = if waits { [40, 90, 95] } else { [40, 40, 41] };
        let mut slice = slice(second, &delays);
        slice.delays.add(Span::from_millis(delays[1]), 400, 0);
        slice.delivered = 550;
        for (scale, trains) in (0..).zip(&mut slice.trains) {
            let bytes = (8_u64 << scale) * 1_448;
            let took = Span::from_micros(i64::try_from(bytes).unwrap() * 8 / mbit);
            let rtt = (Span::from_millis(delays[1]), Span::from_millis(delays[2]));
            trains.add(crate::report::Train { bytes, took, rtt });
        }
        slice
    }

    #[test]
    fn another_rate_is_a_change_where_all_waits_for_it() {
        let stepped = [paced(0, 20, true), paced(1, 20, true), paced(2, 20, true), paced(3, 5, true)];
        assert!((longest(&stepped, 1_448).unwrap().share - 0.75).abs() < 1e-9);
        // A sender that sends less is no slower path.
        let idle = [paced(0, 20, true), paced(1, 20, true), paced(2, 20, true), paced(3, 5, false)];
        assert!((longest(&idle, 1_448).unwrap().share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_queue_is_no_change_and_a_route_is_one() {
        let queue = [slice(0, &[40, 60]), slice(1, &[55, 80]), slice(2, &[42, 80])];
        assert!((longest(&queue, 1_448).unwrap().share - 1.0).abs() < 1e-9);
        let route = [slice(0, &[40, 45]), slice(1, &[90, 99]), slice(2, &[90, 95]), slice(3, &[91, 99])];
        let regime = longest(&route, 1_448).unwrap();
        assert!((regime.share - 0.75).abs() < 1e-9);
        assert!(range(&regime.slice).unwrap().0 > 0.08);
    }
}
