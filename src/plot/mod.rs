//! Pictures of what a report says.
//!
//! A [`Plot`] is a row of [`PLOTS`] and makes a [`Figure`], which is plain data. A [`PictureFormat`] is a row of [`FORMATS`] and
//! makes a file of it; SVG and PNG come from `draw` (feature `plots`), which alone knows how to draw.

pub mod axis;
mod comparison;
#[cfg(feature = "plots")]
pub mod draw;
pub mod figure;
mod format;
pub mod palette;
mod prediction;
mod sweep;
pub mod xplot;

pub use comparison::ComparedValues;
pub use figure::Figure;
pub use format::{DrawError, FORMATS, PictureFormat};

use crate::report::prediction::{PredictionDocument, SweepDocument};

/// What can be drawn.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// What `predict` says of a path.
    Predictions(&'a PredictionDocument),
    /// The same over a range of one parameter.
    Sweep(&'a SweepDocument),
    /// Metrics before and after a change.
    Comparisons(&'a [ComparedValues<'a>]),
}

/// One kind of picture.
pub trait Plot: Sync {
    /// Its name in options and file names.
    fn id(&self) -> &'static str;

    /// What it shows, in a line.
    fn about(&self) -> &'static str;

    /// The picture, or `None` where it is no picture of that subject or there is nothing to see.
    fn figure(&self, subject: &Subject<'_>) -> Option<Figure>;
}

/// Every plot.
pub const PLOTS: &[&dyn Plot] = &[&prediction::Prediction, &sweep::Sweep, &comparison::ComparisonPlot];

/// The first picture of a subject that has but one.
pub fn figure(subject: &Subject<'_>) -> Option<Figure> {
    PLOTS.iter().find_map(|plot| plot.figure(subject))
}
