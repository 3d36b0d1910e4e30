//! Series and spans.

use plotters::backend::DrawingBackend;
use plotters::style::{Color, RGBAColor, RGBColor};

use super::canvas::{Canvas, Drawn, colour, line};
use super::plane::{Plane, Point, share};
use super::{FINE, INK, RADIUS, STROKE};
use crate::plot::figure::{Bar, Marks, QuartileBox, Series, Shape, Span};

/// Points are drawn smaller where there are more than so many of a kind.
const MANY: usize = 150;
/// A stroke is at least so long, so that a single segment of a long transfer can be seen.
const SHORTEST: i32 = 4;

impl<DB: DrawingBackend> Canvas<DB> {
    pub(super) fn span(&self, plot: &Plane<'_>, span: &Span) -> Drawn {
        let (Some(from), Some(to)) = (plot.x.place(span.from), plot.x.place(span.to)) else { return Ok(()) };
        let (from, to) = (plot.column(from.clamp(0.0, 1.0)), plot.column(to.clamp(0.0, 1.0)));
        let [lane, lanes] = span.lane.map(f64::from);
        let height = plot.bottom - plot.top;
        let gap = if lanes > 1.0 { 0.12 } else { 0.0 };
        let top = plot.top + share(height, (lane + gap) / lanes.max(1.0));
        let bottom = plot.top + share(height, (lane + 1.0 - gap) / lanes.max(1.0));
        // What is shorter than a pixel is still to be seen.
        self.rectangle((from, top), (to.max(from + FINE), bottom), pale(span).filled())
    }

    pub(super) fn series(&self, plot: &Plane<'_>, series: &Series) -> Drawn {
        let ink = colour(series.tone);
        match &series.marks {
            Marks::Line { points, dashed } => {
                for run in plot.runs(points) {
                    if *dashed {
                        self.dashes(&run, line(ink, STROKE))?;
                    } else {
                        self.joined(run, line(ink, STROKE))?;
                    }
                }
                Ok(())
            }
            Marks::Step { points, dashed } => {
                for run in plot.runs(points) {
                    if *dashed {
                        self.dashes(&stairs(&run), line(ink, STROKE))?;
                    } else {
                        self.joined(stairs(&run), line(ink, STROKE))?;
                    }
                }
                Ok(())
            }
            Marks::Points { shape, points, .. } => {
                let radius = match points.len() / MANY {
                    0 => RADIUS,
                    1..=3 => 2 * RADIUS / 3,
                    _ => RADIUS / 2,
                };
                let mut places = points.iter().filter_map(|point| plot.at(*point));
                places.try_for_each(|at| self.point(at, *shape, radius, ink))
            }
            Marks::Band { points } => self.band(plot, points, ink),
            Marks::Strokes { points } => {
                points.iter().try_for_each(|&[x, low, high]| match (plot.at([x, low]), plot.at([x, high])) {
                    (Some(low), Some(high)) => {
                        self.path(vec![low, (high.0, high.1.min(low.1 - SHORTEST))], line(ink, STROKE))
                    }
                    _ => Ok(()),
                })
            }
            Marks::Bars { bars, sideways } => {
                bars.iter().try_for_each(|bar| self.bar(plot, bar, *sideways, ink))
            }
            Marks::Boxes { boxes } => boxes.iter().try_for_each(|row| self.quartiles(plot, row, ink)),
        }
    }

    fn band(&self, plot: &Plane<'_>, points: &[[f64; 3]], ink: RGBColor) -> Drawn {
        let sides: Vec<Option<(Point, Point)>> =
            points.iter().map(|&[x, low, high]| Some((plot.at([x, low])?, plot.at([x, high])?))).collect();
        for run in sides.split(Option::is_none) {
            let below = run.iter().flatten().map(|(low, _)| *low);
            let above = run.iter().rev().flatten().map(|(_, high)| *high);
            let outline: Vec<Point> = below.chain(above).collect();
            if outline.len() > 2 {
                self.polygon(outline, ink.mix(0.25))?;
            }
        }
        Ok(())
    }

    fn bar(&self, plot: &Plane<'_>, bar: &Bar, sideways: bool, ink: RGBColor) -> Drawn {
        let turn = |at: f64, value: f64| if sideways { [value, at] } else { [at, value] };
        let thick = 0.32;
        let flat = |(x, y): Point| if sideways { (plot.left, y) } else { (x, plot.bottom) };
        let (Some(a), Some(b)) =
            (plot.at(turn(bar.at - thick, bar.value)), plot.at(turn(bar.at + thick, bar.value)))
        else {
            return Ok(());
        };
        self.rectangle(flat(a), b, ink.mix(0.75).filled())?;
        let Some([low, high]) = bar.interval else { return Ok(()) };
        let (Some(low), Some(high)) = (plot.at(turn(bar.at, low)), plot.at(turn(bar.at, high))) else {
            return Ok(());
        };
        let style = line(INK, STROKE);
        self.path(vec![low, high], style)?;
        let arm = 5 * FINE;
        for (x, y) in [low, high] {
            let cap =
                if sideways { vec![(x, y - arm), (x, y + arm)] } else { vec![(x - arm, y), (x + arm, y)] };
            self.path(cap, style)?;
        }
        Ok(())
    }

    fn quartiles(&self, plot: &Plane<'_>, row: &QuartileBox, ink: RGBColor) -> Drawn {
        let place = |x: f64, dy: f64| plot.at([x, row.at + dy]);
        let [first, median, third] = row.quartiles;
        let (Some(low), Some(high)) = (place(row.whiskers[0], 0.0), place(row.whiskers[1], 0.0)) else {
            return Ok(());
        };
        let style = line(ink, STROKE);
        let half = 0.18;
        self.path(vec![low, high], style)?;
        for end in row.whiskers {
            if let (Some(a), Some(b)) = (place(end, -half / 2.0), place(end, half / 2.0)) {
                self.path(vec![a, b], style)?;
            }
        }
        if let (Some(a), Some(b)) = (place(first, -half), place(third, half)) {
            self.rectangle(a, b, RGBColor(255, 255, 255).filled())?;
            self.rectangle(a, b, ink.mix(0.35).filled())?;
            self.path(vec![a, (b.0, a.1), b, (a.0, b.1), a], style)?;
        }
        if let (Some(a), Some(b)) = (place(median, -half), place(median, half)) {
            self.path(vec![a, b], line(INK, 2 * STROKE))?;
        }
        place(row.mean, 0.0).map_or(Ok(()), |at| self.point(at, Shape::Diamond, RADIUS, INK))
    }
}

/// A stretch as strong as it needs to be: pale behind data, full where it is the data.
pub(super) fn pale(span: &Span) -> RGBAColor {
    colour(span.tone).mix(if span.lane[1] > 1 { 0.9 } else { 0.22 })
}

/// A value that holds until the next, as a line.
fn stairs(run: &[Point]) -> Vec<Point> {
    let mut out = Vec::with_capacity(2 * run.len());
    for pair in run.windows(2) {
        out.push(pair[0]);
        out.push((pair[1].0, pair[0].1));
    }
    out.extend(run.last());
    out
}
