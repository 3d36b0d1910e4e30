//! Windows over time: what is in flight, what the congestion window is and may be, what the receiver allows; behind it the
//! states of the sender, on it the losses.

use super::figure::{Axis, Figure, Marks, Span, Tone, Unit};
use super::trace::{DirectionView, Mark};
use super::{Of, Plot, Subject, marks};
use crate::report::WindowPhase;

/// The receive window and the bounds are left out where they are so many times as high as all else.
const MOST_ABOVE: f64 = 1.4;
/// It is also left out where less than one in so many of its points could be drawn.
const LEAST_VISIBLE: usize = 20;

/// The row of [`super::PLOTS`].
pub(super) struct Window;

impl Plot for Window {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "window"
    }

    fn about(&self) -> &'static str {
        "bytes in flight, congestion window with its bounds, receive window, states of the sender and losses"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let trace = view.trace;
        if trace.flight.is_empty() {
            return None;
        }
        let mut figure = Figure::new(
            self.id(),
            view.title("Windows"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("window", Unit::Bytes),
        );
        figure.spans = phases(view);
        let flight = view.line(&trace.flight);
        let cwnd: Vec<[f64; 2]> = trace
            .cwnd
            .as_slice()
            .iter()
            .filter_map(|one| one.cwnd.map(|cwnd| [view.seconds(one.at), cwnd as f64]))
            .collect();
        let highest = flight.iter().chain(&cwnd).map(|[_, y]| *y).fold(0.0, f64::max);
        bounds(&mut figure, view, highest);
        figure.add("in flight", Tone::Green, Marks::step(flight.clone()));
        figure.add("congestion window, estimate", Tone::Blue, Marks::step(cwnd));
        receive_window(&mut figure, view, highest);
        // On the flight line, at the moment of each.
        let height = |mark: &Mark| {
            let x = view.seconds(mark.at);
            let after = flight.partition_point(|[at, _]| *at <= x);
            flight.get(after.saturating_sub(1)).map_or(0.0, |[_, y]| *y)
        };
        marks::add(&mut figure, view, height);
        Some(figure)
    }
}

/// Bounds hold until the next. Where nothing limits them from above they end at the edge of the picture.
fn bounds(figure: &mut Figure, view: &DirectionView<'_>, highest: f64) {
    let edge = highest * MOST_ABOVE;
    let mut stairs: Vec<[f64; 3]> = Vec::new();
    let mut cut = false;
    for one in view.trace.cwnd.as_slice() {
        let Some([low, high]) = one.band.map(|band| band.map(|bound| bound as f64)) else { continue };
        cut |= high > edge;
        let (x, low, high) = (view.seconds(one.at), low.min(edge), high.min(edge));
        if let Some(&[_, before_low, before_high]) = stairs.last() {
            stairs.push([x, before_low, before_high]);
        }
        stairs.push([x, low, high]);
    }
    figure.add("congestion window, bounds", Tone::Blue, Marks::Band { points: stairs });
    if cut {
        "Bounds far above all else are cut off.".clone_into(&mut figure.subtitle);
    }
}

fn receive_window(figure: &mut Figure, view: &DirectionView<'_>, highest: f64) {
    let mut points = view.line(&view.trace.rwnd);
    let all = points.len();
    // What is too high for the picture would press the rest flat.
    let mut above = 0;
    for point in points.iter_mut().filter(|[_, y]| *y > highest * MOST_ABOVE) {
        point[1] = f64::NAN;
        above += 1;
    }
    if above > 0 {
        let note = "The receive window is not drawn where it lies far above all else.";
        let cut = std::mem::take(&mut figure.subtitle);
        figure.subtitle = if cut.is_empty() { note.to_owned() } else { format!("{cut} {note}") };
    }
    // A few points at the start are no line.
    if above * LEAST_VISIBLE < all * (LEAST_VISIBLE - 1) {
        figure.add("receive window", Tone::Orange, Marks::step(points));
    }
}

fn phases(view: &DirectionView<'_>) -> Vec<Span> {
    let span = |one: &super::trace::Spell<WindowPhase>| {
        let (name, tone) = match one.kind {
            WindowPhase::SlowStart => ("slow start", Tone::Grey),
            WindowPhase::Recovery => ("recovery", Tone::Orange),
            WindowPhase::Timeout => ("timeout", Tone::Vermillion),
            WindowPhase::Probe => ("window shut", Tone::Purple),
            // White: most of the time, and what is not known.
            WindowPhase::Avoidance | WindowPhase::Unknown => return None,
        };
        let (from, to) = (view.seconds(one.from), view.seconds(one.to));
        Some(Span { from, to, name: name.to_owned(), tone, lane: [0, 1] })
    };
    view.trace.phases.iter().filter_map(span).collect()
}
