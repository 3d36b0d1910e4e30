//! What a capture shows of a path, in slices of time: how delays, deliveries and losses go together.

// Where a float becomes the number of a bin `as` saturates, which is wanted.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use crate::units::{Span, Timestamp};

/// Most slices of time that are kept; neighbours are merged beyond it.
const MOST_SLICES: usize = 16;

/// Length of a slice at first.
const FIRST_SLICE: Span = Span::from_secs(1);

/// Bins an octave of delay has.
const OCTAVE: u32 = 128;

/// Trains are looked at in these lengths: [`SHORTEST_TRAIN`] segments times a power of two.
pub const TRAIN_SCALES: usize = 8;

/// Segments of the shortest train.
pub const SHORTEST_TRAIN: u64 = 8;

/// Fastest trains kept of each length.
const BEST_TRAINS: usize = 16;

/// A path as one stretch of time shows it.
#[derive(Clone, Debug, Default)]
pub struct PathSlice {
    /// From when to when.
    pub start: Timestamp,
    /// Its end.
    pub end: Timestamp,
    /// Segments delivered and lost, by the RTT at the time.
    pub delays: DelayCounts,
    /// The fastest trains of each length.
    pub trains: [Trains; TRAIN_SCALES],
    /// How the RTT varies within a round trip.
    pub jitter: JitterCounts,
    /// ACKs heard.
    pub acks: u64,
    /// Segments they delivered.
    pub delivered: u64,
    /// Congestion marks that were echoed anew, by the RTT at the time.
    pub marks: DelayCounts,
    /// ACKs that were sent and never passed the tap.
    pub ack_steps: AckSteps,
}

/// From one ACK to the next, by the numbers of the receiver's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckSteps {
    /// ACKs that passed the tap.
    pub seen: u64,
    /// Numbers that were passed over and did not come later.
    pub missing: u64,
    /// Steps to the very next number at which data was acknowledged in order, and the bytes.
    pub next: (u64, u64),
    /// Steps beyond it: how many, the bytes, and the numbers passed over.
    pub beyond: (u64, u64, u64),
}

impl AckSteps {
    fn absorb(&mut self, other: &Self) {
        self.seen += other.seen;
        self.missing += other.missing;
        self.next = (self.next.0 + other.next.0, self.next.1 + other.next.1);
        let (count, bytes, passed_over) = other.beyond;
        self.beyond = (self.beyond.0 + count, self.beyond.1 + bytes, self.beyond.2 + passed_over);
    }
}

/// Segments that were delivered in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Train {
    /// Payload bytes of all but the first ACK.
    pub bytes: u64,
    /// From the first ACK to the last, at the tap.
    pub took: Span,
    /// RTT at its begin and at its end.
    pub rtt: (Span, Span),
}

impl Train {
    /// Payload bytes a second.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

/// The fastest trains of one length, fastest first.
#[derive(Clone, Debug, Default)]
pub struct Trains(Vec<Train>);

impl Trains {
    /// Those kept.
    pub fn best(&self) -> &[Train] {
        &self.0
    }

    /// One more.
    pub fn add(&mut self, train: Train) {
        if self.0.len() == BEST_TRAINS && self.0.last().is_some_and(|last| train.rate() <= last.rate()) {
            return;
        }
        let at = self.0.partition_point(|kept| kept.rate() >= train.rate());
        self.0.insert(at, train);
        self.0.truncate(BEST_TRAINS);
    }
}

/// Segments by delay, in bins of half a percent.
#[derive(Clone, Debug, Default)]
pub struct DelayCounts {
    first: u32,
    bins: Vec<[u32; 2]>,
}

/// One bin of [`DelayCounts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayBin {
    /// Middle of the bin.
    pub delay: f64,
    /// Segments delivered when the RTT was so.
    pub delivered: u32,
    /// Segments lost.
    pub lost: u32,
}

