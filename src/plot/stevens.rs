//! Stevens' graph: each segment a dot at its first byte, as in *TCP/IP Illustrated*.

use super::figure::{Axis, Figure, Marks, Shape, Tone, Unit};
use super::{Of, Plot, Subject, marks};

/// The row of [`super::PLOTS`].
pub(super) struct Stevens;

impl Plot for Stevens {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "stevens"
    }

    fn about(&self) -> &'static str {
        "offset of each segment over time"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let mut figure = Figure::new(
            self.id(),
            view.title("Stevens graph"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("offset in the stream", Unit::Bytes),
        );
        let segments = view.trace.segments.as_slice();
        let points = segments.iter().map(|one| [view.seconds(one.at), one.low as f64]).collect();
        let frames = segments.iter().map(|one| one.frame).collect();
        figure.add_framed("segments", Tone::Blue, Marks::points(Shape::Dot, points), frames);
        marks::add(&mut figure, view, |mark| mark.offset as f64);
        Some(figure).filter(|_| !view.trace.segments.is_empty())
    }
}
