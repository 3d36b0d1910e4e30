//! What the analysis hands out, in the order of the trace, though some of it comes from other threads a batch later.

use std::collections::VecDeque;

use super::connection::Connection;
use super::findings::Findings;
use super::series;
use super::twin::lanes::{Outcome, Output};
use super::twin::outbox::Address;
use crate::flow::{PerSide, Side};
use crate::report::{ReportSink, SeriesRow};

/// Finished connections that wait for their twins; more are not let wait, whether a batch is full or not.
const MOST_WAITING: usize = 1_024;

/// A finished connection whose twins are still to send what they know.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) place: u64,
    pub(super) connection: Connection,
    pub(super) evicted: bool,
    pub(super) away: PerSide<Option<Address>>,
}

/// What is still to be handed out.
#[derive(Debug, Default)]
pub(super) struct Handover {
    /// Rows made here, each with its place.
    pub(super) series: VecDeque<(u64, SeriesRow)>,
    pub(super) waiting: VecDeque<Waiting>,
    /// What came back.
    pub(super) outputs: Vec<Output>,
}

impl Handover {
    /// Whether the next batch must go, full or not.
    pub(super) fn is_crowded(&self) -> bool {
        self.waiting.len() >= MOST_WAITING
    }

    /// Takes in what was told here of a connection.
    #[inline]
    pub(super) fn take_told(&mut self, connection: &Connection, found: &mut Findings) {
        if found.told.is_empty() {
            return;
        }
        let place = found.place;
        self.series.extend(
            found
                .told
                .drain(..)
                .map(|(side, told)| (place, series::row(connection.number, connection.dir(side), &told))),
        );
    }

    /// Hands out everything up to `place`: rows to `sink`, and each connection, complete, to `over` after its rows.
    pub(super) fn deliver(
        &mut self,
        place: u64,
        sink: &mut dyn ReportSink,
        over: &mut dyn FnMut(Connection, bool, &mut dyn ReportSink),
    ) {
        let mut outputs = std::mem::take(&mut self.outputs);
        let mut results = outputs.drain(..).peekable();
        loop {
            let next = self.waiting.front().map(|waiting| waiting.place).filter(|&next| next <= place);
            let until = next.unwrap_or(place);
            let mut taken = Vec::new();
            while let Some(output) = results.next_if(|output| output.place <= until) {
                rows_before(&mut self.series, output.place, sink);
                match output.what {
                    Outcome::Row(row) => sink.series(&row),
                    Outcome::Taken(address, summary) => taken.push((address, summary)),
                }
            }
            rows_before(&mut self.series, until, sink);
            if next.is_none() {
                break;
            }
            if let Some(Waiting { mut connection, evicted, away, .. }) = self.waiting.pop_front() {
                for (from, summary) in taken {
                    for side in [Side::Low, Side::High] {
                        if away[side] == Some(from)
                            && let Some(direction) = &mut connection.directions[side]
                        {
                            direction.come_home(summary);
                            break;
                        }
                    }
                }
                over(connection, evicted, sink);
            }
        }
        drop(results);
        self.outputs = outputs;
    }
}

/// Rows made here go before what came back of the same place.
fn rows_before(series: &mut VecDeque<(u64, SeriesRow)>, place: u64, sink: &mut dyn ReportSink) {
    while series.front().is_some_and(|(at, _)| *at <= place) {
        if let Some((_, row)) = series.pop_front() {
            sink.series(&row);
        }
    }
}
