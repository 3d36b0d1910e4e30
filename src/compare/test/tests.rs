//! The tests against figures that other programs gave: ministat 20150715 of Debian, scipy 1.17.

use proptest::prelude::*;

use super::*;
use crate::compare::general::general;
use crate::compare::summary::sort;

fn sorted(values: &[f64]) -> (Summary, Vec<f64>) {
    let mut values = values.to_vec();
    (Summary::of(&mut values).unwrap(), values)
}

fn judge(name: &str, before: &[f64], after: &[f64], percent: f64) -> Result<Estimate, NoTest> {
    let ((old, old_values), (new, new_values)) = (sorted(before), sorted(after));
    find(name).unwrap().estimate(
        Side::of(&old, &old_values),
        Side::of(&new, &new_values),
        Confidence::from_percent(percent).unwrap(),
    )
}

fn close(got: f64, want: f64) -> bool {
    (got - want).abs() <= 1e-9 * want.abs().max(1.0)
}

/// Cells of fixtures/compare/bql-netperf.csv: without and with BQL.
const FQ_4: ([f64; 4], [f64; 4]) = ([994.46, 441.96, 416.50, 499.56], [945.66, 942.68, 878.51, 822.82]);
const PFIFO_2: ([f64; 4], [f64; 4]) = ([171.86, 171.20, 170.42, 169.42], [2059.32, 798.74, 1844.12, 381.80]);

// scipy.stats.ttest_ind.
#[test]
fn student_is_scipys() {
    let estimate = judge("student", &FQ_4.0, &FQ_4.1, 95.0).unwrap();
    assert!(close(estimate.statistic, 2.214_596_301_656_333));
    assert!(close(estimate.p, 0.068_707_105_924_742_4), "{}", estimate.p);
    assert!(!estimate.proven);
    let estimate = judge("student", &PFIFO_2.0, &PFIFO_2.1, 95.0).unwrap();
    assert!(close(estimate.p, 0.034_645_146_241_045_4), "{}", estimate.p);
    assert!(estimate.proven);
}

// scipy.stats.ttest_ind(equal_var=False) and its confidence_interval().
#[test]
fn welch_is_scipys() {
    let estimate = judge("welch", &PFIFO_2.0, &PFIFO_2.1, 95.0).unwrap();
    assert!(close(estimate.df.unwrap(), 3.000_010_113_761_926));
    assert!(close(estimate.p, 0.072_552_272_918_246_7), "{}", estimate.p);
    assert!(close(estimate.low, -187.086_544_549_630_4), "{}", estimate.low);
    assert!(close(estimate.high, 2_387.626_544_549_631), "{}", estimate.high);
    assert!(!estimate.proven, "the same values that Student's t takes for a difference");
}

// scipy.stats.mannwhitneyu(method="exact"); the interval from counting all choices of 7 of 13 ranks: the 7th least and 7th
// greatest of the 42 differences.
#[test]
fn mann_whitney_is_exact_for_few_values() {
    let before = [1.1, 2.3, 3.4, 4.7, 5.9, 7.2];
    let after = [3.0, 5.1, 6.3, 8.2, 9.9, 11.5, 12.7];
    let estimate = judge("mann-whitney", &before, &after, 95.0).unwrap();
    assert!(close(estimate.statistic, 35.0));
    assert!(close(estimate.p, 0.051_282_051_282_051_28), "{}", estimate.p);
    assert!(close(estimate.difference, 4.0));
    assert!((estimate.low + 0.4).abs() < 1e-9 && (estimate.high - 8.1).abs() < 1e-9, "{estimate:?}");
    assert!(!estimate.proven);
}

// scipy.stats.mannwhitneyu(method="asymptotic").
#[test]
fn mann_whitney_corrects_for_ties() {
    let before = [1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0];
    let after = [2.0, 4.0, 5.0, 5.0, 6.0, 7.0, 7.0, 8.0];
    let estimate = judge("mann-whitney", &before, &after, 95.0).unwrap();
    assert!(close(estimate.p, 0.022_410_040_622_825_05), "{}", estimate.p);
}

/// statrs' own test, by the same choice of method as R makes.
fn statrs_p(before: &[f64], after: &[f64]) -> f64 {
    use statrs::stats_tests::Alternative;
    use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};
    mannwhitneyu(after, before, MannWhitneyUMethod::Automatic, Alternative::TwoSided).unwrap().1
}

#[test]
fn too_few_values_give_no_interval_by_ranks() {
    let estimate = judge("mann-whitney", &[1.0, 2.0], &[3.0, 4.0], 95.0).unwrap();
    assert!(estimate.low.is_infinite() && !estimate.proven);
    assert!(close(estimate.p, 1.0 / 3.0));
}

#[test]
fn values_without_scatter_differ_for_certain_or_not_at_all() {
    for test in ["student", "welch"] {
        let estimate = judge(test, &[3.0, 3.0, 3.0], &[4.0, 4.0, 4.0], 95.0).unwrap();
        assert!(estimate.proven && close(estimate.half_width(), 0.0) && estimate.p == 0.0, "{test}");
        let estimate = judge(test, &[3.0, 3.0], &[3.0, 3.0], 95.0).unwrap();
        assert!(!estimate.proven && close(estimate.p, 1.0), "{test}");
        assert_eq!(judge(test, &[3.0], &[4.0, 5.0], 95.0), Err(NoTest::TooFew));
    }
}

