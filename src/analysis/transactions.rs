//! Requests and responses: who speaks in turn, and how long the other takes. What netperf's `TCP_RR` counts, from the wire.

use serde::{Deserialize, Serialize};

use super::distribution::Distribution;
use crate::flow::Side;
use crate::units::{Span, Timestamp};

/// Turns of one connection. The side that sends data first asks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Transactions {
    asks: Option<Side>,
    speaks: Option<Side>,
    /// Begin and end of the request under way or last made.
    request: Option<(Timestamp, Timestamp)>,
    /// Last byte of the response to it.
    response: Option<Timestamp>,
    count: u64,
    whole: Distribution,
    turnaround: Distribution,
}

/// What the turns add up to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TransactionSummary {
    /// Requests that were answered.
    pub(super) count: u64,
    /// From the first byte of a request to the last of its response: median, 95th and 99th percentile, µs.
    pub(super) whole_us: [Option<f64>; 3],
    /// From the last byte of a request to the first of its response, as the tap sees it.
    pub(super) turnaround_us: [Option<f64>; 3],
}

impl Transactions {
    /// New data passes.
    #[inline]
    pub(super) fn data(&mut self, from: Side, at: Timestamp) {
        let asks = *self.asks.get_or_insert(from);
        if self.speaks != Some(from) {
            self.turn(from, asks, at);
        } else if from == asks {
            if let Some((_, end)) = &mut self.request {
                *end = at;
            }
        } else {
            self.response = Some(at);
        }
    }

    fn turn(&mut self, from: Side, asks: Side, at: Timestamp) {
        self.speaks = Some(from);
        if from == asks {
            self.close();
            self.request = Some((at, at));
        } else if let Some((_, end)) = self.request {
            self.turnaround.add(at.since(end).max(Span::ZERO));
            self.response = Some(at);
        }
    }

    fn close(&mut self) {
        if let (Some((begin, _)), Some(end)) = (self.request.take(), self.response.take()) {
            self.count += 1;
            self.whole.add(end.since(begin).max(Span::ZERO));
        }
    }

    /// Keeps no more memory than the turns need.
    pub(super) fn shrink(&mut self) {
        self.whole.shrink();
        self.turnaround.shrink();
    }

    /// The turns so far; `None` where nobody answered.
    pub(super) fn summary(&self) -> Option<TransactionSummary> {
        let mut all = self.clone();
        all.close();
        let quantiles = |times: &Distribution| [0.5, 0.95, 0.99].map(|share| times.quantile_us(share));
        (all.count > 0).then(|| TransactionSummary {
            count: all.count,
            whole_us: quantiles(&all.whole),
            turnaround_us: quantiles(&all.turnaround),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_requests_in_turn() {
        let at = |millis: i64| Timestamp::from_nanos(millis * 1_000_000);
        let mut turns = Transactions::default();
        for round in 0..3 {
            let begin = round * 1_000;
            turns.data(Side::High, at(begin));
            turns.data(Side::High, at(begin + 2));
            turns.data(Side::Low, at(begin + 12));
            turns.data(Side::Low, at(begin + 20 + round));
        }
        let summary = turns.summary().unwrap();
        assert_eq!(summary.count, 3);
        assert_eq!(summary.turnaround_us, [Some(10_000.0); 3]);
        assert_eq!(summary.whole_us, [Some(21_000.0), Some(22_000.0), Some(22_000.0)]);
    }

    #[test]
    fn a_stream_in_one_direction_has_none() {
        let mut turns = Transactions::default();
        for millis in 0..50 {
            turns.data(Side::Low, Timestamp::from_nanos(millis * 1_000_000));
        }
        assert_eq!(turns.summary(), None);
    }
}
