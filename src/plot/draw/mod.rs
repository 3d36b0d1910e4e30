//! A figure to SVG or PNG: the only folder that knows plotters.
//!
//! Both are drawn on a canvas of `FINE` times the size, since plotters counts whole pixels: SVG is then shown smaller, PNG
//! averaged, which smooths its edges. Letters of PNGs, and their widths in both, come from `DejaVu` Sans, which a crate carries:
//! the same figure gives the same bytes on a machine without fonts.

mod axes;
mod canvas;
mod heading;
mod plane;
mod series;

use std::sync::LazyLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{FontStyle, RGBColor, register_font};

use canvas::{Canvas, colour};
use plane::Plane;

use super::axis::lay;
use super::figure::{Figure, Scale, Span};
use super::format::DrawError;

/// Size of a picture in pixels.
pub const SIZE: (u32, u32) = (1200, 700);

/// Points of the canvas in a pixel.
const FINE: i32 = 2;
const WIDTH: i32 = 1200 * FINE;
const HEIGHT: i32 = 700 * FINE;

const MARGIN: i32 = 22 * FINE;
const LETTER: i32 = 17 * FINE;
const SMALL: i32 = 16 * FINE;
/// Between the baselines of two lines of text.
const LINE: i32 = 22 * FINE;
/// From the frame to a tick's label.
const GAP: i32 = 8 * FINE;
/// A line, the radius of a point, and that of a speck.
const STROKE: u32 = 3;
const RADIUS: i32 = 9;
const SPECK: i32 = 3;

/// plotters puts the letters of a bitmap higher than those of an SVG, by this share of their size.
const BITMAP_DROP: f64 = 0.14;

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
