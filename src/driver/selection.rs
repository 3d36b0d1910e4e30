//! Which segments are analysed and which connections are reported.

use crate::report::{ConnectionReport, PeriodRow, ReportSink, RetransmissionRow, SeriesRow, Trace};
use crate::units::{Span, Timestamp};

/// A moment, or a time after the first frame of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBound {
    /// A moment.
    Absolute(Timestamp),
    /// So long after the first frame.
    FromStart(Span),
}

impl TimeBound {
    const fn is_after(self, at: Timestamp, start: Timestamp) -> bool {
        match self {
            Self::Absolute(bound) => at.as_nanos() < bound.as_nanos(),
            Self::FromStart(span) => at.since(start).as_nanos() < span.as_nanos(),
        }
    }

    const fn is_before(self, at: Timestamp, start: Timestamp) -> bool {
        match self {
            Self::Absolute(bound) => at.as_nanos() > bound.as_nanos(),
            Self::FromStart(span) => at.since(start).as_nanos() > span.as_nanos(),
        }
    }
}

/// Whether a frame stamped `at` lies within the bounds, both of which belong to it.
pub(super) fn within(
    at: Timestamp,
    start: Timestamp,
    from: Option<TimeBound>,
    to: Option<TimeBound>,
) -> bool {
    !from.is_some_and(|from| from.is_after(at, start)) && !to.is_some_and(|to| to.is_before(at, start))
}

/// Hands on what belongs to one connection, or everything.
pub(super) struct Chosen<'a> {
    pub(super) sink: &'a mut dyn ReportSink,
    pub(super) connection: Option<u64>,
    /// Of all, those that were finished early and half open.
    pub(super) evicted_half_open: u64,
}

impl Chosen<'_> {
    fn wants(&self, connection: u64) -> bool {
        self.connection.is_none_or(|wanted| wanted == connection)
    }
}

impl ReportSink for Chosen<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.evicted_half_open += u64::from(connection.evicted && connection.state.is_half_open());
        if self.wants(connection.connection) {
            self.sink.connection(connection);
        }
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if self.wants(row.connection) {
            self.sink.retransmission(row);
        }
    }

    fn traces(&mut self, connection: &ConnectionReport, traces: [Option<Trace>; 2]) {
        if self.wants(connection.connection) {
            self.sink.traces(connection, traces);
        }
    }

    fn wants_series(&self) -> bool {
        self.sink.wants_series()
    }

    fn series(&mut self, row: &SeriesRow) {
        if self.wants(row.connection()) {
            self.sink.series(row);
        }
    }

    fn period(&mut self, row: &PeriodRow) {
        self.sink.period(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_belong_to_the_selection() {
        let start = Timestamp::from_secs_nanos(100, 0);
        let at = |nanos| Timestamp::from_secs_nanos(100, nanos);
        let from = Some(TimeBound::FromStart(Span::from_nanos(5)));
        let to = Some(TimeBound::Absolute(at(9)));
        let selected: Vec<_> = (0..12).filter(|&nanos| within(at(nanos), start, from, to)).collect();
        assert_eq!(selected, [5, 6, 7, 8, 9]);
        assert!(within(Timestamp::MIN, start, None, None));
        assert!(!within(Timestamp::MIN, start, Some(TimeBound::FromStart(Span::ZERO)), None));
    }
}
