//! Title, subtitle and legend.

use plotters::backend::DrawingBackend;
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, Drawn, colour, line};
use super::plane::Point;
use super::series::pale;
use super::{FAINT, FINE, GAP, INK, LETTER, LINE, MARGIN, RADIUS, STROKE, WIDTH};
use crate::plot::figure::{Figure, Marks, Series, Span};
use crate::plot::format::DrawError;

/// Letters of the title.
const TITLE: i32 = 24 * FINE;
/// Width of what stands before a name in the legend, and the space behind the name.
const GLYPH: i32 = 26 * FINE;
const APART: i32 = 22 * FINE;

impl<DB: DrawingBackend> Canvas<DB> {
    /// Title, subtitle and legend; gives where the plot begins.
    pub(super) fn heading(&self, figure: &Figure) -> Result<i32, DrawError> {
        let mut y = MARGIN;
        self.text(&figure.title, (MARGIN, y), TITLE, INK, (HPos::Left, VPos::Top))?;
        y += LINE + LINE / 2;
        for text in self.wrapped(&figure.subtitle) {
            self.text(&text, (MARGIN, y), LETTER, FAINT, (HPos::Left, VPos::Top))?;
            y += LINE;
        }
        let mut x = MARGIN;
        let mut drawn = false;
        for (name, entry) in legend(figure) {
            let width = GLYPH + GAP + self.width(name, LETTER) + APART;
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + LINE);
            }
            let middle = y + LINE / 2;
            match entry {
                Entry::Series(series) => self.glyph(series, (x, middle))?,
                Entry::Span(span) => self.swatch(span, (x, middle))?,
            }
            self.text(name, (x + GLYPH + GAP, middle), LETTER, INK, (HPos::Left, VPos::Center))?;
            x += width;
            drawn = true;
        }
        Ok(y + if drawn { LINE + LINE / 2 } else { LINE / 2 })
    }

    fn wrapped(&self, text: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(last) if self.width(&format!("{last} {word}"), LETTER) <= WIDTH - 2 * MARGIN => {
                    last.push(' ');
                    last.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    fn swatch(&self, span: &Span, (x, y): Point) -> Drawn {
        let half = LETTER / 3;
        self.rectangle((x, y - half), (x + GLYPH, y + half), pale(span).filled())
    }

    /// What stands for a series in the legend.
    fn glyph(&self, series: &Series, (x, y): Point) -> Drawn {
        let ink = colour(series.tone);
        let (right, half) = (x + GLYPH, LETTER / 3);
        match &series.marks {
            Marks::Line { dashed: true, .. } | Marks::Step { dashed: true, .. } => {
                self.dashes(&[(x, y), (right, y)], line(ink, STROKE))
            }
            Marks::Line { .. } | Marks::Step { .. } => self.path(vec![(x, y), (right, y)], line(ink, STROKE)),
            Marks::Points { shape, .. } => self.point((x + GLYPH / 2, y), *shape, RADIUS, ink),
            Marks::Band { .. } => self.rectangle((x, y - half), (right, y + half), ink.mix(0.25).filled()),
            Marks::Strokes { .. } => {
                let middle = x + GLYPH / 2;
                self.path(vec![(middle, y - half), (middle, y + half)], line(ink, STROKE))
            }
            Marks::Bars { .. } | Marks::Boxes { .. } => {
                self.rectangle((x, y - half), (right, y + half), ink.filled())
            }
        }
    }
}

enum Entry<'a> {
    Series(&'a Series),
    Span(&'a Span),
}

/// Every name once: series, then spans. Spans in lanes need none, since an axis names those.
fn legend(figure: &Figure) -> Vec<(&str, Entry<'_>)> {
    let mut out: Vec<(&str, Entry<'_>)> = Vec::new();
    let series = figure.series.iter().map(|series| (series.name.as_str(), Entry::Series(series)));
    let spans = figure.spans.iter().filter(|span| span.lane[1] <= 1);
    for (name, entry) in series.chain(spans.map(|span| (span.name.as_str(), Entry::Span(span)))) {
        if !name.is_empty() && !out.iter().any(|(known, _)| *known == name) {
            out.push((name, entry));
        }
    }
    out
}
