//! Whether packets are lost in bursts: a channel with a good and a bad state, where it says more than independent losses do.
//!
//! Gilbert's channel (Bell System Technical Journal 39, 1960; Elliott's of 1963 without losses in its good state) loses packets in its bad
//! state only. So a loss tells the state, what follows has nothing to do with what was before, and the packets that arrive between
//! two losses follow a mixture of two geometric distributions: short gaps within a bad spell, long ones between two. The mixture is
//! fitted by expectation and maximisation (Dempster, Laird and Rubin 1977) and taken if its likelihood exceeds that of one
//! geometric distribution by more than chance makes it; its three parameters are those of the channel.

use super::Estimate;
use crate::cc::random::uniform;

/// Twice the logarithm of the likelihood ratio that chance exceeds once in a thousand times (chi squared, two degrees of freedom).
const CLEARLY: f64 = 13.8;

/// Fewer gaps, or losses at random, tell nothing.
pub(super) const LEAST: usize = 8;

/// Rounds of the fit, and of each fit to a sample of the sample.
const ROUNDS: (u32, u32) = (300, 100);

/// Samples of the sample (Efron's bootstrap) for the intervals.
const SAMPLES: usize = 40;

/// A few losses that happen to stand together are no bursts: without some of them nothing would say where a spell ends, so that its upper
/// bound is this many times its length.
const BLURRED: f64 = 10.0;

/// Gaps up to this are counted one by one, longer ones in bins of a sixteenth of an octave.
const EXACT: u32 = 64;

/// Losses in bursts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// Mean packets of a bad spell.
    pub spell: Estimate,
    /// Probability of loss within one.
    pub loss: Estimate,
    /// Mean packets lost in a row.
    pub run: Estimate,
    /// Variance of the number of losses over that of as many independent ones: the squared coefficient of variation of what lies
    /// between them (Cox, Renewal Theory, 1962, section 3.3).
    pub spread: f64,
}

impl Bursts {
    /// Probability that a bad spell begins at a packet, at this loss overall.
    pub fn begins(&self, rate: f64) -> f64 {
        let bad = (rate / self.loss.value).clamp(0.0, 0.99);
        bad / (1.0 - bad) / self.spell.value
    }
}

/// Gaps of about one length: the length and how many.
type Bin = (f64, f64);

/// Two geometric distributions: the share of the first, and the probability of an end at each packet.
#[derive(Clone, Copy, Debug)]
struct Mixture {
    share: f64,
    short: f64,
    long: f64,
}

/// The channel of which `gaps` packets arrived between each loss and the next; `None` where independent losses would look the same.
pub(super) fn fit(gaps: &[u32]) -> Option<Bursts> {
    if gaps.len() < LEAST {
        return None;
    }
    let bins = binned(gaps);
    let (count, sum) = totals(&bins);
    let alone = count / (count + sum);
    if !(1e-9..1.0 - 1e-9).contains(&alone) {
        return None;
    }
    let starts = [(0.5, 0.7), (0.2, 0.2), (0.8, 0.2)];
    let fits = starts.map(|(share, short)| {
        Mixture { share, short: f64::max(short, 2.0 * alone).min(0.99), long: alone / 2.0 }
            .improved(&bins, ROUNDS.0)
    });
    let best = fits.into_iter().max_by(|a, b| a.likelihood(&bins).total_cmp(&b.likelihood(&bins)))?;
    let independent = count * alone.ln() + sum * (-alone).ln_1p();
    if 2.0 * (best.likelihood(&bins) - independent) < CLEARLY {
        return None;
    }
    let channel = best.channel()?;
    let mut samples = resampled(&bins, gaps.len(), best);
    samples.push(channel);
    let interval = |figure: fn(&[f64; 3]) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(figure).collect();
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: usize| values[share * (values.len() - 1) / 10];
        Estimate::within(at(1), figure(&channel), at(9))
    };
    let spell = interval(|[spell, ..]| *spell);
    if spell.high > spell.value * BLURRED {
        return None;
    }
    let mean = sum / count + 1.0;
    let variance = bins.iter().map(|(gap, many)| many * (gap + 1.0 - mean).powi(2)).sum::<f64>() / count;
    Some(Bursts {
        spell,
        loss: interval(|[_, loss, _]| *loss),
        run: interval(|[.., run]| *run),
        spread: (variance / mean.powi(2)).max(1.0),
    })
}

