//! Before and after a change. One comparison: every value a dot, over a box of quartiles. Several: the change of each in
//! percent, with its interval.

use super::axis::show;
use super::figure::{Annotation, Axis, Figure, Marks, QuartileBox, Scale, Shape, Tone, Unit};
use super::{Of, Plot, Subject};
use crate::report::comparison::{Comparison, SideFigures};

/// One comparison with the values it is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct ComparedValues<'a> {
    /// What came out.
    pub comparison: &'a Comparison,
    /// Values before, ascending; empty where only their summary is known.
    pub before: &'a [f64],
    /// Values after, ascending.
    pub after: &'a [f64],
}

/// At most so many dots a side.
const DOTS: usize = 2_000;
/// Height over which dots are spread, where sides are 1 apart.
const SPREAD: f64 = 0.5;
/// The fractional part of the golden ratio: its multiples spread evenly whatever their number.
const GOLDEN: f64 = 0.618_034;
/// Whiskers reach to the last value within so many interquartile ranges of the box (Tukey 1977).
const WHISKER: f64 = 1.5;

/// The row of [`super::PLOTS`].
pub(super) struct ComparisonPlot;

impl Plot for ComparisonPlot {
    fn of(&self) -> Of {
        Of::Result
    }

    fn id(&self) -> &'static str {
        "comparison"
    }

    fn about(&self) -> &'static str {
        "values before and after a change, or the changes of several metrics with their intervals"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Comparisons(list) = subject else { return None };
        match list {
            [] => None,
            [only] => Some(boxes(only)),
            several => Some(changes(several)),
        }
    }
}

/// The axis of a metric, and what its values are multiplied by.
fn axis(comparison: &Comparison) -> (Axis, f64) {
    let name = comparison.metric.as_str();
    match comparison.unit {
        Some("bit/s") => (Axis::linear(name, Unit::BitsPerSecond), 1.0),
        Some("bytes") => (Axis::linear(name, Unit::Bytes), 1.0),
        Some("ns") => (Axis::linear(name, Unit::Seconds), 1e-9),
        Some("us") => (Axis::linear(name, Unit::Seconds), 1e-6),
        Some("ms") => (Axis::linear(name, Unit::Seconds), 1e-3),
        Some("%") => (Axis::linear(name, Unit::Share), 1e-2),
        Some(unit) => (Axis::linear(&format!("{name} ({unit})"), Unit::Plain), 1.0),
        None => (Axis::linear(name, Unit::Plain), 1.0),
    }
}

fn boxes(compared: &ComparedValues<'_>) -> Figure {
    let comparison = compared.comparison;
    let (x, scale) = axis(comparison);
    let unit = x.unit;
    let side = |name: &str, n: u64| format!("{name} (n = {n})");
    let names = vec![side("before", comparison.before.n), side("after", comparison.after.n)];
    let group: String = comparison.group.iter().flat_map(|(name, value)| [", ", name, " ", value]).collect();
    let title = format!("{} before and after{group}", comparison.metric);
    let mut figure = Figure::new("comparison", title, x, Axis::names("", names));
    figure.subtitle = verdict(comparison, |value| show(value * scale, unit));
    let sides = [
        (0.0, compared.before, &comparison.before, Tone::Blue, Shape::Disc),
        (1.0, compared.after, &comparison.after, Tone::Vermillion, Shape::Square),
    ];
    let all: Vec<QuartileBox> =
        sides.iter().filter_map(|(at, values, side, ..)| quartiles(*at, values, side.mean, scale)).collect();
    figure.add("quartiles and median, mean as a diamond", Tone::Grey, Marks::Boxes { boxes: all });
    for (at, values, side, tone, shape) in sides {
        if values.is_empty() {
            summary(&mut figure, at, side, tone, scale);
        }
        let dot =
            |(n, value): (usize, &f64)| [value * scale, at + SPREAD * ((n as f64 * GOLDEN).fract() - 0.5)];
        // Of ascending values every n-th shows their spread as well as all would.
        let every = values.len().div_ceil(DOTS).max(1);
        let kept = values.iter().enumerate().filter(|(n, _)| n % every == 0 || n + 1 == values.len());
        let name = if at == 0.0 { "before" } else { "after" };
        figure.add(name, tone, Marks::points(shape, kept.map(dot).collect()));
    }
    figure
}

/// Mean and deviation of a side whose values are not at hand.
fn summary(figure: &mut Figure, at: f64, side: &SideFigures, tone: Tone, scale: f64) {
    let sd = side.sd.unwrap_or(0.0);
    let ends = vec![[(side.mean - sd) * scale, at], [(side.mean + sd) * scale, at]];
    figure.add("mean and one standard deviation", tone, Marks::line(ends));
    figure.add("", tone, Marks::points(Shape::Diamond, vec![[side.mean * scale, at]]));
}

