//! A figure to SVG or PNG: the only file that knows plotters.
//!
//! Both are drawn on a canvas of `FINE` times the size, since plotters counts whole pixels: SVG is then shown smaller, PNG
//! averaged, which smooths its edges. Letters of PNGs, and their widths in both, come from `DejaVu` Sans, which a crate carries:
//! the same figure gives the same bytes on a machine without fonts.

use std::sync::LazyLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontFamily, FontStyle, FontTransform, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle,
    register_font,
};

use super::axis::{Laid, lay};
use super::figure::{Bar, Figure, Marks, QuartileBox, Scale, Series, Shape, Span, Tone};
use super::format::DrawError;
use super::palette;

/// Size of a picture in pixels.
pub const SIZE: (u32, u32) = (1200, 700);

/// Points of the canvas in a pixel.
const FINE: i32 = 2;
const WIDTH: i32 = 1200 * FINE;
const HEIGHT: i32 = 700 * FINE;

const MARGIN: i32 = 22 * FINE;
const TITLE: i32 = 24 * FINE;
const LETTER: i32 = 17 * FINE;
const SMALL: i32 = 16 * FINE;
/// Between the baselines of two lines of text.
const LINE: i32 = 22 * FINE;
/// From the frame to a tick's label.
const GAP: i32 = 8 * FINE;
/// Width of what stands before a name in the legend, and the space behind the name.
const GLYPH: i32 = 26 * FINE;
const APART: i32 = 22 * FINE;
/// A line, the radius of a point, and that of a speck.
const STROKE: u32 = 3;
const RADIUS: i32 = 9;
const SPECK: i32 = 3;
/// Points are drawn smaller where there are more than so many of a kind.
const MANY: usize = 150;
/// A stroke is at least so long, so that a single segment of a long transfer can be seen.
const SHORTEST: i32 = 4;
/// Length of a dash and of the gap behind it.
const DASH: f64 = 14.0;

/// plotters puts the letters of a bitmap higher than those of an SVG, by this share of their size.
const BITMAP_DROP: f64 = 0.14;

const GRID: RGBColor = RGBColor(0xe4, 0xe4, 0xe4);
const FRAME: RGBColor = RGBColor(0x60, 0x60, 0x60);
const INK: RGBColor = RGBColor(0x1a, 0x1a, 0x1a);
const FAINT: RGBColor = RGBColor(0x50, 0x50, 0x50);

/// Whether the font could be registered.
static FONT: LazyLock<bool> =
    LazyLock::new(|| register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular()).is_ok());

/// The figure as an SVG document, with its title as the text that is read aloud.
pub fn svg(figure: &Figure) -> Result<String, DrawError> {
    let mut text = String::new();
    draw(figure, SVGBackend::with_string(&mut text, canvas_size()).into_drawing_area(), 0.0)?;
    let body = text.split_once('>').map_or("", |(_, body)| body).replace(" opacity=\"1\"", "");
    let (width, height) = SIZE;
    let title = escape(&figure.title);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>{body}"
    ))
}

/// The figure as a PNG file.
pub fn png(figure: &Figure) -> Result<Vec<u8>, DrawError> {
    let (width, height) = canvas_size();
    let mut fine = vec![0; 3 * width as usize * height as usize];
    draw(figure, BitMapBackend::with_buffer(&mut fine, (width, height)).into_drawing_area(), BITMAP_DROP)?;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&averaged(&fine))?;
        writer.finish()
    });
    written.map_err(|error| DrawError(error.to_string()))?;
    Ok(out)
}

const fn canvas_size() -> (u32, u32) {
    (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs())
}

