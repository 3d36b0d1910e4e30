//! What each algorithm would get: a bar for each, with its interval, the best at the top.

use super::axis::show;
use super::figure::{Axis, Bar, Figure, Marks, Shape, Tone, Unit};
use super::trace::DirectionView;
use super::{Of, Plot, Subject};
use crate::report::prediction::{PathReport, PredictionDocument, PredictionRow};

/// Predictions, with what they are compared to.
#[derive(Clone, Debug)]
pub struct PredictionView<'a> {
    /// Whose they are.
    pub title: String,
    /// The path, in a line.
    pub path: String,
    /// A row for each algorithm.
    pub rows: &'a [PredictionRow],
    /// Goodput that was really seen, bits per second, and the algorithm that is taken to have been used.
    pub observed: Option<(f64, Option<&'a str>)>,
}

impl<'a> PredictionView<'a> {
    /// Of a path that is stated: nothing was seen.
    pub fn stated(document: &'a PredictionDocument) -> Self {
        Self {
            title: "Goodput predicted for each congestion control".to_owned(),
            path: path(&document.path, None),
            rows: &document.predictions,
            observed: None,
        }
    }
}

/// The row of [`super::PLOTS`].
pub(super) struct Prediction;

impl Plot for Prediction {
    fn of(&self) -> Of {
        Of::Direction
    }

    fn is_of_predictions(&self) -> bool {
        true
    }

    fn id(&self) -> &'static str {
        "prediction"
    }

    fn about(&self) -> &'static str {
        "goodput that each congestion control would get on the path, with intervals, and what was measured"
    }

    fn figure(&self, subject: &Subject<'_>) -> Option<Figure> {
        match subject {
            Subject::Predictions(view) => bars(view),
            Subject::Direction(direction) => measured(direction),
            _ => None,
        }
    }
}

/// What a connection was predicted to get, beside what it got.
fn measured(direction: &DirectionView<'_>) -> Option<Figure> {
    let (connection, dir) = (direction.connection, direction.dir);
    let own = connection.predictions.iter().filter(|row| row.dir == Some(dir.name()));
    let rows: Vec<PredictionRow> = own.cloned().collect();
    let path = connection.paths.iter().find(|path| path.dir == dir).map(|path| {
        let bound = if path.rate_is_bound { "at least " } else { "" };
        let rate = show(path.rate_bps, Unit::BitsPerSecond);
        let (rtt, loss) = (show(path.base_rtt_us / 1e6, Unit::Seconds), show(path.random_loss, Unit::Share));
        format!("The path as it was inferred: base RTT {rtt}, {bound}{rate}, random loss {loss}")
    });
    let report = direction.report();
    bars(&PredictionView {
        title: direction.title("Goodput predicted"),
        path: path.unwrap_or_default(),
        rows: &rows,
        observed: report.goodput_bps.map(|goodput| (goodput, report.cc_identified.as_deref())),
    })
}

fn bars(view: &PredictionView<'_>) -> Option<Figure> {
    if view.rows.is_empty() {
        return None;
    }
    let mut rows: Vec<&PredictionRow> = view.rows.iter().collect();
    rows.sort_by(|a, b| b.goodput_p50_bps.total_cmp(&a.goodput_p50_bps));
    let names = rows.iter().map(|row| row.cc.to_owned()).collect();
    let mut figure = Figure::new(
        "prediction",
        view.title.clone(),
        Axis::from_zero("goodput", Unit::BitsPerSecond),
        Axis::names("", names),
    );
    figure.subtitle.clone_from(&view.path);
    let bar = |(at, row): (usize, &&PredictionRow)| Bar {
        at: at as f64,
        value: row.goodput_p50_bps,
        interval: Some([row.goodput_p10_bps, row.goodput_p90_bps]),
    };
    let bars = rows.iter().enumerate().map(bar).collect();
    figure.add("median of the runs, with p10 to p90", Tone::Blue, Marks::Bars { bars, sideways: true });
    if let Some((goodput, cc)) = view.observed {
        let ends = [-0.5, rows.len() as f64 - 0.5].map(|at| [goodput, at]);
        let name = format!("measured, {}", show(goodput, Unit::BitsPerSecond));
        figure.add(&name, Tone::Vermillion, Marks::Line { points: ends.into(), dashed: true });
        let used = cc.and_then(|cc| rows.iter().position(|row| row.cc == cc));
        let points = used.map(|at| [goodput, at as f64]).into_iter().collect();
        figure.add("measured with this one", Tone::Vermillion, Marks::points(Shape::Diamond, points));
    }
    Some(figure).filter(|figure| !figure.is_empty())
}

/// The path in a line; `swept` is the parameter that stands on the axis instead.
pub(super) fn path(path: &PathReport, swept: Option<&str>) -> String {
    let mut parts = Vec::new();
    if swept != Some("rtt") {
        parts.push(format!("RTT {}", show(path.base_rtt_us / 1e6, Unit::Seconds)));
    }
    parts.push(
        path.rate_bps.map_or_else(|| "no rate limit".to_owned(), |rate| show(rate, Unit::BitsPerSecond)),
    );
    let queue = if path.aqm == "none" { "drop-tail" } else { path.aqm };
    // With the RTT changes what a buffer in bandwidth-delay products holds.
    parts.push(match path.buffer_bytes {
        None => format!("{queue}, unlimited buffer"),
        Some(_) if swept == Some("rtt") => queue.to_owned(),
        Some(bytes) => format!("{queue} {}", show(bytes as f64, Unit::Bytes)),
    });
    if swept != Some("loss") {
        parts.push(if path.random_loss > 0.0 {
            format!("random loss {}", show(path.random_loss, Unit::Share))
        } else {
            "no random loss".to_owned()
        });
    }
    parts.push(
        path.transfer_bytes
            .map_or_else(|| show(path.duration_s, Unit::Seconds), |bytes| show(bytes as f64, Unit::Bytes)),
    );
    if path.flows > 1 {
        parts.push(format!("{} flows", path.flows));
    }
    parts.push(format!("{} sender", path.sender));
    parts.push(format!("{} runs each", path.draws));
    parts.join(", ")
}
