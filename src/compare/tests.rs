//! The whole way from samples to text and JSON, on values that nobody measured.

use std::sync::Arc;

use proptest::prelude::*;

use super::confidence::Confidence;
use super::engine::{Correction, Plan, Values, compare};
use super::metric::Metric;
use super::sample::{Kind, Labels, MAX_VALUE, Observation, Sample};
use super::summary::Summary;
use super::test::TESTS;
use super::text::{Look, write};

fn observation() -> impl Strategy<Value = Observation> {
    let value = prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(MAX_VALUE),
        Just(-MAX_VALUE),
        Just(5e-324),
        Just(1.0),
        -1e3..1e3,
    ];
    let summary = (1u64..1_000_000_000_000, value.clone(), value.clone()).prop_map(|(n, mean, sd)| {
        let sd = (n > 1).then_some(f64::abs(sd));
        Observation::Summary(Summary { n, min: None, max: None, median: None, mean, sd })
    });
    prop_oneof![9 => value.prop_map(Observation::Value), 1 => summary]
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let sample = (observation(), any::<bool>(), 0..3usize).prop_map(|(observation, run, metric)| Sample {
        metric: Arc::from(["a_bps", "b", ""][metric]),
        observation,
        kind: if run { Kind::Run } else { Kind::Interval },
        file: Arc::from("file"),
        source: Arc::from("file"),
        labels: Arc::new(Labels::new()),
    });
    prop::collection::vec(sample, 0..20)
}

// The shift of the ranks is about 5e-324 and its ends are 1e100, so that their percentages overflow.
#[test]
fn an_end_beyond_all_numbers_is_left_out() {
    let side = |values: &[f64]| -> Vec<Sample> {
        let sample = |value: &f64| Sample {
            metric: Arc::from("a"),
            observation: Observation::Value(*value),
            kind: Kind::Run,
            file: Arc::from("file"),
            source: Arc::from("file"),
            labels: Arc::new(Labels::new()),
        };
        values.iter().map(sample).collect()
    };
    for test in TESTS {
        let plan = Plan {
            metrics: vec![],
            by: Vec::new(),
            not_metrics: std::collections::BTreeSet::new(),
            test: *test,
            confidence: Confidence::from_percent(67.2).unwrap(),
            values: Values::Auto,
            correction: Correction::None,
        };
        let compares = compare(&side(&[1e100, 5e-324]), &side(&[0.0, 1e100, 0.0]), &plan).unwrap();
        let mut text = String::new();
        write(&mut text, &compares, &plan, Look { plot_width: Some(40) }).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

proptest! {
    #[test]
    fn no_values_make_it_panic_or_prove_what_has_no_chance(before in samples(), after in samples(), percent in 1.0..99.9) {
        for test in TESTS {
            for (metrics, correction) in [(vec![], Correction::None), (vec![Metric::All], Correction::All)] {
                let plan = Plan {
                    metrics,
                    by: Vec::new(),
                    not_metrics: std::collections::BTreeSet::new(),
                    test: *test,
                    confidence: Confidence::from_percent(percent).unwrap(),
                    values: Values::Auto,
                    correction,
                };
                let Ok(compares) = compare(&before, &after, &plan) else { continue };
                let mut text = String::new();
                write(&mut text, &compares, &plan, Look { plot_width: Some(40) }).unwrap();
                prop_assert!(!text.contains("nan") && !text.contains("NaN"), "{text}");
                for compared in &compares.list {
                    let comparison = &compared.comparison;
                    prop_assert!(serde_json::to_string(comparison).is_ok());
                    prop_assert!(comparison.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
                    if comparison.proven && test.by_means() {
                        prop_assert!(comparison.difference != 0.0, "{comparison:?}");
                    }
                }
            }
        }
    }
}
