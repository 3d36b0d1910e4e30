//! Sorts the values of both sides by metric and group, tests each pair, and corrects for the number of tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assumption;
use super::confidence::Confidence;
use super::effect::Effect;
use super::error::CompareError;
use super::general::general;
use super::group::By;
use super::holm;
use super::metric::{self, Metric};
use super::power;
use super::sample::{Kind, Observation, Sample};
use super::summary::Summary;
use super::test::{Estimate, NoTest, Side, Test, pooled_sd};
use crate::plot::ComparedValues;
use crate::report::SCHEMA;
use crate::report::comparison::{Comparison, Needed, SideFigures};

/// So many runs a side are enough to leave their intervals aside.
const RUNS_ENOUGH: usize = 3;

/// Values that each rank test must have more of than a t test: Pitman's efficiency of ranks is 3/pi for normal values.
const RANKS_NEED: f64 = std::f64::consts::PI / 3.0;

/// What a value is to be where an input has both whole runs and their intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// Runs where both sides have three or more, else intervals where both have them, else runs.
    #[default]
    Auto,
    /// Whole runs.
    Runs,
    /// Parts of runs.
    Intervals,
}

/// Over which tests Holm's correction is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// The metrics of a group: each group is a question of its own.
    #[default]
    Metrics,
    /// All tests of the run.
    All,
    /// None.
    None,
}

/// What to compare and how.
#[derive(Clone)]
pub struct Plan {
    /// The metrics; none means the default one.
    pub metrics: Vec<Metric>,
    /// What to group by; none compares all values of a side at once.
    pub by: Vec<By>,
    /// Labels that tell the sides apart or group them, and so are no metrics when all are asked for.
    pub not_metrics: BTreeSet<String>,
    /// The test.
    pub test: &'static dyn Test,
    /// The level of confidence.
    pub confidence: Confidence,
    /// What one value is.
    pub values: Values,
    /// Over which tests to correct.
    pub correction: Correction,
}

/// One comparison, and the values it is drawn from.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The result.
    pub comparison: Comparison,
    /// Values before, ascending; empty where only their summary is known.
    pub before: Vec<f64>,
    /// Values after, ascending; empty where only their summary is known.
    pub after: Vec<f64>,
    /// Where the values before come from.
    pub before_sources: Vec<Arc<str>>,
    /// Where the values after come from.
    pub after_sources: Vec<Arc<str>>,
    /// Why there was no test.
    pub no_test: Option<NoTest>,
}

impl Compared {
    /// What a plot shows of it.
    pub fn values(&self) -> ComparedValues<'_> {
        ComparedValues { comparison: &self.comparison, before: &self.before, after: &self.after }
    }
}