fn totals(bins: &[Bin]) -> (f64, f64) {
    bins.iter().fold((0.0, 0.0), |(count, sum), (gap, many)| (count + many, sum + gap * many))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 512, and not negative")]
fn binned(gaps: &[u32]) -> Vec<Bin> {
    let bin = |gap: u32| if gap <= EXACT { gap } else { EXACT + (f64::from(gap).log2() * 16.0) as u32 };
    let mut sorted: Vec<u32> = gaps.to_vec();
    sorted.sort_unstable();
    sorted
        .chunk_by(|one, other| bin(*one) == bin(*other))
        .map(|alike| {
            let many = alike.len() as f64;
            (alike.iter().copied().map(f64::from).sum::<f64>() / many, many)
        })
        .collect()
}

/// Channels fitted to samples that are drawn from the sample, each as large.
fn resampled(bins: &[Bin], gaps: usize, best: Mixture) -> Vec<[f64; 3]> {
    let mut state = 1_u64;
    let mut channels = Vec::with_capacity(SAMPLES);
    // Where each bin ends in the sorted sample.
    let ends: Vec<f64> = bins
        .iter()
        .scan(0.0, |end, (_, many)| {
            *end += many;
            Some(*end)
        })
        .collect();
    for _ in 0..SAMPLES {
        let mut drawn: Vec<Bin> = bins.iter().map(|(gap, _)| (*gap, 0.0)).collect();
        for _ in 0..gaps {
            let place = uniform(&mut state) * gaps as f64;
            let at = ends.partition_point(|end| *end <= place).min(bins.len() - 1);
            drawn[at].1 += 1.0;
        }
        channels.extend(best.improved(&drawn, ROUNDS.1).channel());
    }
    channels
}

impl Mixture {
    fn parts(&self, gap: f64) -> (f64, f64) {
        let short = self.share * self.short * (gap * (-self.short).ln_1p()).exp();
        let long = (1.0 - self.share) * self.long * (gap * (-self.long).ln_1p()).exp();
        (short, long)
    }

    fn likelihood(&self, bins: &[Bin]) -> f64 {
        let of = |(gap, many): &Bin| {
            let (short, long) = self.parts(*gap);
            many * (short + long).max(f64::MIN_POSITIVE).ln()
        };
        bins.iter().map(of).sum()
    }

    /// So many rounds of expectation and maximisation.
    fn improved(mut self, bins: &[Bin], rounds: u32) -> Self {
        let (count, sum) = totals(bins);
        for _ in 0..rounds {
            let (mut of_short, mut length) = (0.0, 0.0);
            for (gap, many) in bins {
                let (short, long) = self.parts(*gap);
                let part = many * short / (short + long).max(f64::MIN_POSITIVE);
                of_short += part;
                length += part * gap;
            }
            let of_long = count - of_short;
            self.share = (of_short / count).clamp(1e-6, 1.0 - 1e-6);
            self.short = (of_short / (of_short + length).max(1e-9)).clamp(1e-9, 1.0 - 1e-9);
            self.long = (of_long / (of_long + sum - length).max(1e-9)).clamp(1e-9, 1.0 - 1e-9);
        }
        self
    }

    /// The channel with these gaps: mean length of a bad spell, loss within it, mean losses in a row.
    ///
    /// With `p` and `r` the probabilities to leave the good and the bad state and `h` that of a loss in the bad one, a gap of `g` has
    /// `(0 1) M^g (p h, (1 - r) h)`, `M = [[1 - p, p (1 - h)], [r, (1 - r) (1 - h)]]`: its eigenvalues are `1 - short` and `1 - long`, and that of
    /// no gap is `(1 - r) h`. From their sum, their product and the latter follow the three.
    fn channel(&self) -> Option<[f64; 3]> {
        let next = self.share * self.short + (1.0 - self.share) * self.long;
        let (trace, product) = (2.0 - self.short - self.long, (1.0 - self.short) * (1.0 - self.long));
        let stays = next + trace - 1.0;
        if stays <= 0.0 {
            return None;
        }
        let loss = (1.0 - product / stays).clamp(next, 1.0);
        let to_good = (1.0 - next / loss.max(1e-9)).clamp(1e-6, 1.0);
        Some([1.0 / to_good, loss, 1.0 / (1.0 - next).max(1e-6)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaps of a channel that is played packet by packet.
    fn played(to_bad: f64, to_good: f64, loss: f64, packets: u32, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let mut chance = |share: f64| uniform(&mut state) < share;
        let (mut bad, mut gaps, mut last) = (false, Vec::new(), None);
        for packet in 0..packets {
            if chance(if bad { to_good } else { to_bad }) {
                bad = !bad;
            }
            if bad && chance(loss) {
                if let Some(last) = last {
                    gaps.push(packet - last - 1);
                }
                last = Some(packet);
            }
        }
        gaps
    }

    // Spells of four packets of which seven in ten are lost: in a row are 1 / (1 - 0.75 * 0.7) = 2.105.
    #[test]
    fn a_channel_that_is_played_is_found_again() {
        let bursts = fit(&played(0.002, 0.25, 0.7, 400_000, 1)).unwrap();
        assert!((bursts.spell.value / 4.0 - 1.0).abs() < 0.1, "{bursts:?}");
        assert!((bursts.loss.value / 0.7 - 1.0).abs() < 0.1, "{bursts:?}");
        assert!((bursts.run.value / 2.105 - 1.0).abs() < 0.05, "{bursts:?}");
        // Overall 0.002 / 0.252 * 0.7.
        assert!((bursts.begins(0.002 / 0.252 * 0.7) / 0.002 - 1.0).abs() < 0.15, "{bursts:?}");
    }

    #[test]
    fn intervals_hold_the_truth() {
        let fits: Vec<Bursts> =
            (1..=40).map(|seed| fit(&played(0.004, 0.2, 0.5, 60_000, seed << 32)).unwrap()).collect();
        let inside = |figure: fn(&Bursts) -> Estimate, truth: f64| {
            fits.iter().map(figure).filter(|figure| figure.low <= truth && truth <= figure.high).count()
        };
        // 80 % of 40 are 32, give or take 2.5.
        for (inside, what) in [
            (inside(|bursts| bursts.spell, 5.0), "spell"),
            (inside(|bursts| bursts.loss, 0.5), "loss"),
            (inside(|bursts| bursts.run, 1.0 / (1.0 - 0.8 * 0.5)), "run"),
        ] {
            assert!(inside >= 26, "{what}: {inside} of 40");
        }
    }

    #[test]
    fn independent_losses_are_no_bursts() {
        let found =
            (1..=200).filter(|&seed| fit(&played(1.0, 0.0, 0.01, 20_000, seed << 32)).is_some()).count();
        assert!(found <= 2, "{found} of 200");
    }

    // Each second packet of a pair is lost with the first: the case of two states in which nothing in between arrives.
    #[test]
    fn pairs_are_pairs() {
        let gaps: Vec<u32> = (0..200).map(|at| if at % 2 == 0 { 0 } else { 1_000 }).collect();
        let bursts = fit(&gaps).unwrap();
        assert!((bursts.run.value - 2.0).abs() < 0.05, "{bursts:?}");
        assert!((bursts.loss.value - 1.0).abs() < 0.05, "{bursts:?}");
    }
}
