//! tcptrace's time-sequence graph: what was sent, what was acknowledged, how far the receiver let the sender go, and each
//! segment with a verdict.

use super::figure::{Axis, Figure, Marks, Tone, Unit};
use super::trace::DirectionView;
use super::{Of, Plot, Subject, marks};
use crate::report::DirectionReport;

/// The window line is left out where it is so many times as high as the data: it would press them flat.
const MOST_ABOVE: f64 = 1.6;

/// The row of [`super::PLOTS`].
pub(super) struct TimeSequence;

impl Plot for TimeSequence {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "timesequence"
    }

    fn about(&self) -> &'static str {
        "segments, acknowledgments, receive window and SACK blocks over time, with the verdicts"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let trace = view.trace;
        let mut figure = Figure::new(
            self.id(),
            view.title("Time-sequence graph"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("offset in the stream", Unit::Bytes),
        );
        let bytes = |at: i64, low: i64, high: i64| [view.seconds(at), low as f64, high as f64];
        let segments: Vec<[f64; 3]> =
            trace.segments.as_slice().iter().map(|one| bytes(one.at, one.low, one.high)).collect();
        let top = segments.iter().map(|[.., high]| *high).fold(0.0, f64::max);
        window(&mut figure, view, top);
        let acks: Vec<_> = trace.acks.as_slice().iter().filter(|ack| ack.offset >= 0).collect();
        let points = acks.iter().map(|ack| [view.seconds(ack.at), ack.offset as f64]).collect();
        let frames = acks.iter().map(|ack| ack.frame).collect();
        figure.add_framed("acknowledged up to", Tone::Green, Marks::step(points), frames);
        let frames = trace.segments.as_slice().iter().map(|one| one.frame).collect();
        figure.add_framed("segments", Tone::Blue, Marks::Strokes { points: segments }, frames);
        for (name, tone, series) in
            [("SACK", Tone::Purple, &trace.sacks), ("duplicate SACK", Tone::Black, &trace.dsacks)]
        {
            let points = series.as_slice().iter().map(|one| bytes(one.at, one.low, one.high)).collect();
            let frames = series.as_slice().iter().map(|one| one.frame).collect();
            figure.add_framed(name, tone, Marks::Strokes { points }, frames);
        }
        marks::add(&mut figure, view, |mark| mark.offset as f64 + f64::from(mark.len) / 2.0);
        Some(figure).filter(|_| !trace.segments.is_empty())
    }
}

/// How far the receiver lets the sender go.
fn window(figure: &mut Figure, view: &DirectionView<'_>, top: f64) {
    let Some(shift) = shift(view.report(), view.peer()) else {
        "The receive window is not drawn: its scale is in SYNs that are not in the capture."
            .clone_into(&mut figure.subtitle);
        return;
    };
    let line = |ack: &super::trace::AckPoint| {
        let edge = ack.offset as f64 + (u64::from(ack.window) << shift) as f64;
        [view.seconds(ack.at), if edge <= top * MOST_ABOVE { edge } else { f64::NAN }]
    };
    let acks = view.trace.acks.as_slice();
    let points: Vec<[f64; 2]> = acks.iter().map(line).collect();
    let above = points.iter().filter(|[_, edge]| edge.is_nan()).count();
    if above > 0 {
        "Where the receive window reaches far beyond the data it is not drawn."
            .clone_into(&mut figure.subtitle);
    }
    if above < points.len() {
        figure.add("receive window", Tone::Orange, Marks::step(points));
    }
}

/// By how much windows of the receiver are scaled; both must have asked for it (RFC 7323 section 2.2).
fn shift(sender: &DirectionReport, receiver: &DirectionReport) -> Option<u8> {
    match (receiver.window_scale_known, sender.window_scale, receiver.window_scale) {
        (false, ..) => None,
        (true, Some(_), Some(shift)) => Some(shift.min(14)),
        (true, ..) => Some(0),
    }
}
