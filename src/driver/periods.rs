//! Reports on the way: what went by in each period of the capture's time, for captures that do not end.

use crate::capture::Frame;
use crate::report::{
    ConnectionReport, Kind, PeriodRow, ReportSink, RetransmissionRow, SeriesRow, Trace, Verdict,
};
use crate::units::{Bytes, Rate, Span, Timestamp};

/// Counts what goes through it to `sink`, and tells each period that is over.
pub(super) struct Periods<'a> {
    sink: &'a mut dyn ReportSink,
    every: Option<Span>,
    start: Option<Timestamp>,
    row: PeriodRow,
    /// Connections begun before this period.
    begun: u64,
}

impl<'a> Periods<'a> {
    pub(super) fn new(sink: &'a mut dyn ReportSink, every: Option<Span>) -> Self {
        Self {
            sink,
            every: every.filter(|every| *every > Span::ZERO),
            start: None,
            row: PeriodRow::default(),
            begun: 0,
        }
    }

    /// Whether `frame` is of a later period than those before it: then that is told first.
    #[inline]
    pub(super) fn ends_with(&self, frame: &Frame<'_>) -> bool {
        match (self.every, self.start) {
            (Some(every), Some(start)) => frame.at.since(start) >= every,
            _ => false,
        }
    }

    /// Takes note of a frame.
    #[inline]
    pub(super) fn count(&mut self, frame: &Frame<'_>) {
        if self.every.is_some() {
            self.start.get_or_insert(frame.at);
            self.row.frames += 1;
            self.row.bytes += u64::from(frame.wire_len);
        }
    }

    /// Tells the period that is over; the next begins a whole number of periods later, at or before `at`. Silent ones are not told.
    pub(super) fn tell(&mut self, at: Timestamp, begun: u64, live: usize) {
        let (Some(every), Some(start)) = (self.every, self.start) else { return };
        let mut row = std::mem::take(&mut self.row);
        let end = start + every;
        (row.start_ns, row.end_ns) = (start.as_nanos(), end.as_nanos());
        row.throughput_bps = Rate::average(Bytes::new(row.bytes), every).map_or(0.0, Rate::as_bits_per_sec);
        row.connections_started = begun - self.begun;
        row.connections_live = live as u64;
        self.begun = begun;
        self.sink.period(&row);
        let passed = at.since(start).as_nanos() / every.as_nanos();
        self.start = Some(start + Span::from_nanos(every.as_nanos().saturating_mul(passed)));
    }
}

impl ReportSink for Periods<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.row.connections_finished += 1;
        self.sink.connection(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        match (row.kind, row.verdict) {
            (Kind::Retransmission, verdict) => {
                self.row.retransmitted_packets += 1;
                match verdict {
                    Some(Verdict::Lost) => self.row.lost_packets += 1,
                    Some(Verdict::Spurious) => self.row.spurious_packets += 1,
                    Some(Verdict::Undecided) => self.row.undecided_packets += 1,
                    Some(Verdict::Reordered) | None => {}
                }
            }
            (Kind::Reordering, _) => self.row.reordered_packets += 1,
            (Kind::InferredLoss, _) => self.row.inferred_losses += 1,
            _ => {}
        }
        self.sink.retransmission(row);
    }

    fn traces(&mut self, connection: &ConnectionReport, traces: [Option<Trace>; 2]) {
        self.sink.traces(connection, traces);
    }

    fn wants_series(&self) -> bool {
        self.sink.wants_series()
    }

    fn series(&mut self, row: &SeriesRow) {
        self.sink.series(row);
    }
}