/// Each pixel the mean of its points.
fn averaged(fine: &[u8]) -> Vec<u8> {
    let (factor, stride) = (FINE.unsigned_abs() as usize, 3 * canvas_size().0 as usize);
    let mut out = Vec::with_capacity(fine.len() / (factor * factor));
    for rows in fine.chunks_exact(stride * factor) {
        for x in (0..stride).step_by(3 * factor) {
            for colour in 0..3 {
                let points = (0..factor).flat_map(|row| (0..factor).map(move |column| (row, column)));
                let sum: usize = points
                    .filter_map(|(row, column)| rows.get(row * stride + x + 3 * column + colour))
                    .map(|value| usize::from(*value))
                    .sum();
                out.push(u8::try_from(sum / (factor * factor)).unwrap_or(u8::MAX));
            }
        }
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn draw<DB: DrawingBackend>(
    figure: &Figure,
    area: DrawingArea<DB, Shift>,
    drop: f64,
) -> Result<(), DrawError> {
    if !*FONT {
        return Err(DrawError("its font cannot be read".to_owned()));
    }
    let canvas = Canvas { area, drop };
    canvas.area.fill(&RGBColor(255, 255, 255)).map_err(|error| DrawError(error.to_string()))?;
    let (x, y) = lay(figure);
    let top = canvas.heading(figure)?;
    let bottom = HEIGHT - MARGIN - 2 * LINE;
    let y_ticks = y.ticks(if matches!(figure.y.scale, Scale::Names(_)) { usize::MAX } else { 8 });
    let widest = y_ticks.iter().map(|tick| canvas.width(&tick.label, SMALL)).max().unwrap_or(0);
    let name = if y.title().is_empty() { 0 } else { LINE };
    let left = MARGIN + name + widest + GAP;
    let downward = matches!(figure.y.scale, Scale::Names(_));
    let plot = Plane { left, right: WIDTH - MARGIN, top, bottom, x, y, downward };
    let (lanes, behind): (Vec<&Span>, Vec<&Span>) = figure.spans.iter().partition(|span| span.lane[1] > 1);
    behind.into_iter().try_for_each(|span| canvas.span(&plot, span))?;
    canvas.grid(&plot)?;
    lanes.into_iter().try_for_each(|span| canvas.span(&plot, span))?;
    for series in &figure.series {
        canvas.series(&plot, series)?;
    }
    for note in &figure.annotations {
        if let Some((x, y)) = plot.at(note.at) {
            let right = x > (plot.left + 4 * plot.right) / 5;
            let (x, side) = if right { (x - GAP, HPos::Right) } else { (x + GAP, HPos::Left) };
            canvas.text(&note.text, (x, y - GAP), SMALL, colour(note.tone), (side, VPos::Bottom))?;
        }
    }
    canvas.area.present().map_err(|error| DrawError(error.to_string()))
}

/// Where the data are drawn.
struct Plane<'a> {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    x: Laid<'a>,
    y: Laid<'a>,
    /// The vertical axis begins at the top, as a list of names does.
    downward: bool,
}

type Point = (i32, i32);

impl Plane<'_> {
    fn column(&self, place: f64) -> i32 {
        self.left + share(self.right - self.left, place)
    }

    fn row(&self, place: f64) -> i32 {
        let place = if self.downward { place } else { 1.0 - place };
        self.top + share(self.bottom - self.top, place)
    }

    fn at(&self, [x, y]: [f64; 2]) -> Option<Point> {
        Some((self.column(self.x.place(x)?), self.row(self.y.place(y)?)))
    }

    /// Unbroken runs of points.
    fn runs(&self, points: &[[f64; 2]]) -> Vec<Vec<Point>> {
        let places: Vec<Option<Point>> = points.iter().map(|point| self.at(*point)).collect();
        places.split(Option::is_none).map(|run| run.iter().flatten().copied().collect()).collect()
    }
}

/// A part of a length.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a canvas is small")]
fn share(length: i32, part: f64) -> i32 {
    (f64::from(length) * part.clamp(-1.0, 2.0)).round() as i32
}

fn colour(tone: Tone) -> RGBColor {
    let (red, green, blue) = palette::rgb(tone);
    RGBColor(red, green, blue)
}

fn line(colour: impl Color, width: u32) -> ShapeStyle {
    ShapeStyle::from(colour.to_rgba()).stroke_width(width)
}

struct Canvas<DB: DrawingBackend> {
    area: DrawingArea<DB, Shift>,
    /// How far letters are put lower than asked for, as a share of their size.
    drop: f64,
}

type Drawn = Result<(), DrawError>;

