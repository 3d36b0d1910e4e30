//! What acknowledgments show of the path: the spacing of trains, the spread of delays, and what the delay was at a loss.

use crate::report::{PathSamples, RoundRecord, SHORTEST_TRAIN, TRAIN_SCALES, Trace, Train};
use crate::units::{Span, Timestamp};

/// A round with fewer samples says nothing of its spread.
const SAMPLES: u32 = 8;

/// One acknowledgment, at the tap.
#[derive(Clone, Copy, Debug)]
struct Point {
    at: Timestamp,
    delivered: u64,
    rtt: Span,
}

/// Running sums of a round's RTT samples.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    count: u32,
    mean: f64,
    squares: f64,
    differences: f64,
    last: f64,
    first_at: Timestamp,
    last_at: Timestamp,
}

/// Gathers the rounds of a transfer with their [`PathSamples`].
#[derive(Clone, Debug, Default)]
pub(super) struct PathProbe {
    samples: PathSamples,
    rounds: Trace,
    /// Where the train of each length under way begins.
    begins: [Option<Point>; TRAIN_SCALES],
    spread: Spread,
    rtt: Option<Span>,
    /// Longest of this round and of the one before.
    most: [Option<Span>; 2],
}

impl PathProbe {
    /// An acknowledgment passed the tap at `at` and delivered data, which makes `delivered` bytes in all.
    pub(super) fn on_delivered(
        &mut self,
        at: Timestamp,
        delivered: u64,
        arrived: u64,
        rtt: Option<Span>,
        mss: u64,
        near: bool,
    ) {
        self.rtt = rtt.or(self.rtt);
        let Some(rtt) = self.rtt else { return };
        self.most[0] = self.most[0].max(Some(rtt));
        let delay = if near { rtt } else { self.longest().unwrap_or(rtt) };
        let segments = u32::try_from(arrived.div_ceil(mss)).unwrap_or(u32::MAX);
        let slice = self.samples.at(at);
        slice.acks += 1;
        slice.delivered += u64::from(segments);
        slice.delays.add(delay, segments, 0);
        let end = Point { at, delivered, rtt };
        for (scale, begin) in self.begins.iter_mut().enumerate() {
            let Some(first) = *begin else {
                *begin = Some(end);
                continue;
            };
            let (bytes, took) = (end.delivered - first.delivered, at.since(first.at));
            if bytes < (SHORTEST_TRAIN << scale) * mss {
                continue;
            }
            *begin = Some(end);
            // What one acknowledgment delivers in a lump may have arrived long before, behind a hole.
            let lump = arrived > (SHORTEST_TRAIN << scale) * mss / 8 && arrived > 2 * mss;
            if took > Span::ZERO && !lump {
                slice.trains[scale].add(Train { bytes, took, rtt: (first.rtt, rtt) });
            }
        }
    }

    fn longest(&self) -> Option<Span> {
        self.most.iter().copied().flatten().max()
    }

    /// A fresh RTT sample outside of slow start and recovery.
    pub(super) fn on_steady_rtt(&mut self, at: Timestamp, rtt: Span) {
        let (value, spread) = (rtt.as_secs_f64(), &mut self.spread);
        if spread.count == 0 {
            *spread = Spread { first_at: at, last: value, ..Spread::default() };
        }
        spread.count += 1;
        let off = value - spread.mean;
        spread.mean += off / f64::from(spread.count);
        spread.squares += off * (value - spread.mean);
        spread.differences += (value - spread.last).powi(2);
        (spread.last, spread.last_at) = (value, at);
    }

    /// A round trip is over; its samples count if it was steady throughout.
    pub(super) fn on_round(&mut self, round: RoundRecord) {
        self.rounds.push(round);
        let steady = !round.disturbed && !round.slow_start;
        self.most = [None, self.most[0]];
        // Few samples are gathered over several rounds.
        if steady && self.spread.count < SAMPLES {
            return;
        }
        let spread = std::mem::take(&mut self.spread);
        if !steady {
            return;
        }
        let pairs = f64::from(spread.count - 1);
        let variance = spread.squares / pairs;
        if variance > 0.0 {
            // Of neighbours, so that a queue that builds up is not taken for jitter.
            let quick = spread.differences / pairs / 2.0;
            let spacing = spread.last_at.since(spread.first_at).as_secs_f64() / pairs;
            self.samples.at(spread.last_at).jitter.add(quick.sqrt(), quick / variance, spacing);
        }
    }

    /// Segments were found lost, by what was delivered after them. To the sender that is the latest; far from it, what
    /// passed the tap a round trip ago.
    pub(super) fn on_lost(&mut self, at: Timestamp, bytes: u64, mss: u64, near: bool) {
        let rtt = if near { self.rtt } else { self.longest() };
        if let (Some(rtt), true) = (rtt, bytes > 0) {
            let segments = u32::try_from(bytes.div_ceil(mss)).unwrap_or(u32::MAX);
            self.samples.at(at).delays.add(rtt, 0, segments);
        }
    }

    /// What was gathered; forgets it.
    pub(super) fn take(&mut self) -> Trace {
        let mut trace = std::mem::take(&mut self.rounds);
        trace.samples = std::mem::take(&mut self.samples);
        trace
    }
}
