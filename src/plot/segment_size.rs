//! Payload of each data segment over time.

use super::figure::{Axis, Figure, Marks, Shape, Tone, Unit};
use super::{Of, Plot, Subject};

/// The row of [`super::PLOTS`].
pub(super) struct SegmentSize;

impl Plot for SegmentSize {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "segmentsize"
    }

    fn about(&self) -> &'static str {
        "payload of each segment, with the MSS that the receiver offered"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let mut figure = Figure::new(
            self.id(),
            view.title("Segment size"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("payload", Unit::Bytes),
        );
        let points = view.line(&view.trace.sizes);
        let (first, last) = (points.first()?[0], points.last()?[0]);
        figure.add("segments", Tone::Blue, Marks::points(Shape::Dot, points));
        if let Some(mss) = view.peer().mss {
            let points = vec![[first, f64::from(mss)], [last, f64::from(mss)]];
            figure.add("MSS offered by the receiver", Tone::Black, Marks::Line { points, dashed: true });
        }
        Some(figure)
    }
}