impl<DB: DrawingBackend> Canvas<DB> {
    fn path(&self, points: Vec<Point>, style: ShapeStyle) -> Drawn {
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

    fn polygon(&self, points: Vec<Point>, fill: RGBAColor) -> Drawn {
        self.area.draw(&Polygon::new(points, fill.filled())).map_err(|error| DrawError(error.to_string()))
    }

    fn rectangle(&self, a: Point, b: Point, style: ShapeStyle) -> Drawn {
        let corners = [(a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1))];
        self.area.draw(&Rectangle::new(corners, style)).map_err(|error| DrawError(error.to_string()))
    }

    fn circle(&self, centre: Point, radius: i32, style: ShapeStyle) -> Drawn {
        self.area.draw(&Circle::new(centre, radius, style)).map_err(|error| DrawError(error.to_string()))
    }

    fn text(&self, text: &str, at: Point, size: i32, colour: RGBColor, (h, v): (HPos, VPos)) -> Drawn {
        let style = font(size).color(&colour).pos(Pos::new(h, v));
        let at = (at.0, at.1 + share(size, self.drop));
        self.area.draw(&Text::new(spaced(text), at, style)).map_err(|error| DrawError(error.to_string()))
    }

    /// Width of a text; what the font does not know is taken to be as wide as it is long.
    fn width(&self, text: &str, size: i32) -> i32 {
        let known = self.area.estimate_text_size(&spaced(text), &font(size)).ok();
        known.and_then(|(width, _)| i32::try_from(width).ok()).unwrap_or(0)
    }

    /// Title, subtitle and legend; gives where the plot begins.
    fn heading(&self, figure: &Figure) -> Result<i32, DrawError> {
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

    fn grid(&self, plot: &Plane<'_>) -> Drawn {
        for tick in plot.y.ticks(if plot.downward { usize::MAX } else { 8 }) {
            let y = plot.row(tick.place);
            if !plot.downward {
                self.path(vec![(plot.left, y), (plot.right, y)], line(GRID, 1))?;
            }
            self.text(&tick.label, (plot.left - GAP, y), SMALL, INK, (HPos::Right, VPos::Center))?;
        }
        let mut free = i32::MIN;
        for tick in plot.x.ticks(10) {
            let x = plot.column(tick.place);
            self.path(vec![(x, plot.top), (x, plot.bottom)], line(GRID, 1))?;
            let half = self.width(&tick.label, SMALL) / 2;
            if x - half > free {
                free = x + half + GAP;
                let at = (x, plot.bottom + GAP);
                self.text(&tick.label, at, SMALL, INK, (HPos::Center, VPos::Top))?;
            }
        }
        let frame = line(FRAME, 2);
        self.path(vec![(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)], frame)?;
        let below = (i32::midpoint(plot.left, plot.right), HEIGHT - MARGIN);
        self.text(&plot.x.title(), below, LETTER, INK, (HPos::Center, VPos::Bottom))?;
        let style = font(LETTER).color(&INK).transform(FontTransform::Rotate270);
        let style = style.pos(Pos::new(HPos::Center, VPos::Top));
        let beside = (MARGIN + share(LETTER, self.drop), i32::midpoint(plot.top, plot.bottom));
        self.area
            .draw(&Text::new(spaced(&plot.y.title()), beside, style))
            .map_err(|error| DrawError(error.to_string()))
    }

    fn span(&self, plot: &Plane<'_>, span: &Span) -> Drawn {
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

    fn series(&self, plot: &Plane<'_>, series: &Series) -> Drawn {
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

    /// A line through points, or a dot where there is but one.
    fn joined(&self, run: Vec<Point>, style: ShapeStyle) -> Drawn {
        match run.as_slice() {
            [] => Ok(()),
            [only] => self.circle(*only, SPECK, style.filled()),
            _ => self.path(run, style),
        }
    }

    fn dashes(&self, run: &[Point], style: ShapeStyle) -> Drawn {
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

    fn point(&self, at: Point, shape: Shape, r: i32, ink: RGBColor) -> Drawn {
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

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a canvas is small")]
fn round(value: f64) -> i32 {
    value.round() as i32
}

fn font(size: i32) -> TextStyle<'static> {
    (FontFamily::SansSerif, f64::from(size)).into_font().into()
}

/// The font pulls a plain space too close to a T or a 7 before it, not a hard one.
fn spaced(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// A stretch as strong as it needs to be: pale behind data, full where it is the data.
fn pale(span: &Span) -> RGBAColor {
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
