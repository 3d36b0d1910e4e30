//! Round-trip times: samples by source, and the lines that a sender's timer follows.

use super::axis::show;
use super::figure::{Axis, Figure, Marks, Shape, Tone, Unit};
use super::trace::{DirectionView, SOURCES};
use super::{Of, Plot, Subject};
use crate::report::RttSource;

/// The timer is drawn unless it lies so many times above the highest sample: it would press them flat.
const MOST_ABOVE: f64 = 3.0;

/// The row of [`super::PLOTS`].
pub(super) struct Rtt;

impl Plot for Rtt {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "rtt"
    }

    fn about(&self) -> &'static str {
        "round-trip samples by source, smoothed RTT, base RTT and retransmission timer"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let mut figure = Figure::new(
            self.id(),
            view.title("Round-trip time"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("round-trip time", Unit::Seconds),
        );
        for (source, series) in SOURCES.iter().zip(&view.trace.rtt) {
            let (name, tone, shape) = match source {
                RttSource::Ack => ("from ACKs", Tone::SkyBlue, Shape::Dot),
                RttSource::Timestamp => ("from timestamps", Tone::Green, Shape::Cross),
                RttSource::Sack => ("from SACK blocks", Tone::Purple, Shape::Up),
                RttSource::Handshake => ("handshake", Tone::Black, Shape::Diamond),
            };
            figure.add(name, tone, Marks::points(shape, view.line(series)));
        }
        if figure.is_empty() {
            return None;
        }
        let highest = figure.series.iter().flat_map(|series| series.marks.corners()).map(|[_, y]| y);
        let highest = highest.fold(0.0, f64::max);
        figure.add("smoothed", Tone::Blue, Marks::step(view.line(&view.trace.smoothed)));
        let base = Marks::Step { points: view.line(&view.trace.base), dashed: true };
        figure.add("least so far", Tone::Black, base);
        timer(&mut figure, view, highest);
        Some(figure)
    }
}

fn timer(figure: &mut Figure, view: &DirectionView<'_>, highest: f64) {
    let points = view.line(&view.trace.rto);
    let (low, high) =
        points.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), [_, y]| (low.min(*y), high.max(*y)));
    if high <= highest * MOST_ABOVE {
        figure.add("retransmission timer", Tone::Vermillion, Marks::Step { points, dashed: true });
    } else if low.is_finite() {
        figure.subtitle = format!(
            "The retransmission timer (RFC 6298, at least 200 ms above the smoothed RTT) lies above: {} to {}.",
            show(low, Unit::Seconds),
            show(high, Unit::Seconds)
        );
    }
}