fn bin_of(delay: Span) -> u32 {
    let micros = u64::try_from(delay.as_nanos() / 1_000).unwrap_or(0).max(1);
    let octave = micros.ilog2();
    // Up to 2^24 µs, 16 s; what is longer counts as that.
    let within = ((micros << 7) >> octave) & 127;
    octave.min(24) * OCTAVE + u32::try_from(within).unwrap_or(0)
}

fn delay_of(bin: u32) -> f64 {
    let (octave, within) = (bin / OCTAVE, bin % OCTAVE);
    let base = f64::from(octave).exp2();
    base * (1.0 + (f64::from(within) + 0.5) / f64::from(OCTAVE)) / 1e6
}

impl DelayCounts {
    /// Counts segments whose RTT was, or would have been, `delay`.
    pub fn add(&mut self, delay: Span, delivered: u32, lost: u32) {
        self.add_to_bin(bin_of(delay), [delivered, lost]);
    }

    fn add_to_bin(&mut self, bin: u32, counts: [u32; 2]) {
        if self.bins.is_empty() {
            self.first = bin;
        }
        if bin < self.first {
            let missing = (self.first - bin) as usize;
            self.bins.splice(0..0, std::iter::repeat_n([0, 0], missing));
            self.first = bin;
        }
        let at = (bin - self.first) as usize;
        if at >= self.bins.len() {
            self.bins.resize(at + 1, [0, 0]);
        }
        for (sum, more) in self.bins[at].iter_mut().zip(counts) {
            *sum = sum.saturating_add(more);
        }
    }

    /// Bins that hold any, shortest delay (in seconds) first.
    pub fn iter(&self) -> impl Iterator<Item = DelayBin> + '_ {
        (self.first..)
            .zip(&self.bins)
            .filter(|(_, counts)| **counts != [0, 0])
            .map(|(bin, &[delivered, lost])| DelayBin { delay: delay_of(bin), delivered, lost })
    }

    fn absorb(&mut self, other: &Self) {
        for (bin, &counts) in (other.first..).zip(&other.bins) {
            if counts != [0, 0] {
                self.add_to_bin(bin, counts);
            }
        }
    }
}

/// How the RTT varies from one ACK to the next, and how that compares with its variation within a round trip.
#[derive(Clone, Debug, Default)]
pub struct JitterCounts {
    /// Rounds by standard deviation, in bins of a third of an octave from 1 µs.
    deviations: Vec<u32>,
    /// Sums over the rounds of von Neumann's ratio and of the time between samples.
    ratio: f64,
    rounds: u32,
    spacing: f64,
}

impl JitterCounts {
    /// A round trip with this deviation (root mean square of the difference of neighbours, over the root of 2), its square over
    /// the variance (von Neumann's ratio; 1: neighbours have nothing to do with one another), and the mean time between samples
    /// in seconds.
    pub fn add(&mut self, deviation: f64, ratio: f64, spacing: f64) {
        // At most 3 * 64.
        let bin = usize::from(((deviation * 1e6).clamp(1.0, 1e15).log2() * 3.0) as u8);
        if self.deviations.len() <= bin {
            self.deviations.resize(bin + 1, 0);
        }
        self.deviations[bin] = self.deviations[bin].saturating_add(1);
        self.ratio += ratio;
        self.spacing += spacing;
        self.rounds = self.rounds.saturating_add(1);
    }

    /// Rounds measured.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The deviation below which `share` of the rounds lie, seconds.
    pub fn deviation(&self, share: f64) -> Option<f64> {
        let rank = share * f64::from(self.rounds);
        let mut seen = 0.0;
        self.deviations.iter().enumerate().find_map(|(bin, &count)| {
            let before = seen;
            seen += f64::from(count);
            (count > 0 && seen >= rank).then(|| {
                let within = ((rank - before) / f64::from(count)).clamp(0.0, 1.0);
                ((bin as f64 + within) / 3.0).exp2() / 1e6
            })
        })
    }

