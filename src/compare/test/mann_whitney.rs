//! The Mann-Whitney (Wilcoxon) rank sum test, with the Hodges-Lehmann shift and its interval.
//!
//! Sources: H. B. Mann & D. R. Whitney, Ann. Math. Statist. 18, 1947 (the statistic, its exact distribution by counting
//! and the normal approximation); J. L. Hodges & E. L. Lehmann, Ann. Math. Statist. 34, 1963 (the shift is the median of
//! all differences between a value after and one before). Exact for fewer than 50 values a side without ties; else
//! normal, with corrections for ties and continuity, as R's `wilcox.test`.
//!
//! Nothing is assumed of the shape of the values. The interval is one of shift: it takes the two shapes to be alike.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{Estimate, NoTest, Side, Test};
use crate::compare::confidence::Confidence;
use crate::compare::summary::{ascending, median_of_sorted, sort};

/// The most values on a side for which the distribution is counted out.
const EXACT_BELOW: usize = 50;

/// The row of [`super::TESTS`].
pub(super) struct MannWhitney;

impl Test for MannWhitney {
    fn name(&self) -> &'static str {
        "mann-whitney"
    }

    fn title(&self) -> &'static str {
        "Mann-Whitney U"
    }

    fn about(&self) -> &'static str {
        "ranks; assumes no shape of the values, so outliers do no harm; needs the values themselves"
    }

    fn by_means(&self) -> bool {
        false
    }

    fn estimate(
        &self,
        before: Side<'_>,
        after: Side<'_>,
        confidence: Confidence,
    ) -> Result<Estimate, NoTest> {
        let (Some(before), Some(after)) = (before.values, after.values) else {
            return Err(NoTest::OnlySummary);
        };
        if before.is_empty() || after.is_empty() {
            return Err(NoTest::Empty);
        }
        let ranks = Ranks::of(before, after);
        let count = before.len() as u64 * after.len() as u64;
        // The cut: how many of the ordered differences lie outside of the interval, at each end.
        let (p, cut) = if ranks.ties == 0.0 && before.len() < EXACT_BELOW && after.len() < EXACT_BELOW {
            exact(before.len(), after.len(), ranks.u, confidence)
        } else {
            normal(&ranks, confidence)
        };
        let middle = |index: u64| difference_at(before, after, index);
        let difference = f64::midpoint(middle((count - 1) / 2), middle(count / 2));
        // No cut means that the values are too few to bound the shift at this level.
        let (low, high) = match cut {
            Some(cut) => (middle(cut), middle(count - 1 - cut)),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Ok(Estimate {
            difference,
            low,
            high,
            base: median_of_sorted(before).unwrap_or(0.0).abs(),
            statistic: ranks.u,
            df: None,
            p,
            proven: p < confidence.alpha(),
        })
    }
}

/// What ranking the values of both sides together gives.
struct Ranks {
    /// Pairs in which the value after is the greater, ties counted half.
    u: f64,
    /// All pairs.
    pairs: f64,
    /// All values.
    n: f64,
    /// The sum of t^3 - t over all groups of t equal values.
    ties: f64,
}

impl Ranks {
    /// From values in ascending order.
    fn of(before: &[f64], after: &[f64]) -> Self {
        let mut all = [before, after].concat();
        sort(&mut all);
        let ties = all
            .chunk_by(|a, b| ascending(a, b).is_eq())
            .map(|equal| {
                let t = equal.len() as f64;
                t * t * t - t
            })
            .sum();
        let u = after
            .iter()
            .map(|value| {
                let below = before.partition_point(|other| ascending(other, value).is_lt());
                let upto = before.partition_point(|other| ascending(other, value).is_le());
                f64::midpoint(below as f64, upto as f64)
            })
            .sum();
        Self { u, pairs: before.len() as f64 * after.len() as f64, n: all.len() as f64, ties }
    }
}

