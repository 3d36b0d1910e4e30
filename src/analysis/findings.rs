//! What the stages put out while a segment passes, before it knows its connection.

use super::loss::Closed;
use super::sender::Told;
use super::twin::lanes::Event;
use super::twin::outbox::{Address, Outbox};
use crate::flow::Side;
use crate::units::Span;

/// What anyone wants beside the reports; nothing else is made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    /// What changes over time, row by row.
    pub(super) series: bool,
    /// The rounds of each direction, for path inference.
    pub(super) traces: bool,
    /// Senders are FreeBSD's where their SYN does not tell.
    pub(super) freebsd: bool,
    /// Length of the intervals of the interval table.
    pub(super) interval: Span,
}

/// Verdicts and samples, each with the side that sent the data.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) closed: Vec<(Side, Closed)>,
    pub(super) told: Vec<(Side, Told)>,
    pub(super) wanted: Wanted,
    /// The way to the twins, where they live on other threads.
    pub(super) away: Option<Outbox>,
    /// Where in the trace this stands: counts segments and finished connections.
    pub(super) place: u64,
}

impl Findings {
    /// A sender's twin tells something, which is kept if it is wanted.
    #[inline]
    pub(super) fn tell(&mut self, from: Side, what: Told) {
        if self.wanted.series {
            self.told.push((from, what));
        }
    }

    /// What follows is of this connection.
    #[inline]
    pub(super) const fn stand(&mut self, connection: u64, client: Side) {
        if let Some(away) = &mut self.away {
            away.stand(self.place, connection, client);
        }
    }

    /// A message to a twin on another thread.
    #[inline]
    pub(super) fn post(&mut self, address: Address, from: Side, event: Event) {
        if let Some(away) = &mut self.away {
            away.post(address, from, event);
        }
    }
}
