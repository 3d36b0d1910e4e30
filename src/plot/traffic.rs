//! The capture's traffic over time, all connections together.

use super::axis::show;
use super::figure::{Axis, Figure, Marks, Tone, Unit};
use super::throughput::rates;
use super::{Of, Plot, Subject};

/// Steps across the picture.
const STEPS: i64 = 256;

/// The row of [`super::PLOTS`].
pub(super) struct Traffic;

impl Plot for Traffic {
    fn of(&self) -> Of {
        Of::Capture
    }

    fn id(&self) -> &'static str {
        "traffic"
    }

    fn about(&self) -> &'static str {
        "bits a second of all connections together"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Capture(trace) = subject else { return None };
        let steps = trace.traffic(STEPS);
        let ([_, width], _) = steps.first()?;
        let mut figure = Figure::new(
            self.id(),
            "Traffic of all connections".to_owned(),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("rate", Unit::BitsPerSecond),
        );
        figure.subtitle = format!("Both directions, in steps of {}.", show(*width, Unit::Seconds));
        let [fresh, wire] = rates(&steps);
        figure.add("on the wire", Tone::Orange, Marks::step(wire));
        figure.add("new payload (goodput)", Tone::Blue, Marks::step(fresh));
        Some(figure)
    }
}
