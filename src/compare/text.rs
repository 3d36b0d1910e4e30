//! Comparisons as text for people: ministat's picture, table and verdict, then what else should be known.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::confidence::Confidence;
use super::dot_plot;
use super::effect::Effect;
use super::engine::{Compared, Compares, Correction, Plan};
use super::general::general;
use super::metric;
use super::power::LIMIT;
use super::summary::Summary;
use super::test::NoTest;
use crate::output::escape;
use crate::report::comparison::{Comparison, SideFigures};

/// How the text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Characters between the borders of a picture; `None` for no picture.
    pub plot_width: Option<usize>,
}

/// Writes all comparisons, and a table of verdicts where there are several.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn write(out: &mut impl Write, compares: &Compares, plan: &Plan, look: Look) -> fmt::Result {
    for (index, compared) in compares.list.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        one(out, compared, plan, look)?;
    }
    if compares.list.len() > 1 {
        writeln!(out)?;
        verdicts(out, compares, plan)?;
    }
    for (side, group) in &compares.unmatched {
        writeln!(out, "not compared: {} is only {side}", escape(group))?;
    }
    Ok(())
}

/// One comparison.
fn one(out: &mut impl Write, compared: &Compared, plan: &Plan, look: Look) -> fmt::Result {
    let comparison = &compared.comparison;
    let (unit, scale) = shown_unit(comparison);
    let (before, after) = (scaled(&comparison.before, scale), scaled(&comparison.after, scale));
    let unit = unit.map(|unit| format!(" in {unit}")).unwrap_or_default();
    writeln!(out, "{}{unit}{}", escape(&comparison.metric), group(comparison))?;
    let kind = if comparison.values == "interval" { ", by interval" } else { "" };
    writeln!(out, "x before: {}{kind}", files(&compared.before_sources))?;
    writeln!(out, "+ after:  {}{kind}", files(&compared.after_sources))?;
    if let Some(width) = look.plot_width {
        let values = |values: &[f64]| values.iter().map(|value| value / scale).collect::<Vec<_>>();
        let (old, new) = (values(&compared.before), values(&compared.after));
        for line in dot_plot::draw((&before, &old), (&after, &new), width) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out, "    N           Min           Max        Median           Avg        Stddev")?;
    for (mark, side) in [('x', &before), ('+', &after)] {
        row(out, mark, side)?;
    }
    verdict(out, compared, plan, scale)?;
    for warning in &comparison.warnings {
        writeln!(out, "warning: {}", warning.text)?;
    }
    Ok(())
}

/// A row of ministat's table, `-` for what is not known.
fn row(out: &mut impl Write, mark: char, side: &Summary) -> fmt::Result {
    write!(out, "{mark} {:>3}", side.n)?;
    for value in [side.min, side.max, side.median, Some(side.mean), side.sd] {
        let text = value.map_or_else(|| "-".into(), |value| general(value, 8));
        write!(out, " {text:>13}")?;
    }
    writeln!(out)
}

fn verdict(out: &mut impl Write, compared: &Compared, plan: &Plan, scale: f64) -> fmt::Result {
    let comparison = &compared.comparison;
    let six = |value: f64| general(value, 6);
    if comparison.proven {
        writeln!(out, "Difference at {} confidence", plan.confidence)?;
    } else {
        writeln!(out, "No difference proven at {} confidence", plan.confidence)?;
    }
    if let Some(reason) = compared.no_test {
        return writeln!(out, "\t({})", no_test(reason, plan));
    }
    let (difference, title) = (comparison.difference / scale, plan.test.title());
    let pooled = comparison.pooled_sd.filter(|_| plan.test.pools());
    let pooled = pooled.map(|sd| format!(", pooled s = {}", six(sd / scale))).unwrap_or_default();
    let symmetric = plan.test.by_means();
    match (comparison.interval, comparison.low, comparison.high) {
        (Some(interval), ..) if symmetric => {
            writeln!(out, "\t{} +/- {}", six(difference), six(interval / scale))?;
        }
        (_, Some(low), Some(high)) => {
            writeln!(out, "\t{}, from {} to {}", six(difference), six(low / scale), six(high / scale))?;
        }
        _ => writeln!(out, "\t{}, too few values to bound it at this confidence", six(difference))?,
    }
    match (comparison.percent, comparison.percent_interval, comparison.low, comparison.high) {
        (Some(percent), Some(interval), ..) if symmetric => {
            writeln!(out, "\t{}% +/- {}%", six(percent), six(interval))?;
        }
        // The base of the percentages is not in the comparison, but both ends are to the difference as their percentages are.
        (Some(percent), _, Some(low), Some(high)) if comparison.difference != 0.0 => {
            let [low, high] = [low, high].map(|end| end / comparison.difference * percent);
            // Against a difference of nearly nothing an end is beyond all numbers.
            if low.is_finite() && high.is_finite() {
                writeln!(out, "\t{}%, from {}% to {}%", six(percent), six(low), six(high))?;
            }
        }
        _ => {}
    }
    let p = comparison.p.map(|p| format!(", p = {}", general(p, 3))).unwrap_or_default();
    let holm = comparison.p_holm.filter(|holm| Some(*holm) != comparison.p);
    let holm = holm.map(|holm| format!(", {} after Holm's correction", general(holm, 3))).unwrap_or_default();
    writeln!(out, "\t({title}{pooled}{p}{holm})")?;
    if let (Some(cohens_d), Some(hedges_g)) = (comparison.cohens_d, comparison.hedges_g) {
        let word = Effect { cohens_d, hedges_g }.word();
        writeln!(
            out,
            "Effect: Cohen's d = {}, Hedges' g = {} ({word})",
            general(cohens_d, 3),
            general(hedges_g, 3)
        )?;
    }
    if let Some(needed) = comparison.needed {
        let chance = needed.power * 100.0;
        match (needed.per_side, needed.more_before, needed.more_after) {
            (Some(per_side), Some(before), Some(after)) => writeln!(
                out,
                "To prove a difference of this size with {chance}% chance: {per_side} values a side, \
                 {before} more before and {after} more after"
            )?,
            _ => writeln!(out, "Not even {LIMIT} values a side would prove a difference of this size")?,
        }
    }
    Ok(())
}