/// All comparisons of a run.
#[derive(Clone, Debug)]
pub struct Compares {
    /// In the order of the metrics asked for, and within one in the order of the groups' appearance.
    pub list: Vec<Compared>,
    /// Groups that only one side has: the side and the group.
    pub unmatched: Vec<(&'static str, String)>,
}

type Key = (usize, String, Vec<String>);

/// Values of one metric in one group on one side.
#[derive(Clone, Debug, Default)]
struct Bucket {
    order: usize,
    runs: Vec<Observation>,
    intervals: Vec<Observation>,
    sources: BTreeSet<Arc<str>>,
}

/// Compares the values of two sides.
///
/// # Errors
///
/// [`CompareError`], where a metric or a group in common is missing.
pub fn compare(before: &[Sample], after: &[Sample], plan: &Plan) -> Result<Compares, CompareError> {
    let metrics = resolve(before, after, plan)?;
    let (old, mut new) = (sort(before, &metrics, plan), sort(after, &metrics, plan));
    for (index, metric) in metrics.iter().enumerate() {
        present("before", index, metric, &old, before, plan)?;
        present("after", index, metric, &new, after, plan)?;
    }
    let mut unmatched = Vec::new();
    let mut pairs = Vec::new();
    for (key, before) in old {
        match new.remove(&key) {
            Some(after) => pairs.push((key, before, after)),
            None => unmatched.push(("before", named(&key, plan))),
        }
    }
    unmatched.extend(new.keys().map(|key| ("after", named(key, plan))));
    if pairs.is_empty() && plan.by.is_empty() {
        let (before, after) = (list(&names(before, plan)), list(&names(after, plan)));
        return Err(CompareError::NothingInCommon { before, after });
    }
    if pairs.is_empty() {
        return Err(no_group(plan));
    }
    pairs.sort_by_key(|(key, before, _)| (key.0, before.order));
    let mut list: Vec<Compared> =
        pairs.into_iter().filter_map(|(key, before, after)| one(key, before, after, plan)).collect();
    correct(&mut list, plan);
    Ok(Compares { list, unmatched })
}

/// Complains where a side has no value of a metric that was asked for by name.
fn present(
    side: &'static str,
    index: usize,
    metric: &Metric,
    buckets: &BTreeMap<Key, Bucket>,
    samples: &[Sample],
    plan: &Plan,
) -> Result<(), CompareError> {
    if *metric == Metric::All || buckets.keys().any(|key| key.0 == index) {
        return Ok(());
    }
    let names = names(samples, plan);
    // The metric is there, but what to group by is not.
    if names.iter().any(|name| metric.name_of(name).is_some()) {
        return Err(no_group(plan));
    }
    Err(CompareError::NoMetric { metric: metric.to_string(), side, found: list(&names) })
}

fn no_group(plan: &Plan) -> CompareError {
    CompareError::NoGroup { by: plan.by.iter().map(By::name).collect::<Vec<_>>().join(", ") }
}

/// The metrics to compare: those asked for, or the default one, or the only one in common.
fn resolve(before: &[Sample], after: &[Sample], plan: &Plan) -> Result<Vec<Metric>, CompareError> {
    if !plan.metrics.is_empty() {
        return Ok(plan.metrics.clone());
    }
    let (old, new) = (names(before, plan), names(after, plan));
    // A bare column is of whatever metric the other side has.
    let common: BTreeSet<&str> = match (old.contains(""), new.contains("")) {
        (true, true) => BTreeSet::from([metric::NAMELESS]),
        (true, false) => new.iter().map(|name| &**name).collect(),
        (false, true) => old.iter().map(|name| &**name).collect(),
        (false, false) => old.intersection(&new).map(|name| &**name).collect(),
    };
    if common.contains(metric::DEFAULT_METRIC) {
        return Ok(vec![Metric::Named(metric::DEFAULT_METRIC.into())]);
    }
    let mut each = common.iter();
    match (each.next(), each.next()) {
        (None, _) => Err(CompareError::NothingInCommon { before: list(&old), after: list(&new) }),
        (Some(only), None) => Ok(vec![Metric::Named((*only).into())]),
        _ => Err(CompareError::Ambiguous { found: common.into_iter().collect::<Vec<_>>().join(", ") }),
    }
}

/// The metrics that a side has values of.
fn names(samples: &[Sample], plan: &Plan) -> BTreeSet<Arc<str>> {
    let mut names = BTreeSet::new();
    for sample in samples {
        if !names.contains(&sample.metric) && !plan.not_metrics.contains(&*sample.metric) {
            names.insert(Arc::clone(&sample.metric));
        }
    }
    names
}

fn list(names: &BTreeSet<Arc<str>>) -> String {
    let shown: Vec<&str> =
        names.iter().map(|name| if name.is_empty() { metric::NAMELESS } else { &**name }).collect();
    if shown.is_empty() { "none".into() } else { shown.join(", ") }
}

/// Puts each value into the bucket of its metric and group.
fn sort(samples: &[Sample], metrics: &[Metric], plan: &Plan) -> BTreeMap<Key, Bucket> {
    let mut buckets: BTreeMap<Key, Bucket> = BTreeMap::new();
    for sample in samples {
        let Some(group) =
            plan.by.iter().map(|by| by.of(sample).map(str::to_owned)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        for (index, metric) in metrics.iter().enumerate() {
            if *metric == Metric::All && plan.not_metrics.contains(&*sample.metric) {
                continue;
            }
            let Some(name) = metric.name_of(&sample.metric) else { continue };
            let order = buckets.len();
            let bucket = buckets
                .entry((index, name.to_owned(), group.clone()))
                .or_insert_with(|| Bucket { order, ..Bucket::default() });
            match sample.kind {
                Kind::Run => bucket.runs.push(sample.observation),
                Kind::Interval => bucket.intervals.push(sample.observation),
            }
            if !bucket.sources.contains(&sample.source) {
                bucket.sources.insert(Arc::clone(&sample.source));
            }
        }
    }
    buckets
}

fn named(key: &Key, plan: &Plan) -> String {
    let group = plan.by.iter().zip(&key.2).map(|(by, value)| format!("{}={value}", by.name()));
    std::iter::once(key.1.clone()).chain(group).collect::<Vec<_>>().join(" ")
}

/// The values of a bucket, ascending, and their summary; no values where a summary is among them.
fn gather(observations: &[Observation]) -> Option<(Summary, Vec<f64>)> {
    let mut values = Vec::new();
    let mut parts = Vec::new();
    for observation in observations {
        match observation {
            Observation::Value(value) => values.push(*value),
            Observation::Summary(summary) => parts.push(*summary),
        }
    }
    let own = Summary::of(&mut values);
    if parts.is_empty() {
        return Some((own?, values));
    }
    parts.extend(own);
    Some((Summary::merge(&parts)?, Vec::new()))
}

/// Which of a pair's values to take.
fn kind(before: &Bucket, after: &Bucket, wanted: Values) -> Kind {
    let both = |count: fn(&Bucket) -> usize, least| count(before) >= least && count(after) >= least;
    let intervals = both(|bucket| bucket.intervals.len(), 1);
    match wanted {
        Values::Intervals => Kind::Interval,
        Values::Auto if intervals && !both(|bucket| bucket.runs.len(), RUNS_ENOUGH) => Kind::Interval,
        Values::Auto | Values::Runs => Kind::Run,
    }
}

/// Compares one metric in one group; `None` where a side has no value of the kind asked for.
fn one(key: Key, before: Bucket, after: Bucket, plan: &Plan) -> Option<Compared> {
    let kind = kind(&before, &after, plan.values);
    let take = |bucket: &Bucket| match kind {
        Kind::Run => gather(&bucket.runs),
        Kind::Interval => gather(&bucket.intervals),
    };
    let ((old, old_values), (new, new_values)) = (take(&before)?, take(&after)?);
    let (old_side, new_side) = (Side::of(&old, &old_values), Side::of(&new, &new_values));
    let tested = plan.test.estimate(old_side, new_side, plan.confidence);
    let estimate = tested.ok();
    let percent_of = |value: f64| {
        let base = estimate.map_or_else(|| old.mean.abs(), |estimate| estimate.base);
        Some(value * 100.0 / base).filter(|percent| percent.is_finite())
    };
    let difference = estimate.map_or(new.mean - old.mean, |estimate| estimate.difference);
    let finite = |pick: fn(&Estimate) -> f64| estimate.as_ref().map(pick).filter(|value| value.is_finite());
    let effect = Effect::of(&old, &new);
    let (_, metric, group) = key;
    let shown = |value: f64| {
        let (unit, scale) = metric::readable(&metric, value.abs());
        let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
        general(value / scale, 6) + &unit
    };
    let warnings = assumption::broken(old_side, new_side, kind, plan.test, &shown);
    let comparison = Comparison {
        schema: SCHEMA,
        unit: metric::unit(&metric),
        metric,
        group: plan.by.iter().map(|by| by.name().to_owned()).zip(group).collect(),
        values: if kind == Kind::Run { "run" } else { "interval" },
        before: figures(&old),
        after: figures(&new),
        difference,
        interval: finite(Estimate::half_width),
        low: finite(|estimate| estimate.low),
        high: finite(|estimate| estimate.high),
        percent: percent_of(difference),
        percent_interval: finite(Estimate::half_width).and_then(percent_of),
        pooled_sd: pooled_sd(&old, &new),
        confidence: plan.confidence.percent(),
        proven: estimate.is_some_and(|estimate| estimate.proven),
        test: plan.test.name(),
        statistic: finite(|estimate| estimate.statistic),
        df: estimate.and_then(|estimate| estimate.df),
        p: finite(|estimate| estimate.p),
        p_holm: finite(|estimate| estimate.p),
        cohens_d: effect.map(|effect| effect.cohens_d),
        hedges_g: effect.map(|effect| effect.hedges_g),
        needed: needed(&old, &new, effect, estimate.as_ref(), plan),
        warnings,
    };
    Some(Compared {
        comparison,
        before: old_values,
        after: new_values,
        before_sources: before.sources.into_iter().collect(),
        after_sources: after.sources.into_iter().collect(),
        no_test: tested.err(),
    })
}

fn figures(summary: &Summary) -> SideFigures {
    let Summary { n, min, max, median, mean, sd } = *summary;
    SideFigures { n, min, max, median, mean, sd }
}

/// What it would take to prove a difference of the size seen, where one was seen and not proven.
fn needed(
    before: &Summary,
    after: &Summary,
    effect: Option<Effect>,
    estimate: Option<&Estimate>,
    plan: &Plan,
) -> Option<Needed> {
    let effect = effect.filter(|effect| effect.cohens_d != 0.0)?;
    if estimate.is_some_and(|estimate| estimate.proven) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 1.05 million")]
    let by_test = |n: u64| if plan.test.by_means() { n } else { (n as f64 * RANKS_NEED).ceil() as u64 };
    let per_side = power::values_per_side(effect.cohens_d, plan.confidence).map(by_test);
    Some(Needed {
        power: power::POWER,
        per_side,
        more_before: per_side.map(|n| n.saturating_sub(before.n)),
        more_after: per_side.map(|n| n.saturating_sub(after.n)),
    })
}

/// Holm's correction, family by family; a test that stands alone keeps its own verdict.
fn correct(list: &mut [Compared], plan: &Plan) {
    let mut families: BTreeMap<BTreeMap<String, String>, Vec<usize>> = BTreeMap::new();
    for (index, compared) in list.iter().enumerate() {
        let family = match plan.correction {
            Correction::None => continue,
            Correction::All => BTreeMap::new(),
            Correction::Metrics => compared.comparison.group.clone(),
        };
        if compared.comparison.p.is_some() {
            families.entry(family).or_default().push(index);
        }
    }
    for family in families.into_values().filter(|family| family.len() > 1) {
        let p: Vec<f64> = family
            .iter()
            .map(|index| list.get(*index).and_then(|compared| compared.comparison.p).unwrap_or(1.0))
            .collect();
        for (index, adjusted) in family.into_iter().zip(holm::adjust(&p)) {
            if let Some(compared) = list.get_mut(index) {
                compared.comparison.p_holm = Some(adjusted);
                compared.comparison.proven = adjusted < plan.confidence.alpha();
            }
        }
    }
}
