//! What holds the sender back, at each moment: Zhang et al., "On the characteristics and origins of Internet flow rates"
//! (T-RAT, SIGCOMM 2002) has the taxonomy; the kernel's own accounting (`tcp_chrono_start`) is what it is compared with.
//!
//! Time is charged to the limit that held since the event before; a row is a stretch of rounds in which the same limit took
//! most of it.

use serde::{Deserialize, Serialize};

use crate::report::Limit;
use crate::units::{Span, Timestamp};

/// A silence longer than this is a stretch of its own.
const LONG: Span = Span::from_millis(200);

/// A stretch with one limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct LimitSpan {
    pub(in crate::analysis) start: Timestamp,
    pub(in crate::analysis) end: Timestamp,
    pub(in crate::analysis) limit: Limit,
    pub(in crate::analysis) score: f64,
}

/// Nanoseconds charged to each of [`Limit::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::analysis) struct Charges([i64; Limit::ALL.len()]);

impl Charges {
    fn add(&mut self, limit: Limit, span: Span) {
        let charged = &mut self.0[limit as usize];
        *charged = charged.saturating_add(span.as_nanos().max(0));
    }

    /// Adds what another has.
    fn add_all(&mut self, other: &Self) {
        for (charged, more) in self.0.iter_mut().zip(&other.0) {
            *charged = charged.saturating_add(*more);
        }
    }

    fn total(&self) -> f64 {
        self.0.iter().map(|&nanos| nanos as f64).sum()
    }

    /// Share of the time for each of [`Limit::ALL`]; `None` where no time passed.
    pub(in crate::analysis) fn shares(&self) -> Option<[f64; Limit::ALL.len()]> {
        let total = self.total();
        (total > 0.0).then(|| self.0.map(|nanos| nanos as f64 / total))
    }

    /// The limit with most of the time, and its share.
    fn most(&self) -> Option<(Limit, f64)> {
        let total = self.total();
        let (limit, &nanos) = Limit::ALL.iter().zip(&self.0).max_by_key(|(_, nanos)| **nanos)?;
        (total > 0.0).then(|| (*limit, nanos as f64 / total))
    }
}

/// Charges time as it passes.
#[derive(Clone, Debug)]
pub(super) struct LimitClock {
    pub(super) now: Limit,
    last: Option<Timestamp>,
    /// Of the rounds that are over.
    past: Charges,
    /// Of the round under way, which began then.
    round: Charges,
    begin: Option<Timestamp>,
    row: Option<LimitSpan>,
}

impl Default for LimitClock {
    fn default() -> Self {
        Self {
            now: Limit::Unknown,
            last: None,
            past: Charges::default(),
            round: Charges::default(),
            begin: None,
            row: None,
        }
    }
}

impl LimitClock {
    /// Time has passed up to `now` under the limit that held, or under `instead`.
    #[inline]
    pub(super) fn advance(&mut self, now: Timestamp, instead: Option<Limit>, out: &mut dyn FnMut(LimitSpan)) {
        let Some(last) = self.last else {
            (self.last, self.begin) = (Some(now), Some(now));
            return;
        };
        let span = now.since(last);
        if span.is_negative() {
            return;
        }
        let limit = instead.unwrap_or(self.now);
        if span > LONG {
            return self.advance_far(now, limit, span, out);
        }
        self.round.add(limit, span);
        self.last = Some(now);
    }

    /// A silence ends, a stretch of its own.
    #[cold]
    fn advance_far(&mut self, now: Timestamp, limit: Limit, span: Span, out: &mut dyn FnMut(LimitSpan)) {
        if let Some(last) = self.last {
            self.turn(last, out);
        }
        self.round.add(limit, span);
        self.last = Some(now);
        self.turn(now, out);
    }

    /// A round ends.
    pub(super) fn turn(&mut self, now: Timestamp, out: &mut dyn FnMut(LimitSpan)) {
        let (Some(start), Some((limit, score))) = (self.begin, self.round.most()) else { return };
        // A clock that goes back ends no stretch before it began.
        let now = now.max(start);
        self.begin = Some(now);
        self.past.add_all(&std::mem::take(&mut self.round));
        match &mut self.row {
            Some(row) if row.limit == limit => {
                let (old, new) = (row.end.since(row.start).as_secs_f64(), now.since(start).as_secs_f64());
                let both = old + new;
                row.score = if both > 0.0 { (row.score * old + score * new) / both } else { score };
                row.end = now;
            }
            row => {
                if let Some(done) = row.replace(LimitSpan { start, end: now, limit, score }) {
                    out(done);
                }
            }
        }
    }

    /// Nothing follows.
    pub(super) fn finish(&mut self, out: &mut dyn FnMut(LimitSpan)) {
        if let Some(last) = self.last {
            self.turn(last, out);
        }
        if let Some(row) = self.row.take() {
            out(row);
        }
    }

    pub(super) fn charges(&self) -> Charges {
        let mut all = self.past;
        all.add_all(&self.round);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn kinds_are_numbered_in_the_order_of_their_list() {
        for (number, &limit) in Limit::ALL.iter().enumerate() {
            assert_eq!(limit as usize, number);
        }
    }

    #[test]
    fn rows_cover_the_time_and_shares_add_up() {
        let mut clock = LimitClock::default();
        let mut rows = Vec::new();
        let mut push = |row| rows.push(row);
        clock.advance(at(0), None, &mut push);
        clock.now = Limit::CongestionWindow;
        for step in 1..=10 {
            clock.advance(at(step * 10), None, &mut push);
            clock.turn(at(step * 10), &mut push);
        }
        // A silence of 900 ms that a timer ended.
        clock.advance(at(1_000), Some(Limit::Timeout), &mut push);
        clock.finish(&mut push);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].start, rows[0].end, rows[0].limit), (at(0), at(100), Limit::CongestionWindow));
        assert_eq!((rows[1].start, rows[1].end, rows[1].limit), (at(100), at(1_000), Limit::Timeout));
        let shares = clock.charges().shares().unwrap();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[5] - 0.9).abs() < 1e-12);
    }

    #[test]
    fn a_clock_that_goes_back_makes_no_stretch_of_less_than_nothing() {
        let mut clock = LimitClock::default();
        let mut rows = Vec::new();
        let mut push = |row| rows.push(row);
        clock.advance(at(100), None, &mut push);
        for (millis, limit) in [(150, Limit::Bandwidth), (40, Limit::Application), (160, Limit::Bandwidth)] {
            clock.now = limit;
            clock.advance(at(millis), None, &mut push);
            clock.turn(at(millis), &mut push);
        }
        clock.finish(&mut push);
        assert!(!rows.is_empty());
        for row in rows {
            assert!(row.start <= row.end && (0.0..=1.0).contains(&row.score), "{row:?}");
        }
    }
}
