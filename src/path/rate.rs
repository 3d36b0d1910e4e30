//! The bottleneck's rate, from trains that it spread out.
//!
//! Segments that wait in a queue leave it one behind the other, so that their ACKs come at the bottleneck's rate, however
//! short the queue lasts: slow start alone shows it. A train is one if the round trip at its end, or at both ends, is longer
//! than the base by more than jitter can explain.

use super::{Delay, Estimate};
use crate::report::{PathSlice, SHORTEST_TRAIN, Train};

/// Rate in payload bytes a second, and whether it is a lower bound.
pub(super) struct BottleneckRate {
    pub(super) payload: Estimate,
    pub(super) is_bound: bool,
}

/// A queue is longer than so many deviations of the jitter.
const CLEAR: f64 = 4.0;

/// The luckiest of a thousand trains is shorter than they are by so many deviations of the jitter (3.2 for each end, independently).
const LUCK: f64 = 4.5;

/// And than so many segments.
const SEGMENTS: f64 = 2.0;

/// While trains keep to the bottleneck's rate, twice the length takes twice as long, to this part: jitter moves both ends.
const KEEPS: f64 = 0.85;

/// One train of so many is set aside: a stalled host or network lets go of a burst that nothing spread.
const FLUKES: u64 = 500;

/// Of trains about as fast the longest tells most.
const NEARLY: f64 = 0.9;

/// What a train misses beside its luck: segments that something else delayed, headers that differ, stamps of a busy host.
const MISSED: f64 = 0.03;

/// Scales whose fastest trains are mostly luck: below 32 segments.
const SHORT: usize = 2;

pub(super) fn rate(slice: &PathSlice, delay: &Delay, mss: u32) -> Option<BottleneckRate> {
    let fastest: Vec<Train> = (0..)
        .zip(&slice.trains)
        .map_while(|(scale, trains)| {
            let seen = slice.delivered / (SHORTEST_TRAIN << scale);
            let aside = usize::try_from(seen / FLUKES).unwrap_or(usize::MAX);
            trains.best().get(aside).or_else(|| trains.best().last()).copied()
        })
        .collect();
    let jitter = delay.jitter.value;
    let luck = LUCK * jitter;
    let sure = |train: &Train| train.bytes as f64 / (train.took.as_secs_f64() + luck);
    let most = fastest.iter().map(sure).fold(0.0, f64::max);
    let surest = fastest.iter().copied().rfind(|train| sure(train) >= NEARLY * most)?;
    let train = longest_kept(&fastest).filter(|kept| kept.rate() > sure(&surest)).unwrap_or(surest);
    let plain = train.rate();
    let (bytes, took) = (train.bytes as f64, train.took.as_secs_f64());
    // There are fewer long trains than short ones, so that the luckiest of them was less lucky.
    let fast = bytes / (took - jitter).max(took / 2.0);
    let payload =
        Estimate::within(sure(&train) * (1.0 - MISSED), bytes / (took + luck / 8.0), fast * (1.0 + MISSED));
    let longest = slice.delays.iter().filter(|bin| bin.delivered > 0).last().map_or(0.0, |bin| bin.delay);
    let queue = CLEAR * jitter + SEGMENTS * f64::from(mss) / plain;
    let at_end = train.rtt.0.max(train.rtt.1).as_secs_f64().max(longest) - delay.base.value;
    Some(BottleneckRate { payload, is_bound: at_end < queue })
}

/// The longest of trains of all lengths that keep to one rate.
///
/// Jitter makes a short train fast, by as much as a long one: so what counts is how much longer the next longer train took.
fn longest_kept(fastest: &[Train]) -> Option<Train> {
    let further = |pair: &[Train]| {
        let took = pair[1].took.as_secs_f64() - pair[0].took.as_secs_f64();
        (pair[1].bytes - pair[0].bytes) as f64 / took.max(1e-9)
    };
    let rates: Vec<f64> = fastest.windows(2).skip(SHORT).map(further).collect();
    let best = rates.iter().copied().fold(0.0, f64::max);
    let kept = rates.iter().rposition(|&rate| rate >= KEEPS * best)?;
    fastest.get(SHORT + kept + 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn trains(micros: &[i64]) -> Vec<Train> {
        let train = |(scale, &took): (usize, &i64)| Train {
            bytes: (8 << scale) * 1_448,
            took: Span::from_micros(took),
            rtt: (Span::from_millis(54), Span::from_millis(60)),
        };
        micros.iter().enumerate().map(train).collect()
    }

    // 200 Mbit/s of Ethernet: 60.56 us a segment, less 300 us of luck, as a capture of slow start shows it; what is longer than a
    // window waits for the next.
    #[test]
    fn luck_of_short_trains_is_not_taken_for_speed() {
        let fastest = trains(&[114, 673, 1_660, 3_537, 7_550, 15_390, 52_000, 160_000]);
        assert_eq!(longest_kept(&fastest), Some(fastest[5]));
    }
}