    /// Mean of the ratios.
    pub fn ratio(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.ratio / f64::from(self.rounds))
    }

    /// Mean time between samples, seconds.
    pub fn spacing(&self) -> Option<f64> {
        (self.rounds > 0).then(|| self.spacing / f64::from(self.rounds))
    }

    fn absorb(&mut self, other: &Self) {
        if self.deviations.len() < other.deviations.len() {
            self.deviations.resize(other.deviations.len(), 0);
        }
        for (sum, more) in self.deviations.iter_mut().zip(&other.deviations) {
            *sum = sum.saturating_add(*more);
        }
        self.ratio += other.ratio;
        self.spacing += other.spacing;
        self.rounds = self.rounds.saturating_add(other.rounds);
    }
}

impl PathSlice {
    /// Takes in another stretch of time.
    pub fn absorb(&mut self, other: &Self) {
        if self.delivered == 0 && self.acks == 0 {
            self.start = other.start;
        }
        self.start = self.start.min(other.start);
        self.end = self.end.max(other.end);
        self.delays.absorb(&other.delays);
        for (own, more) in self.trains.iter_mut().zip(&other.trains) {
            more.0.iter().for_each(|train| own.add(*train));
        }
        self.jitter.absorb(&other.jitter);
        self.acks += other.acks;
        self.delivered += other.delivered;
        self.marks.absorb(&other.marks);
        self.ack_steps.absorb(&other.ack_steps);
    }
}

/// The slices of a direction, in order of time.
#[derive(Clone, Debug)]
pub struct PathSamples {
    slices: Vec<PathSlice>,
    length: Span,
}

impl Default for PathSamples {
    fn default() -> Self {
        Self { slices: Vec::new(), length: FIRST_SLICE }
    }
}

impl PathSamples {
    /// In order of time.
    pub fn slices(&self) -> &[PathSlice] {
        &self.slices
    }

    /// The slice that `now` belongs to.
    pub fn at(&mut self, now: Timestamp) -> &mut PathSlice {
        let over = self.slices.last().is_none_or(|last| now.since(last.start) >= self.length);
        if over {
            if self.slices.len() == MOST_SLICES {
                let halves = self.slices.chunks(2).map(|pair| {
                    let mut first = pair[0].clone();
                    pair.iter().skip(1).for_each(|second| first.absorb(second));
                    first
                });
                self.slices = halves.collect();
                self.length = self.length.scale(2.0);
            }
            self.slices.push(PathSlice { start: now, end: now, ..PathSlice::default() });
        }
        // One was pushed if there was none.
        let last = self.slices.len() - 1;
        let slice = &mut self.slices[last];
        slice.end = slice.end.max(now);
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_half_a_percent_wide() {
        for micros in [1_i64, 7, 100, 1_449, 54_000, 2_000_000] {
            let delay = Span::from_nanos(micros * 1_000);
            let back = delay_of(bin_of(delay)) * 1e6;
            let off = (back / micros as f64 - 1.0).abs();
            assert!(off < if micros < 128 { 0.6 } else { 0.006 }, "{micros} {back}");
        }
    }

    #[test]
    fn nothing_is_lost_when_slices_merge() {
        let mut samples = PathSamples::default();
        let seconds = 1_000_i64;
        for second in 0..seconds {
            let now = Timestamp::from_nanos(second * 1_000_000_000);
            let slice = samples.at(now);
            slice.delays.add(Span::from_millis(50 - second % 20), 2, 1);
            slice.delivered += 2;
        }
        assert!(samples.slices().len() <= MOST_SLICES);
        let total: u32 =
            samples.slices().iter().flat_map(|slice| slice.delays.iter()).map(|bin| bin.delivered).sum();
        assert_eq!(i64::from(total), 2 * seconds);
        assert_eq!(samples.slices().iter().map(|slice| slice.delivered).sum::<u64>(), 2_000);
    }

    #[test]
    fn the_fastest_trains_stay() {
        let mut trains = Trains::default();
        for took in 1..100 {
            trains.add(Train {
                bytes: 1_000,
                took: Span::from_millis(100 - took),
                rtt: (Span::ZERO, Span::ZERO),
            });
        }
        assert_eq!(trains.best().len(), BEST_TRAINS);
        assert_eq!(trains.best()[0].took, Span::from_millis(1));
    }
}