fn quartiles(at: f64, values: &[f64], mean: f64, scale: f64) -> Option<QuartileBox> {
    let [first, median, third] = [0.25, 0.5, 0.75].map(|share| quantile(values, share));
    let (first, median, third) = (first?, median?, third?);
    let reach = WHISKER * (third - first);
    let low = values.iter().find(|value| **value >= first - reach)?.min(first);
    let high = values.iter().rev().find(|value| **value <= third + reach)?.max(third);
    Some(QuartileBox {
        at,
        whiskers: [low * scale, high * scale],
        quartiles: [first, median, third].map(|value| value * scale),
        mean: mean * scale,
    })
}

/// Linear between neighbours (type 7 of Hyndman and Fan 1996); the values ascend.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank among the values")]
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let rank = share * values.len().checked_sub(1)? as f64;
    let (below, above) = (values.get(rank.floor() as usize)?, values.get(rank.ceil() as usize)?);
    Some(below + (above - below) * rank.fract())
}

/// What the test said, in a line.
fn verdict(comparison: &Comparison, shown: impl Fn(f64) -> String) -> String {
    let test = match comparison.test {
        "student" => "Student's t",
        "welch" => "Welch's t",
        "mann-whitney" => "Mann-Whitney",
        other => other,
    };
    let confidence = comparison.confidence;
    if !comparison.proven {
        return format!("No difference proven at {confidence}% confidence ({test})");
    }
    let percent = comparison.percent.map(|percent| format!(" ({percent:+.2}%)")).unwrap_or_default();
    let interval = comparison.interval.map(|half| format!(" ± {}", shown(half))).unwrap_or_default();
    let difference = shown(comparison.difference);
    format!("Difference at {confidence}% confidence: {difference}{interval}{percent} ({test})")
}

/// Each change with its interval, in percent of the value before.
fn changes(list: &[ComparedValues<'_>]) -> Figure {
    let several = list.iter().any(|row| row.comparison.metric != list[0].comparison.metric);
    let name = |comparison: &Comparison| -> String {
        let group = comparison.group.iter().map(|(name, value)| format!("{name} {value}"));
        let metric = (several || comparison.group.is_empty()).then(|| comparison.metric.clone());
        metric.into_iter().chain(group).collect::<Vec<_>>().join(", ")
    };
    let names = list.iter().map(|row| name(row.comparison)).collect();
    let metric = &list[0].comparison.metric;
    let title = if several { "Change of each metric".to_owned() } else { format!("Change of {metric}") };
    let x = Axis::from_zero("change against before", Unit::Share);
    let mut figure = Figure::new("comparison", title, x, Axis::names("", names));
    let confidence = list[0].comparison.confidence;
    figure.subtitle = format!("After minus before, with intervals of {confidence}% confidence");
    let rows = list.len() as f64;
    figure.add("", Tone::Grey, Marks::Line { points: vec![[0.0, -0.5], [0.0, rows - 0.5]], dashed: true });
    for (proven, title, tone, shape) in [
        (true, "difference proven", Tone::Vermillion, Shape::Disc),
        (false, "no difference proven", Tone::Blue, Shape::Ring),
    ] {
        let mut points = Vec::new();
        for (at, row) in list.iter().enumerate().filter(|(_, row)| row.comparison.proven == proven) {
            let (at, comparison) = (at as f64, row.comparison);
            let Some(percent) = comparison.percent.map(|percent| percent / 100.0) else {
                let text = "no percentage: the value before is 0".to_owned();
                figure.annotations.push(Annotation { at: [0.0, at], text, tone: Tone::Grey });
                continue;
            };
            if let Some(half) = comparison.percent_interval.map(|half| half / 100.0) {
                figure.add("", tone, Marks::line(vec![[percent - half, at], [percent + half, at]]));
            }
            points.push([percent, at]);
        }
        figure.add(title, tone, Marks::points(shape, points));
    }
    debug_assert!(matches!(figure.y.scale, Scale::Names(_)));
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    // R: quantile(c(1, 2, 4, 8), c(.25, .5, .75)) gives 1.75, 3, 5.
    #[test]
    fn quartiles_are_those_of_r() {
        let found = quartiles(0.0, &[1.0, 2.0, 4.0, 8.0], 3.75, 1.0).unwrap();
        assert_eq!(format!("{:?} {:?}", found.quartiles, found.whiskers), "[1.75, 3.0, 5.0] [1.0, 8.0]");
    }

    // R: boxplot.stats(c(1, 2, 3, 4, 100))$stats gives 1 2 3 4 4; the 100 lies beyond the whisker.
    #[test]
    fn an_outlier_is_beyond_the_whisker() {
        let found = quartiles(0.0, &[1.0, 2.0, 3.0, 4.0, 100.0], 22.0, 1.0).unwrap();
        assert_eq!(format!("{:?} {:?}", found.quartiles, found.whiskers), "[2.0, 3.0, 4.0] [1.0, 4.0]");
        assert_eq!(quantile(&[], 0.5), None);
    }
}
