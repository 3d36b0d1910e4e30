//! The canvas: lines, shapes and letters.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontFamily, FontTransform, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle,
};

use super::plane::{Point, round, share};
use super::{LETTER, SPECK, STROKE};
use crate::plot::figure::{Shape, Tone};
use crate::plot::format::DrawError;
use crate::plot::palette;

/// Length of a dash and of the gap behind it.
const DASH: f64 = 14.0;

/// What is drawn on.
pub(super) struct Canvas<DB: DrawingBackend> {
    pub(super) area: DrawingArea<DB, Shift>,
    /// How far letters are put lower than asked for, as a share of their size.
    pub(super) drop: f64,
}

pub(super) type Drawn = Result<(), DrawError>;

impl<DB: DrawingBackend> Canvas<DB> {
    pub(super) fn path(&self, points: Vec<Point>, style: ShapeStyle) -> Drawn {
        if self.drop > 0.0 && points.len() > 2 {
            // On bitmaps plotters loses the tip where a line turns back on itself, and with it every spike.
            return points.windows(2).try_for_each(|pair| self.piece(pair[0], pair[1], style));
        }
        self.area.draw(&PathElement::new(points, style)).map_err(|error| DrawError(error.to_string()))
    }

    /// A straight piece of a line; upright and level ones meet without a gap.
    fn piece(&self, a: Point, b: Point, style: ShapeStyle) -> Drawn {
        if a.0 != b.0 && a.1 != b.1 {
            return self.path(vec![a, b], style);
        }
        let below = i32::try_from(style.stroke_width / 2).unwrap_or(0);
        // plotters leaves out the last row and column of a rectangle.
        let above = i32::try_from(style.stroke_width).unwrap_or(1) - below;
        let (least, most) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
        let corners = ((least.0 - below, least.1 - below), (most.0 + above, most.1 + above));
        self.rectangle(corners.0, corners.1, style.filled())
    }

    pub(super) fn polygon(&self, points: Vec<Point>, fill: RGBAColor) -> Drawn {
        self.area.draw(&Polygon::new(points, fill.filled())).map_err(|error| DrawError(error.to_string()))
    }

    pub(super) fn rectangle(&self, a: Point, b: Point, style: ShapeStyle) -> Drawn {
        let corners = [(a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1))];
        self.area.draw(&Rectangle::new(corners, style)).map_err(|error| DrawError(error.to_string()))
    }

    pub(super) fn circle(&self, centre: Point, radius: i32, style: ShapeStyle) -> Drawn {
        self.area.draw(&Circle::new(centre, radius, style)).map_err(|error| DrawError(error.to_string()))
    }

    pub(super) fn text(
        &self,
        text: &str,
        at: Point,
        size: i32,
        colour: RGBColor,
        (h, v): (HPos, VPos),
    ) -> Drawn {
        let style = font(size).color(&colour).pos(Pos::new(h, v));
        let at = (at.0, at.1 + share(size, self.drop));
        self.area.draw(&Text::new(spaced(text), at, style)).map_err(|error| DrawError(error.to_string()))
    }

    /// A text that runs upwards.
    pub(super) fn upward(&self, text: &str, (x, y): Point, colour: RGBColor) -> Drawn {
        let style = font(LETTER).color(&colour).transform(FontTransform::Rotate270);
        let style = style.pos(Pos::new(HPos::Center, VPos::Top));
        let at = (x + share(LETTER, self.drop), y);
        self.area.draw(&Text::new(spaced(text), at, style)).map_err(|error| DrawError(error.to_string()))
    }

    /// Width of a text; what the font does not know is taken to be as wide as it is long.
    pub(super) fn width(&self, text: &str, size: i32) -> i32 {
        let known = self.area.estimate_text_size(&spaced(text), &font(size)).ok();
        known.and_then(|(width, _)| i32::try_from(width).ok()).unwrap_or(0)
    }

    /// A line through points, or a dot where there is but one.
    pub(super) fn joined(&self, run: Vec<Point>, style: ShapeStyle) -> Drawn {
        match run.as_slice() {
            [] => Ok(()),
            [only] => self.circle(*only, SPECK, style.filled()),
            _ => self.path(run, style),
        }
    }

    pub(super) fn dashes(&self, run: &[Point], style: ShapeStyle) -> Drawn {
        let mut walked = 0.0;
        for pair in run.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
            let length = (x1 - x0).hypot(y1 - y0);
            let point = |at: f64| {
                let part = if length > 0.0 { at / length } else { 0.0 };
                (round(x0 + (x1 - x0) * part), round(y0 + (y1 - y0) * part))
            };
            let mut at = 0.0;
            while at < length {
                let phase = (walked + at) % (2.0 * DASH);
                let (drawn, left) =
                    if phase < DASH { (true, DASH - phase) } else { (false, 2.0 * DASH - phase) };
                let end = (at + left.max(0.5)).min(length);
                if drawn {
                    self.path(vec![point(at), point(end)], style)?;
                }
                at = end;
            }
            walked += length;
        }
        Ok(())
    }

    pub(super) fn point(&self, at: Point, shape: Shape, r: i32, ink: RGBColor) -> Drawn {
        let (x, y) = at;
        let thin = line(ink, STROKE);
        match shape {
            Shape::Disc => self.circle(at, r - 2, ink.filled()),
            Shape::Ring => self.circle(at, r - 1, thin),
            Shape::Dot => self.circle(at, SPECK, ink.filled()),
            Shape::Square => self.rectangle((x - r + 2, y - r + 2), (x + r - 2, y + r - 2), ink.filled()),
            Shape::Up => {
                self.polygon(vec![(x - r, y + r - 2), (x + r, y + r - 2), (x, y - r)], ink.to_rgba())
            }
            Shape::Down => {
                self.polygon(vec![(x - r, y - r + 2), (x + r, y - r + 2), (x, y + r)], ink.to_rgba())
            }
            Shape::Diamond => {
                self.polygon(vec![(x - r, y), (x, y - r), (x + r, y), (x, y + r)], ink.to_rgba())
            }
            Shape::Cross => {
                let d = r - 2;
                self.path(vec![(x - d, y - d), (x + d, y + d)], thin)?;
                self.path(vec![(x - d, y + d), (x + d, y - d)], thin)
            }
            Shape::Plus => {
                self.path(vec![(x - r, y), (x + r, y)], thin)?;
                self.path(vec![(x, y - r), (x, y + r)], thin)
            }
        }
    }
}

pub(super) fn colour(tone: Tone) -> RGBColor {
    let (red, green, blue) = palette::rgb(tone);
    RGBColor(red, green, blue)
}

pub(super) fn line(colour: impl Color, width: u32) -> ShapeStyle {
    ShapeStyle::from(colour.to_rgba()).stroke_width(width)
}

fn font(size: i32) -> TextStyle<'static> {
    (FontFamily::SansSerif, f64::from(size)).into_font().into()
}

/// The font pulls a plain space too close to a T or a 7 before it, not a hard one.
fn spaced(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}
