//! Response curves: goodput over loss or RTT, a line for each algorithm, both axes logarithmic.

use super::figure::{Axis, Figure, Marks, Shape, Unit};
use super::palette::ORDER;
use super::prediction::path;
use super::{Of, Plot, Subject};

/// Shapes of the points; with the colours they make every pair of lines differ in at least one.
const SHAPES: [Shape; 8] = [
    Shape::Disc,
    Shape::Square,
    Shape::Up,
    Shape::Diamond,
    Shape::Down,
    Shape::Ring,
    Shape::Cross,
    Shape::Plus,
];

/// The row of [`super::PLOTS`].
pub(super) struct Sweep;

impl Plot for Sweep {
    fn of(&self) -> Of {
        Of::Result
    }

    fn id(&self) -> &'static str {
        "sweep"
    }

    fn about(&self) -> &'static str {
        "goodput of each congestion control over a range of loss or RTT"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Sweep(document) = subject else { return None };
        let rtt = document.parameter == "rtt";
        // Microseconds in the document.
        let scale = if rtt { 1e-6 } else { 1.0 };
        let x =
            if rtt { Axis::log("base RTT", Unit::Seconds) } else { Axis::log("random loss", Unit::Share) };
        let over = if rtt { "round-trip time" } else { "random loss" };
        let title = format!("Goodput predicted over {over}, median of the runs");
        let mut figure = Figure::new(self.id(), title, x, Axis::log("goodput", Unit::BitsPerSecond));
        figure.subtitle = path(&document.path, Some(document.parameter));
        let names = document.points.first()?.predictions.iter().map(|row| row.cc);
        for (n, name) in names.enumerate() {
            let points: Vec<[f64; 2]> = document
                .points
                .iter()
                .filter_map(|point| {
                    let row = point.predictions.iter().find(|row| row.cc == name)?;
                    Some([point.value * scale, row.goodput_p50_bps])
                })
                .collect();
            let (tone, shape) = (ORDER[n % ORDER.len()], SHAPES[n % SHAPES.len()]);
            figure.add("", tone, Marks::Line { points: points.clone(), dashed: n >= ORDER.len() });
            figure.add(name, tone, Marks::points(shape, points));
        }
        Some(figure).filter(|figure| !figure.is_empty())
    }
}
