//! What the tests assume of the values, and where the values at hand break it.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::general::general;
use super::sample::Kind;
use super::summary::{Summary, ascending, median_of_sorted, sort};
use super::test::{Side, Test};
use crate::report::comparison::AssumptionWarning;

/// Beyond this modified z score a value counts as an outlier (Iglewicz & Hoaglin 1993, section 3).
const OUTLIER_SCORE: f64 = 3.5;

/// The median absolute deviation of a normal distribution in standard deviations.
const NORMAL_MAD: f64 = 0.6745;

/// With fewer values nothing can be said of outliers.
const OUTLIERS_FROM: usize = 4;

/// Variances count as unequal where chance makes them so in fewer than this share of cases.
const VARIANCE_ALPHA: f64 = 0.05;

/// All assumptions of `test` that the values break.
pub fn broken(
    before: Side<'_>,
    after: Side<'_>,
    kind: Kind,
    test: &dyn Test,
    shown: &dyn Fn(f64) -> String,
) -> Vec<AssumptionWarning> {
    let sides = [("before", before), ("after", after)];
    let few = sides.into_iter().filter_map(|(name, side)| few_values(name, side.summary));
    let outliers = sides.into_iter().filter_map(|(name, side)| outliers(name, side, test, shown));
    few.chain(outliers)
        .chain(unequal_variance(before.summary, after.summary, test))
        .chain(dependent(kind))
        .collect()
}

fn few_values(side: &'static str, summary: &Summary) -> Option<AssumptionWarning> {
    let message = match summary.n {
        0 | 3.. => return None,
        1 => {
            format!("one value {side}: it has no scatter, so nothing can be proven; measure at least 3 times")
        }
        _ => format!(
            "only {} values {side}: their scatter is hardly known, and one odd value decides; measure at least 3 times",
            summary.n
        ),
    };
    Some(AssumptionWarning { kind: "few_values", side: Some(side), text: message })
}

fn outliers(
    side: &'static str,
    values: Side<'_>,
    test: &dyn Test,
    shown: &dyn Fn(f64) -> String,
) -> Option<AssumptionWarning> {
    let values = values.values.filter(|values| values.len() >= OUTLIERS_FROM && test.by_means())?;
    let far = far_out(values);
    let (first, count) = (far.first()?, far.len());
    let first = shown(*first);
    let what = if count == 1 {
        format!("1 outlier {side} ({first}) moves the mean and widens the interval")
    } else {
        format!("{count} outliers {side} ({first} is one) move the mean and widen the interval")
    };
    let message =
        format!("{what}: look at what was different there, or use --test mann-whitney, which goes by rank");
    Some(AssumptionWarning { kind: "outliers", side: Some(side), text: message })
}

/// The values whose distance from the median is too many median absolute deviations, as they come.
fn far_out(values: &[f64]) -> Vec<f64> {
    let Some(median) = median_of_sorted(values) else { return Vec::new() };
    let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    sort(&mut distances);
    let Some(mad) = median_of_sorted(&distances).filter(|mad| *mad > 0.0) else { return Vec::new() };
    let score = |value: f64| NORMAL_MAD * (value - median).abs() / mad;
    values.iter().copied().filter(|value| score(*value) > OUTLIER_SCORE).collect()
}

fn unequal_variance(before: &Summary, after: &Summary, test: &dyn Test) -> Option<AssumptionWarning> {
    if !test.pools() {
        return None;
    }
    let p = variance_p(before, after).filter(|p| *p < VARIANCE_ALPHA)?;
    let (wide, narrow) = if before.sd.unwrap_or(0.0) > after.sd.unwrap_or(0.0) {
        ("before", "after")
    } else {
        ("after", "before")
    };
    let message = format!(
        "unequal variance: the values scatter more {wide} than {narrow} (F test, p = {}), and {} takes both to \
         scatter alike; --test welch does not",
        general(p, 2),
        test.title()
    );
    Some(AssumptionWarning { kind: "unequal_variance", side: None, text: message })
}

/// The two-sided p value of Fisher's F test of equal variances.
fn variance_p(before: &Summary, after: &Summary) -> Option<f64> {
    let (vb, va) = (before.variance()?, after.variance()?);
    let (greater, less) = if ascending(&vb, &va).is_gt() {
        ((vb, before.n), (va, after.n))
    } else {
        ((va, after.n), (vb, before.n))
    };
    // More make no difference to the verdict, and the incomplete beta function is slow or wrong for them.
    let freedom = |n: u64| (n as f64 - 1.0).min(1e5);
    let ratio = greater.0 / less.0;
    if !ratio.is_finite() {
        return (greater.0 > 0.0).then_some(0.0);
    }
    let f = FisherSnedecor::new(freedom(greater.1), freedom(less.1)).ok()?;
    Some((2.0 * f.sf(ratio)).min(1.0))
}

fn dependent(kind: Kind) -> Option<AssumptionWarning> {
    (kind == Kind::Interval).then(|| AssumptionWarning {
        kind: "not_independent",
        side: None,
        text: "the values are intervals of a run, and neighbours depend on each other: they prove that these runs differ, \
               not that the next two will; give 3 or more runs a side"
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::test::TESTS;

    // scipy.stats: 2 * f.sf(79.2966, 3, 3) of the two variances below.
    #[test]
    fn unequal_variance_is_found_by_f() {
        let summary = |sd| Summary { n: 4, min: None, max: None, median: None, mean: 1.0, sd: Some(sd) };
        let p = variance_p(&summary(1.0), &summary(79.2966_f64.sqrt())).unwrap();
        assert!((p - 0.004_701_147).abs() < 1e-8, "{p}");
        assert_eq!(variance_p(&summary(0.0), &summary(0.0)), None);
        assert_eq!(variance_p(&summary(0.0), &summary(2.0)), Some(0.0));
    }

    // The fourth value of this cell of the BQL report is 168 below the median of the others, their own distance 17 to 36.
    #[test]
    fn an_outlier_is_named_and_ranks_do_not_mind() {
        let mut values = [1332.80, 1297.97, 1351.41, 1147.57];
        let summary = Summary::of(&mut values).unwrap();
        assert_eq!(far_out(&values), [1147.57]);
        assert_eq!(far_out(&[1.0, 2.0, 3.0, 4.0, 5.0]), [0.0; 0]);
        let side = Side { summary: &summary, values: Some(&values) };
        let kinds = |name: &str| {
            let test = TESTS.iter().find(|test| test.name() == name).unwrap();
            broken(side, side, Kind::Run, *test, &|value| value.to_string())
                .into_iter()
                .map(|warning| warning.kind)
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds("student"), ["outliers", "outliers"]);
        assert_eq!(kinds("mann-whitney"), [""; 0]);
    }
}