fn no_test(reason: NoTest, plan: &Plan) -> String {
    match reason {
        NoTest::Empty => "no value on a side".into(),
        NoTest::TooFew => "a single value has no scatter to judge a difference by".into(),
        NoTest::OnlySummary => {
            format!("{} needs the values, and only their summary is known", plan.test.title())
        }
    }
}

/// A line for each comparison, and how many differ.
fn verdicts(out: &mut impl Write, compares: &Compares, plan: &Plan) -> fmt::Result {
    let rows: Vec<(String, &Comparison)> = compares
        .list
        .iter()
        .map(|compared| {
            (
                format!("{}{}", escape(&compared.comparison.metric), group(&compared.comparison)),
                &compared.comparison,
            )
        })
        .collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let cell = |value: Option<f64>, digits| value.map_or_else(|| "-".into(), |value| general(value, digits));
    writeln!(
        out,
        "{:width$}  {:>11} {:>11} {:>9} {:>9} {:>9}",
        "", "before", "after", "change", "p", "p (Holm)"
    )?;
    for (name, comparison) in &rows {
        let (_, scale) = shown_unit(comparison);
        let change = comparison.percent.map_or_else(|| "-".into(), |percent| format!("{percent:+.1}%"));
        writeln!(
            out,
            "{name:width$}  {:>11} {:>11} {change:>9} {:>9} {:>9}  {}",
            general(comparison.before.mean / scale, 6),
            general(comparison.after.mean / scale, 6),
            cell(comparison.p, 3),
            cell(comparison.p_holm, 3),
            if comparison.proven { "differs" } else { "no difference proven" }
        )?;
    }
    let proven = rows.iter().filter(|(_, comparison)| comparison.proven).count();
    write!(out, "{proven} of {} differ at {} confidence", rows.len(), plan.confidence)?;
    out.write_str(match plan.correction {
        Correction::None => ", each taken alone",
        Correction::All => ", corrected for the number of all tests (Holm)",
        Correction::Metrics if plan.by.is_empty() => ", corrected for the number of metrics (Holm)",
        Correction::Metrics => ", each group taken alone (--correction all corrects for their number)",
    })?;
    writeln!(out)
}

/// The unit to print in, from the greater of the two means.
fn shown_unit(comparison: &Comparison) -> (Option<&'static str>, f64) {
    metric::readable(&comparison.metric, comparison.before.mean.abs().max(comparison.after.mean.abs()))
}

fn scaled(side: &SideFigures, scale: f64) -> Summary {
    let by = |value: Option<f64>| value.map(|value| value / scale);
    Summary {
        n: side.n,
        min: by(side.min),
        max: by(side.max),
        median: by(side.median),
        mean: side.mean / scale,
        sd: by(side.sd),
    }
}

fn group(comparison: &Comparison) -> String {
    let group = comparison.group.iter();
    escape(&group.fold(String::new(), |text, (name, value)| text + " " + name + "=" + value)).into_owned()
}

/// The first two files by name, and how many more.
fn files(files: &[Arc<str>]) -> String {
    let shown: Vec<&str> = files.iter().take(2).map(|file| &**file).collect();
    let more = files.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    escape(&shown.join(", ")).into_owned() + &more
}

/// Where the figures at a level of confidence are not ministat's, though the test is its own.
pub fn ministat_note(confidence: Confidence) -> Option<&'static str> {
    (confidence == Confidence::PER_MILLE_5).then_some(
        "ministat's table of t for 99.5% holds the quantiles of 99.8%: its intervals are wider than these",
    )
}
