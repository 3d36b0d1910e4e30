//! How many connections were open, over time.

use super::axis::show;
use super::figure::{Axis, Figure, Marks, Tone, Unit};
use super::{Of, Plot, Subject};

/// Steps across the picture.
const STEPS: i64 = 512;

/// The row of [`super::PLOTS`].
pub(super) struct Concurrency;

impl Plot for Concurrency {
    fn of(&self) -> Of {
        Of::Capture
    }

    fn id(&self) -> &'static str {
        "concurrency"
    }

    fn about(&self) -> &'static str {
        "connections that were open at each moment"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Capture(trace) = subject else { return None };
        let steps = trace.concurrency(STEPS);
        let ([_, width], _) = steps.first()?;
        let mut figure = Figure::new(
            self.id(),
            "Connections open at a time".to_owned(),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("connections", Unit::Count),
        );
        figure.subtitle = format!(
            "From the first to the last packet of each, counted in steps of {}.",
            show(*width, Unit::Seconds)
        );
        let mut points: Vec<[f64; 2]> =
            steps.iter().map(|([begin, _], open)| [*begin, *open as f64]).collect();
        if let Some(([begin, length], open)) = steps.last() {
            points.push([begin + length, *open as f64]);
        }
        figure.add("open connections", Tone::Blue, Marks::step(points));
        Some(figure)
    }
}