/// The p value and the cut from the distribution itself.
fn exact(nb: usize, na: usize, u: f64, confidence: Confidence) -> (f64, Option<u64>) {
    let density = counts(nb, na);
    let least = u.min((nb * na) as f64 - u);
    let mut below = 0.0;
    let mut p = 1.0;
    let mut cut = None;
    for (value, mass) in density.iter().enumerate() {
        below += mass;
        if value as f64 <= least {
            p = (2.0 * below).min(1.0);
        }
        // Each end may leave out as many differences as still have a tail of less than half of alpha.
        if below < confidence.alpha() / 2.0 {
            cut = Some(value as u64);
        }
    }
    (p, cut)
}

/// The distribution of U under no difference: the number of ways to reach each value, over all ways.
///
/// Mann & Whitney's recurrence, one value of a side at a time: among i + j values the largest belongs to either side.
fn counts(nb: usize, na: usize) -> Vec<f64> {
    // ways[j] holds the distribution for the current i and that j, as chances rather than counts, so that nothing overflows.
    let mut ways: Vec<Vec<f64>> = (0..=na).map(|_| vec![1.0]).collect();
    for i in 1..=nb {
        for j in 1..=na {
            let mut next = vec![0.0; i * j + 1];
            let (from_before, from_after) = (i as f64 / (i + j) as f64, j as f64 / (i + j) as f64);
            // The largest is one of before: no pair more. `ways[j]` is still that of i - 1.
            if let Some(fewer) = ways.get(j) {
                next.iter_mut().zip(fewer).for_each(|(to, from)| *to += from * from_before);
            }
            // The largest is one of after: it beats all i of before.
            if let Some(fewer) = ways.get(j - 1) {
                next.iter_mut().skip(i).zip(fewer).for_each(|(to, from)| *to += from * from_after);
            }
            if let Some(slot) = ways.get_mut(j) {
                *slot = next;
            }
        }
    }
    ways.pop().unwrap_or_default()
}

/// The p value and the cut from the normal approximation.
fn normal(ranks: &Ranks, confidence: Confidence) -> (f64, Option<u64>) {
    let mean = ranks.pairs / 2.0;
    let tied = ranks.ties / (ranks.n * (ranks.n - 1.0));
    let sd = (ranks.pairs / 12.0 * (ranks.n + 1.0 - tied)).sqrt();
    if sd.is_nan() || sd <= 0.0 {
        return (1.0, None);
    }
    let distance = ((ranks.u - mean).abs() - 0.5).max(0.0);
    let p = (2.0 * Normal::standard().cdf(-distance / sd)).min(1.0);
    // The same distance, turned about: the least U that would not be rejected.
    let least = mean - 0.5 - confidence.z() * sd;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be positive")]
    let cut = (least >= 0.0).then(|| least.floor() as u64);
    (p, cut)
}

/// The difference after - before of rank `index` (from 0) among all pairs, without writing them all down.
///
/// The order of floating point numbers is that of their bits, so the least number with more than `index` differences
/// at or below it is found by halving 64 times; each count takes one walk along both sides.
fn difference_at(before: &[f64], after: &[f64], index: u64) -> f64 {
    let (mut low, mut high) = (ordered(f64::NEG_INFINITY), ordered(f64::INFINITY));
    while low < high {
        let middle = low + (high - low) / 2;
        if at_or_below(before, after, from_ordered(middle)) > index {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    from_ordered(low)
}

/// How many differences are `limit` or less.
fn at_or_below(before: &[f64], after: &[f64], limit: f64) -> u64 {
    // As `after` grows, fewer of `before` are small enough to exceed the limit with it.
    let mut start = 0;
    let mut total = 0;
    for value in after {
        while before.get(start).is_some_and(|other| value - other > limit) {
            start += 1;
        }
        total += (before.len() - start) as u64;
    }
    total
}

/// The bits of a number, turned so that they ascend as the numbers do.
fn ordered(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The number of such bits.
fn from_ordered(bits: u64) -> f64 {
    f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits })
}
