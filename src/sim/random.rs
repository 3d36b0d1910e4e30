//! Random streams: one for each (draw, flow, algorithm, process), independent of all others.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Stream(Pcg64Mcg);

/// What a stream is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Process {
    Loss,
    AckLoss,
    Jitter,
    Reordering,
    Marking,
    Algorithm,
}

/// The key of a stream. The algorithm is given by name, so that its place in a table does not matter.
pub(super) fn key(seed: u64, draw: u32, flow: u32, algorithm: &str, process: Process) -> u64 {
    // FNV-1a over the parts; the generator's own seeding spreads it over its state.
    let parts = [seed, u64::from(draw), u64::from(flow), process as u64];
    let bytes = parts.iter().flat_map(|part| part.to_le_bytes()).chain(algorithm.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Stream {
    pub(super) fn new(key: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(key))
    }

    /// Uniform in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether an event of this probability happens.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.uniform() < probability
    }

    /// Poisson with this mean: by inversion (Knuth), for a large mean by its normal limit.
    pub(super) fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 40.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u64;
        }
        let limit = (-mean).exp();
        let (mut count, mut product) = (0, self.uniform());
        while product > limit {
            count += 1;
            product *= self.uniform();
        }
        count
    }

    /// Standard normal (Box and Muller 1958).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_every_part_of_the_key() {
        let base = key(1, 0, 0, "reno", Process::Loss);
        let others = [
            key(2, 0, 0, "reno", Process::Loss),
            key(1, 1, 0, "reno", Process::Loss),
            key(1, 0, 1, "reno", Process::Loss),
            key(1, 0, 0, "cubic", Process::Loss),
            key(1, 0, 0, "reno", Process::Jitter),
        ];
        let first = Stream::new(base).uniform();
        for other in others {
            assert!((Stream::new(other).uniform() - first).abs() > 1e-9);
        }
    }

    #[test]
    fn poisson_has_its_mean_on_both_sides_of_the_limit() {
        let mut stream = Stream::new(9);
        for mean in [0.3, 12.0, 200.0] {
            let sum: u64 = (0..20_000).map(|_| stream.poisson(mean)).sum();
            assert!((sum as f64 / 20_000.0 / mean - 1.0).abs() < 0.03, "{mean}");
        }
    }

    #[test]
    fn the_normal_has_mean_zero_and_variance_one() {
        let mut stream = Stream::new(7);
        let values: Vec<f64> = (0..20_000).map(|_| stream.normal()).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05);
    }
}
