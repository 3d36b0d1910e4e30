//! How a figure is distributed, as a picture: a bar for each bin on a logarithmic axis, and the quantiles beside it.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::text::shown;
use crate::human;
use crate::output::html::markup::html;
use crate::report::fleet::{FleetBin, FleetDistribution, FleetDocument};

/// Size of the bars' field, in pixels; below it are the labels of the axis.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 60.0;

/// Labels of the axis, at most.
const LABELS: usize = 5;

/// All of them.
pub(super) fn distributions(out: &mut dyn Write, summary: &FleetDocument) -> io::Result<()> {
    if summary.distributions.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section>\n<h2>Distributions</h2>\n<div class=\"figures\">")?;
    for distribution in &summary.distributions {
        let said: Vec<String> = [
            ("min", distribution.min),
            ("p10", distribution.p10),
            ("p50", distribution.p50),
            ("p90", distribution.p90),
            ("p99", distribution.p99),
            ("max", distribution.max),
        ]
        .iter()
        .map(|(name, value)| format!("{name} {}", shown(*value, distribution.unit)))
        .collect();
        writeln!(
            out,
            "<figure><figcaption>{}, {} values: {}</figcaption>\n{}</figure>",
            html(distribution.metric),
            human::count(distribution.count),
            html(&said.join(", ")),
            picture(distribution)
        )?;
    }
    writeln!(
        out,
        "</div>\n<p class=\"note\">Each bar holds values up to twice as large as those of the bar before it; one before the axis those that are 0. \
         The band below is from p10 to p90, the mark in it the median.</p>\n</section>"
    )
}

/// Places on the axis: a bin is as wide as any other, and one for 0 stands before them.
struct Axis {
    zero: f64,
    low: f64,
    high: f64,
}

impl Axis {
    fn of(bins: &[FleetBin]) -> Self {
        let mut positive = bins.iter().filter(|bin| bin.from > 0.0);
        let low = positive.next().map_or(1.0, |bin| bin.from);
        let high = bins.last().map_or(low, |bin| bin.to.max(low));
        Self { zero: if bins.first().is_some_and(|bin| bin.from <= 0.0) { 1.0 } else { 0.0 }, low, high }
    }

    fn bins(&self) -> f64 {
        (self.zero + (self.high / self.low).log2()).max(1.0)
    }

    fn at(&self, value: f64) -> f64 {
        let place = if value < self.low { self.zero / 2.0 } else { self.zero + (value / self.low).log2() };
        place / self.bins() * WIDTH
    }
}

fn picture(distribution: &FleetDistribution) -> String {
    let FleetDistribution { unit, p10, p50, p90, bins, .. } = distribution;
    let axis = Axis::of(bins);
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1) as f64;
    let wide = WIDTH / axis.bins();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" width=\"100%\" role=\"img\" aria-label=\"{}\" fill=\"currentColor\">",
        HEIGHT + 24.0,
        html(distribution.metric)
    );
    // Writing to a String cannot fail.
    for bin in bins {
        let (left, high) =
            (if bin.from > 0.0 { axis.at(bin.from) } else { 0.0 }, bin.count as f64 / most * HEIGHT);
        let range = if bin.from > 0.0 {
            format!("{} to {}", shown(bin.from, unit), shown(bin.to, unit))
        } else {
            "0".to_owned()
        };
        let _ = write!(
            svg,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" opacity=\"0.5\"><title>{}: {}</title></rect>",
            HEIGHT - high.max(0.5),
            (wide - 1.0).max(0.5),
            high.max(0.5),
            html(&range),
            human::count(bin.count)
        );
    }
    let (from, to) = (axis.at(*p10), axis.at(*p90));
    let _ = write!(
        svg,
        "<rect x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"4\" opacity=\"0.4\"/><rect x=\"{:.1}\" y=\"{HEIGHT}\" width=\"2\" height=\"8\"/>",
        HEIGHT + 2.0,
        (to - from).max(1.0),
        axis.at(*p50) - 1.0
    );
    for (place, value) in labels(&axis) {
        let anchor = if place > WIDTH * 0.9 {
            "end"
        } else if place < WIDTH * 0.1 {
            "start"
        } else {
            "middle"
        };
        let _ = write!(
            svg,
            "<text x=\"{place:.1}\" y=\"{}\" font-size=\"11\" text-anchor=\"{anchor}\">{}</text>",
            HEIGHT + 20.0,
            html(&shown(value, unit))
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Edges of bins, evenly spread.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no more doublings than a double has"
)]
fn labels(axis: &Axis) -> Vec<(f64, f64)> {
    let doublings = (axis.high / axis.low).log2().round() as usize;
    let step = doublings.div_ceil(LABELS).max(1);
    (0..=doublings)
        .step_by(step)
        .map(|edge| {
            let value = axis.low * (edge as f64).exp2();
            (axis.at(value), value)
        })
        .collect()
}
