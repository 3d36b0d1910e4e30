//! Pictures of what a report says.
//!
//! A [`Plot`] is a row of [`PLOTS`] and makes a [`Figure`], which is plain data. A [`PictureFormat`] is a row of [`FORMATS`] and
//! makes a file of it; SVG and PNG come from `draw` (feature `plots`), which alone knows how to draw. [`Traces`] gathers
//! what is to be shown while a capture is read.

pub mod axis;
mod bins;
mod capture_trace;
mod collect;
mod comparison;
mod concurrency;
#[cfg(feature = "plots")]
pub mod draw;
pub mod figure;
mod format;
mod limits;
mod marks;
pub mod palette;
mod prediction;
mod rtt;
mod segment_size;
mod stevens;
mod sweep;
pub mod thin;
mod throughput;
mod time_sequence;
pub mod trace;
mod traffic;
mod window;
mod worst;
pub mod xplot;

pub use bins::{Bins, Sums};
pub use capture_trace::{CaptureTrace, Worst};
pub use collect::Traces;
pub use comparison::ComparedValues;
pub use figure::Figure;
pub use format::{DrawError, FORMATS, PictureFormat};
pub use prediction::PredictionView;

use crate::report::prediction::SweepDocument;
use trace::DirectionView;

/// What can be drawn.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// What each algorithm would get on a path.
    Predictions(&'a PredictionView<'a>),
    /// The same over a range of one parameter.
    Sweep(&'a SweepDocument),
    /// Metrics before and after a change.
    Comparisons(&'a [ComparedValues<'a>]),
    /// One direction of a connection.
    Direction(&'a DirectionView<'a>),
    /// A capture as a whole.
    Capture(&'a CaptureTrace),
}

/// What a plot is a picture of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// One direction of a connection.
    Direction,
    /// A capture.
    Capture,
    /// What a command computes.
    Result,
}

/// One kind of picture.
pub trait Plot: Sync {
    /// What it is a picture of; where there are several such subjects, what a capture gives of them.
    fn of(&self) -> Of;

    /// Whether it shows predictions, which take a while.
    fn is_of_predictions(&self) -> bool {
        false
    }

    /// Its name in options and file names.
    fn id(&self) -> &'static str;

    /// What it shows, in a line.
    fn about(&self) -> &'static str;

    /// The picture, or `None` where it is no picture of that subject or there is nothing to see.
    fn figure(&self, subject: &Subject<'_>) -> Option<Figure>;
}

/// Every plot.
pub const PLOTS: &[&dyn Plot] = &[
    &time_sequence::TimeSequence,
    &stevens::Stevens,
    &rtt::Rtt,
    &window::Window,
    &throughput::Throughput,
    &limits::Limits,
    &segment_size::SegmentSize,
    &traffic::Traffic,
    &concurrency::Concurrency,
    &worst::WorstPlot,
    &prediction::Prediction,
    &sweep::Sweep,
    &comparison::ComparisonPlot,
];

/// Every picture of a subject.
pub fn figures<'a>(subject: &'a Subject<'a>) -> impl Iterator<Item = Figure> + 'a {
    PLOTS.iter().filter_map(move |plot| plot.figure(subject))
}
