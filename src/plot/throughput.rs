//! Throughput and goodput over time.

use super::figure::{Axis, Figure, Marks, Tone, Unit};
use super::{Of, Plot, Subject};

/// Steps across the picture.
const STEPS: i64 = 256;

/// The row of [`super::PLOTS`].
pub(super) struct Throughput;

impl Plot for Throughput {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn id(&self) -> &'static str {
        "throughput"
    }

    fn about(&self) -> &'static str {
        "bits a second: of new payload (goodput), and on the wire"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Direction(view) = subject else { return None };
        let mut figure = Figure::new(
            self.id(),
            view.title("Throughput"),
            Axis::from_zero("time since the first packet", Unit::Seconds),
            Axis::from_zero("rate", Unit::BitsPerSecond),
        );
        let row = view.trace.amounts.row(STEPS, view.connection.last_ns);
        let steps: Vec<([f64; 2], [u64; 2])> = row
            .iter()
            .map(|(begin, length, sums)| ([view.seconds(*begin), *length as f64 / 1e9], *sums))
            .collect();
        let [goodput, wire] = rates(&steps);
        if goodput.iter().all(|[_, rate]| *rate == 0.0) {
            return None;
        }
        let width = steps.first().map_or(0.0, |([_, length], _)| *length);
        figure.subtitle = format!("In steps of {}.", super::axis::show(width, Unit::Seconds));
        figure.add("on the wire", Tone::Orange, Marks::step(wire));
        figure.add("new payload (goodput)", Tone::Blue, Marks::step(goodput));
        let report = view.report();
        if let (Some(mean), Some(first), Some(last)) =
            (report.goodput_bps, report.first_data_ns, report.last_data_ns)
        {
            let points = vec![[view.seconds(first), mean], [view.seconds(last), mean]];
            figure.add("goodput, mean", Tone::Black, Marks::Line { points, dashed: true });
        }
        Some(figure)
    }
}

/// Both counts as bits a second over their stretches, up to the end of the last.
pub(super) fn rates(steps: &[([f64; 2], [u64; 2])]) -> [Vec<[f64; 2]>; 2] {
    // The last stretch is cut by the end: too short a rest says nothing of a rate.
    let usual = steps.first().map_or(0.0, |([_, length], _)| *length);
    let steps = match steps.split_last() {
        Some((([_, length], _), before)) if *length < usual / 4.0 && !before.is_empty() => before,
        _ => steps,
    };
    [0, 1].map(|which| {
        let rate = |([begin, length], sums): &([f64; 2], [u64; 2])| {
            [*begin, if *length > 0.0 { sums[which] as f64 * 8.0 / length } else { 0.0 }]
        };
        let mut points: Vec<[f64; 2]> = steps.iter().map(rate).collect();
        if let (Some(([begin, length], _)), Some([_, rate])) = (steps.last(), points.last().copied()) {
            points.push([begin + length, rate]);
        }
        points
    })
}
