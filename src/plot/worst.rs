//! The directions that had to send the most again.

use super::figure::{Axis, Bar, Figure, Marks, Tone, Unit};
use super::{Of, Plot, Subject};

/// The row of [`super::PLOTS`].
pub(super) struct WorstPlot;

impl Plot for WorstPlot {
    fn of(&self) -> Of {
        Of::Capture
    }

    fn id(&self) -> &'static str {
        "worst"
    }

    fn about(&self) -> &'static str {
        "directions with the largest share of packets sent again"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        let Subject::Capture(trace) = subject else { return None };
        let worst = trace.worst();
        let names = worst.iter().map(|row| row.name.clone()).collect();
        let mut figure = Figure::new(
            self.id(),
            "Connections that sent the most again".to_owned(),
            Axis::from_zero("packets sent again, share of data packets", Unit::Share),
            Axis::names("connection, direction, sender", names),
        );
        "By the lower end of the interval, so that few packets weigh less; from 50 data packets on."
            .clone_into(&mut figure.subtitle);
        let bar = |(at, row): (usize, &super::capture_trace::Worst)| Bar {
            at: at as f64,
            value: row.share,
            interval: Some(row.interval),
        };
        let bars = worst.iter().enumerate().map(bar).collect();
        figure.add(
            "share, with its interval of 95 % confidence",
            Tone::Vermillion,
            Marks::Bars { bars, sideways: true },
        );
        Some(figure).filter(|figure| !figure.is_empty())
    }
}
