//! The figures that stand for a set of values: number, least, greatest, median, mean and standard deviation.

use std::cmp::Ordering;

/// Six figures of a set of values. Standard deviation is that of a sample (divisor n - 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many values.
    pub n: u64,
    /// The least, where known.
    pub min: Option<f64>,
    /// The greatest, where known.
    pub max: Option<f64>,
    /// The middle one, or the mean of the middle two; `None` where the values are not at hand.
    pub median: Option<f64>,
    /// The arithmetic mean.
    pub mean: f64,
    /// The sample's standard deviation; `None` of a single value.
    pub sd: Option<f64>,
}

impl Summary {
    /// The summary of values, which it leaves in ascending order; `None` of no value at all.
    ///
    /// They are summed in the order given, as ministat does, so that a tie in the last digit falls alike. The deviation is
    /// summed about the mean in a second pass, so that it does not drown where the mean is large.
    pub fn of(values: &mut [f64]) -> Option<Self> {
        let n = values.len();
        let mean = mean(values)?;
        sort(values);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            n: n as u64,
            min: values.first().copied(),
            max: values.last().copied(),
            median: median_of_sorted(values),
            mean,
            sd: (n > 1).then(|| (squares / (n as f64 - 1.0)).sqrt()),
        })
    }

    /// One summary for several disjoint sets, exact but for the median, which cannot be known.
    ///
    /// Sums of squares add about the common mean: Chan, Golub & `LeVeque` 1979, equation 1.5.
    pub fn merge(parts: &[Self]) -> Option<Self> {
        if let [only] = parts {
            return Some(*only);
        }
        let n: u64 = parts.iter().map(|part| part.n).fold(0, u64::saturating_add);
        if n == 0 {
            return None;
        }
        let mean = parts.iter().map(|part| part.mean * (part.n as f64 / n as f64)).sum::<f64>();
        let squares: f64 = parts
            .iter()
            .map(|part| {
                let within = part.sd.map_or(0.0, |sd| sd * sd * (part.n as f64 - 1.0));
                within + part.n as f64 * (part.mean - mean).powi(2)
            })
            .sum();
        let all = |pick: fn(&Self) -> Option<f64>, better: fn(f64, f64) -> f64| {
            parts.iter().map(pick).reduce(|a, b| Some(better(a?, b?))).flatten()
        };
        Some(Self {
            n,
            min: all(|part| part.min, f64::min),
            max: all(|part| part.max, f64::max),
            median: None,
            mean,
            sd: (n > 1).then(|| (squares / (n as f64 - 1.0)).sqrt()),
        })
    }

    /// The square of the standard deviation.
    pub fn variance(&self) -> Option<f64> {
        self.sd.map(|sd| sd * sd)
    }
}

/// The arithmetic mean; `None` of no value.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value of values in ascending order, or the mean of the middle two.
pub fn median_of_sorted(values: &[f64]) -> Option<f64> {
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *values.get(middle.checked_sub(1)?)?;
    Some(f64::midpoint(lower, upper))
}

/// Puts values into ascending order.
pub fn sort(values: &mut [f64]) {
    values.sort_unstable_by(ascending);
}

/// The order of finite numbers, in which the two zeros are equal.
pub fn ascending(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.total_cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Summary {
        Summary::of(&mut values.to_vec()).unwrap()
    }

    // `ministat -n` printed for these: 7 50 750 200 300 238.04761, and 4 1 10 3(*) 4 4.0824829.
    // (*) Debian's ministat takes the upper of the middle two for an even number; this is their mean.
    #[test]
    fn the_figures_are_those_of_ministat() {
        let iguana = of(&[50.0, 200.0, 150.0, 400.0, 750.0, 400.0, 150.0]);
        assert_eq!(
            (iguana.n, iguana.min, iguana.max, iguana.median),
            (7, Some(50.0), Some(750.0), Some(200.0))
        );
        assert!((iguana.mean - 300.0).abs() < 1e-12);
        assert!((iguana.sd.unwrap() - 238.047_61).abs() < 5e-6);
        assert!((of(&[1.0, 2.0, 3.0, 10.0]).sd.unwrap() - 4.082_482_9).abs() < 5e-8);
    }

    #[test]
    fn summaries_of_parts_add_up_to_that_of_the_whole() {
        let (left, right) = ([1.0, 2.0, 4.0], [8.0, 16.0, 3.0, 5.0]);
        let whole = of(&[left.as_slice(), &right].concat());
        let merged = Summary::merge(&[of(&left), of(&right)]).unwrap();
        assert_eq!((merged.n, merged.min, merged.max), (whole.n, whole.min, whole.max));
        assert_eq!(merged.median, None);
        assert!((merged.mean - whole.mean).abs() < 1e-12);
        assert!((merged.sd.unwrap() - whole.sd.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn one_value_has_no_deviation() {
        assert_eq!(of(&[3.0]).sd, None);
        assert_eq!(Summary::of(&mut []), None);
    }
}
