//! The interval table: what iperf3 prints each second, from the wire.

use crate::units::{Span, Timestamp};

/// Intervals without anything that are still told one by one.
const MOST_EMPTY: i64 = 600;

/// One interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct IntervalSpan {
    pub(in crate::analysis) start: Timestamp,
    pub(in crate::analysis) end: Timestamp,
    pub(in crate::analysis) bytes: u64,
    pub(in crate::analysis) resent: u64,
    /// Smoothed RTT and congestion window in bytes at its end.
    pub(in crate::analysis) rtt: Option<Span>,
    pub(in crate::analysis) window: Option<u64>,
}

/// Sums up the interval under way.
#[derive(Clone, Debug)]
pub(super) struct IntervalClock {
    length: Span,
    start: Option<Timestamp>,
    bytes: u64,
    resent: u64,
    last: Option<Timestamp>,
}

impl IntervalClock {
    /// Intervals of this length from the first data on; at least a millisecond.
    pub(super) fn new(length: Span) -> Self {
        Self { length: length.max(Span::from_millis(1)), start: None, bytes: 0, resent: 0, last: None }
    }

    /// Time has come to `now`: tells the intervals that are over, with what holds at their ends.
    pub(super) fn advance(
        &mut self,
        now: Timestamp,
        rtt: Option<Span>,
        window: Option<u64>,
        out: &mut dyn FnMut(IntervalSpan),
    ) {
        let Some(mut start) = self.start else { return };
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        let over = now.since(start).as_nanos() / self.length.as_nanos();
        if over > MOST_EMPTY {
            // The one under way, and on to the one at hand.
            out(self.close(start, start + self.length, rtt, window));
            self.start = Some(start + Span::from_nanos(over.saturating_mul(self.length.as_nanos())));
            return;
        }
        while now.since(start) >= self.length {
            let end = start + self.length;
            out(self.close(start, end, rtt, window));
            start = end;
        }
        self.start = Some(start);
    }

    /// The interval under way ends; what it counted is forgotten.
    fn close(
        &mut self,
        start: Timestamp,
        end: Timestamp,
        rtt: Option<Span>,
        window: Option<u64>,
    ) -> IntervalSpan {
        let (bytes, resent) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.resent));
        IntervalSpan { start, end, bytes, resent, rtt, window }
    }

    /// New bytes, and segments of an MSS sent again: a super-segment is several, as the kernel counts them.
    pub(super) fn count(&mut self, now: Timestamp, bytes: u64, resent: u64) {
        self.start.get_or_insert(now);
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        self.bytes += bytes;
        self.resent += resent;
    }

    /// Nothing follows: the interval under way ends with the last that passed.
    pub(super) fn finish(
        &mut self,
        rtt: Option<Span>,
        window: Option<u64>,
        out: &mut dyn FnMut(IntervalSpan),
    ) {
        if let (Some(start), Some(end)) = (self.start.take(), self.last)
            && end > start
        {
            out(self.close(start, end, rtt, window));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_one_interval() {
        let at = |millis: i64| Timestamp::from_nanos(millis * 1_000_000);
        let mut clock = IntervalClock::new(Span::from_secs(1));
        let mut rows = Vec::new();
        for step in 0..25 {
            clock.advance(at(step * 100), None, Some(7), &mut |row| rows.push(row));
            clock.count(at(step * 100), 1_000, u64::from(step == 11));
        }
        clock.finish(None, Some(7), &mut |row| rows.push(row));
        assert_eq!(rows.iter().map(|row| row.bytes).collect::<Vec<_>>(), [10_000, 10_000, 5_000]);
        assert_eq!(rows.iter().map(|row| row.resent).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!((rows[2].start, rows[2].end), (at(2_000), at(2_400)));
    }

    #[test]
    fn a_silence_of_years_is_not_told_second_by_second() {
        let mut clock = IntervalClock::new(Span::from_secs(1));
        let mut rows = 0;
        clock.count(Timestamp::ZERO, 5, 0);
        clock.advance(Timestamp::MAX, None, None, &mut |_| rows += 1);
        assert_eq!(rows, 1);
    }
}