#[test]
fn ranks_cannot_be_had_from_a_summary() {
    let (summary, _) = sorted(&[1.0, 2.0]);
    let side = Side::of(&summary, &[]);
    let result = find("mann-whitney").unwrap().estimate(side, side, Confidence::DEFAULT);
    assert_eq!(result, Err(NoTest::OnlySummary));
}

/// What ministat printed for 22 pairs of sets at its six levels: fixtures/compare/ministat-runs.txt.
#[test]
fn student_has_ministats_figures_to_the_last_digit() {
    let text = include_str!("../../../fixtures/compare/ministat-runs.txt");
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut sets, mut levels) = (0, 0);
    let numbers = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<f64>>();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, rest) = line.split_once(' ').unwrap();
        match key {
            "set" => sets += 1,
            "before" => before = numbers(rest),
            "after" => after = numbers(rest),
            "x" => row(rest, &before),
            "+" => row(rest, &after),
            level => {
                let level: f64 = level.trim_end_matches(':').parse().unwrap();
                levels += 1;
                verdict(rest, &before, &after, level);
            }
        }
    }
    assert_eq!((sets, levels), (22, 132));
}

/// `N Min Max Median Avg Stddev`, the median of an even number of values being the upper of the middle two.
fn row(printed: &str, values: &[f64]) {
    let (summary, values) = sorted(values);
    let upper = values[values.len() / 2];
    let figures = [summary.min.unwrap(), summary.max.unwrap(), upper, summary.mean, summary.sd.unwrap()];
    let ours = figures.map(|figure| general(figure, 8)).join(" ");
    assert_eq!(format!("{} {ours}", summary.n), printed);
    if values.len() % 2 == 1 {
        assert_eq!(summary.median, Some(upper));
    }
}

fn verdict(printed: &str, before: &[f64], after: &[f64], level: f64) {
    let estimate = judge("student", before, after, level).unwrap();
    if Confidence::from_percent(level) == Some(Confidence::PER_MILLE_5) {
        // The one level at which ministat's table is that of another: its quantiles are of 99.8 %.
        if printed != "none" {
            assert!(estimate.proven);
            let theirs: f64 = printed.split(' ').nth(1).unwrap().parse().unwrap();
            let wider = judge("student", before, after, 99.8).unwrap();
            assert!((wider.half_width() / theirs - 1.0).abs() < 2e-3, "{} {theirs}", wider.half_width());
        }
        return;
    }
    let (old, new) = (sorted(before).0, sorted(after).0);
    let ours = if estimate.proven {
        let percent = |value: f64| value * 100.0 / old.mean;
        let sd = pooled_sd(&old, &new).unwrap();
        let (difference, half) = (estimate.difference, estimate.half_width());
        [difference, half, percent(difference), percent(half), sd].map(|value| general(value, 6)).join(" ")
    } else {
        "none".into()
    };
    assert_eq!(ours, printed, "{level} {before:?} {after:?}");
}

fn few() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-1000i32..1000).prop_map(|value| f64::from(value) / 8.0), 1..30)
}

proptest! {
    // With ties both take the normal approximation with the same corrections; without, statrs counts only up to 8 values.
    #[test]
    fn mann_whitney_agrees_with_statrs(before in few(), after in few()) {
        let (mut all, ours) = ([before.as_slice(), &after].concat(), judge("mann-whitney", &before, &after, 95.0).unwrap());
        sort(&mut all);
        let ties = all.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_eq());
        if ties && all.first() != all.last() {
            let theirs = statrs_p(&before, &after);
            prop_assert!((ours.p - theirs).abs() < 1e-6, "{} {theirs}", ours.p);
        }
    }

    #[test]
    fn an_interval_holds_its_difference_and_proof_means_without_zero(before in few(), after in few(), percent in 50.0..99.9) {
        for test in TESTS {
            if let Ok(estimate) = judge(test.name(), &before, &after, percent) {
                prop_assert!(estimate.low <= estimate.difference && estimate.difference <= estimate.high, "{estimate:?}");
                prop_assert!((0.0..=1.0).contains(&estimate.p));
                let excludes_zero = estimate.low > 0.0 || estimate.high < 0.0;
                if test.by_means() {
                    prop_assert_eq!(estimate.proven, excludes_zero, "{:?}", estimate);
                }
            }
        }
    }

    // Swapping the sides turns the sign and nothing else.
    #[test]
    fn a_difference_has_two_directions(before in few(), after in few()) {
        for test in TESTS {
            if let (Ok(there), Ok(back)) = (judge(test.name(), &before, &after, 95.0), judge(test.name(), &after, &before, 95.0)) {
                prop_assert!((there.difference + back.difference).abs() < 1e-9);
                prop_assert!((there.p - back.p).abs() < 1e-9);
                prop_assert_eq!(there.proven, back.proven);
            }
        }
    }
}
