//! What the stages put out while a segment passes, before it knows its connection.

use super::loss::Closed;
use super::sender::Told;
use crate::flow::Side;
use crate::units::Span;

/// Verdicts and samples, each with the side that sent the data.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) closed: Vec<(Side, Closed)>,
    pub(super) told: Vec<(Side, Told)>,
    /// Whether anyone wants what is told; nothing is kept otherwise.
    pub(super) wanted: bool,
    /// Length of the intervals of the interval table.
    pub(super) interval: Span,
}

impl Findings {
    /// A sender's twin tells something, which is kept if it is wanted.
    #[inline]
    pub(super) fn tell(&mut self, from: Side, what: Told) {
        if self.wanted {
            self.told.push((from, what));
        }
    }
}
