//! Gathers what plots show, while a capture is read: the series of the largest connections, and of the capture as a whole.
//!
//! Memory is bounded: each series is thinned, and where too many connections are open at once the smallest of them lose
//! theirs; [`Traces::missed`] tells of those that would have been among the largest.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::capture_trace::CaptureTrace;
use super::thin::{Stretch, Value};
use super::trace::{AckPoint, DirectionTrace, DirectionView};
use crate::analysis::Observed;
use crate::decode::TcpFlags;
use crate::report::{ConnectionReport, Dir, ReportSink, RetransmissionRow, SeriesRow};

/// Samples that are held at most for connections that are still open: some 60 MB.
const BUDGET: usize = 2_000_000;
/// Samples that are held at most for finished ones: some 120 MB.
const FINISHED_BUDGET: usize = 4_000_000;
/// Packets between two looks at the budget.
const LOOK_EVERY: u64 = 1 << 16;

/// The series of one connection.
#[derive(Clone, Debug, Default)]
struct ConnectionTrace {
    first: i64,
    bytes: u64,
    c2s: Option<Box<DirectionTrace>>,
    s2c: Option<Box<DirectionTrace>>,
}

/// Payload bytes, and the number of the connection.
type Rank = (u64, Reverse<u64>);

/// The series of many connections.
#[derive(Clone, Debug)]
pub struct Traces {
    only: Option<u64>,
    most: usize,
    open: BTreeMap<u64, ConnectionTrace>,
    /// The smallest first; of equal ones the latest.
    finished: BTreeMap<Rank, (ConnectionReport, ConnectionTrace)>,
    /// Samples in them.
    held: usize,
    /// Connections below this number that are not open have none any more.
    next: u64,
    packets: u64,
    /// The largest connections that had lost their series: payload bytes and number.
    lost: Vec<(u64, u64)>,
    capture: CaptureTrace,
}

impl Traces {
    /// Of the `most` connections with the most payload; `only` keeps one and no other.
    pub fn new(most: usize, only: Option<u64>) -> Self {
        Self {
            only,
            most,
            open: BTreeMap::new(),
            finished: BTreeMap::new(),
            held: 0,
            next: 0,
            packets: 0,
            lost: Vec::new(),
            capture: CaptureTrace::default(),
        }
    }

    /// Takes in a packet.
    pub fn packet(&mut self, seen: &Observed<'_>) {
        let at = seen.segment.at.as_nanos();
        let fresh = u64::from(seen.facts.fresh);
        self.capture.packet(at, [fresh, u64::from(seen.segment.wire_len)]);
        if self.only.is_some_and(|only| only != seen.connection) {
            return;
        }
        if seen.connection >= self.next {
            self.next = seen.connection + 1;
            self.open.insert(seen.connection, ConnectionTrace { first: at, ..ConnectionTrace::default() });
        }
        let Some(trace) = self.open.get_mut(&seen.connection) else { return };
        trace.bytes += fresh;
        trace.observe(seen);
        self.packets += 1;
        if self.packets.is_multiple_of(LOOK_EVERY) {
            self.keep_within(BUDGET);
        }
    }

    /// Connections that are among the `most` largest but lost their series to bound memory, in order of their numbers.
    pub fn missed(&self, most: usize) -> Vec<u64> {
        // The smallest of those that have series; while there is room for more, none is too small.
        let smallest = most.checked_sub(1).and_then(|place| self.finished.keys().rev().nth(place));
        let least = smallest.map_or(0, |(bytes, _)| *bytes);
        let mut missed: Vec<u64> =
            self.lost.iter().filter(|(bytes, _)| *bytes > least).map(|(_, number)| *number).collect();
        missed.sort_unstable();
        missed
    }

    /// Takes note of one that has no series any more.
    fn lose(&mut self, connection: &ConnectionReport) {
        if self.only.is_none() {
            self.lost.push((connection.unique_bytes(), connection.connection));
            if self.lost.len() > 2 * self.most {
                self.lost.sort_unstable_by(|a, b| b.cmp(a));
                self.lost.truncate(self.most);
            }
        }
    }

    /// The capture as a whole.
    pub const fn capture(&self) -> &CaptureTrace {
        &self.capture
    }

    /// What was gathered of finished connections, in order of their numbers; directions without data are left out.
    pub fn views(&self) -> Vec<DirectionView<'_>> {
        self.views_of(usize::MAX)
    }

    /// The same of the `most` largest.
    pub fn views_of(&self, most: usize) -> Vec<DirectionView<'_>> {
        let mut views: Vec<DirectionView<'_>> = self.largest().take(most).flatten().collect();
        views.sort_by_key(|view| (view.connection.connection, view.dir));
        views
    }

    /// Finished connections, the largest first, each with its directions that carry data.
    pub fn largest(&self) -> impl Iterator<Item = Vec<DirectionView<'_>>> {
        self.finished.values().rev().map(|(connection, trace)| {
            let sides = [(Dir::C2s, &trace.c2s), (Dir::S2c, &trace.s2c)];
            let known = sides.into_iter().filter_map(|(dir, trace)| Some((dir, trace.as_deref()?)));
            known
                .filter(|(_, trace)| !trace.segments.is_empty())
                .map(|(dir, trace)| DirectionView { connection, dir, trace })
                .collect()
        })
    }

    /// Lets the smallest open connections go until at most `budget` samples are held.
    fn keep_within(&mut self, budget: usize) {
        let mut sizes: Vec<(u64, u64, usize)> =
            self.open.iter().map(|(number, trace)| (trace.bytes, *number, trace.size())).collect();
        let mut total: usize = sizes.iter().map(|(.., size)| size).sum();
        if total <= budget {
            return;
        }
        sizes.sort_unstable();
        // Half of it, so that it takes a while until the next time.
        for (_, number, size) in sizes {
            if total <= budget / 2 {
                break;
            }
            self.open.remove(&number);
            total -= size;
        }
    }

    fn direction(&mut self, connection: u64, dir: Dir) -> Option<&mut DirectionTrace> {
        self.open.get_mut(&connection).map(|trace| trace.direction(dir))
    }
}

impl ReportSink for Traces {
    fn connection(&mut self, connection: ConnectionReport) {
        self.capture.connection(&connection);
        let Some(mut trace) = self.open.remove(&connection.connection) else {
            self.lose(&connection);
            return;
        };
        trace.c2s.iter_mut().chain(&mut trace.s2c).for_each(|direction| direction.finish());
        self.held += trace.size();
        self.finished
            .insert((connection.unique_bytes(), Reverse(connection.connection)), (connection, trace));
        while self.finished.len() > self.most || self.held > FINISHED_BUDGET {
            let Some((_, (report, trace))) = self.finished.pop_first() else { break };
            self.held -= trace.size();
            if self.finished.len() < self.most {
                self.lose(&report);
            }
        }
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if let Some(direction) = self.direction(row.connection, row.dir) {
            direction.verdict(row);
        }
    }

    fn wants_series(&self) -> bool {
        true
    }

    fn series(&mut self, row: &SeriesRow) {
        match row {
            SeriesRow::Rtt(row) => {
                if let Some(direction) = self.direction(row.connection, row.dir) {
                    direction.round_trip(row);
                }
            }
            SeriesRow::Window(row) => {
                if let Some(direction) = self.direction(row.connection, row.dir) {
                    direction.window(row);
                }
            }
            SeriesRow::Limit(row) => {
                if let Some(direction) = self.direction(row.connection, row.dir) {
                    direction.limit(row);
                }
            }
            // Throughput comes from the packets themselves, in stretches that fit the picture.
            SeriesRow::Interval(_) => {}
        }
    }
}

/// Shared, since the analysis tells of packets and of what it makes of them in two places.
impl ReportSink for &RefCell<Traces> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.borrow_mut().connection(connection);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.borrow_mut().retransmission(row);
    }

    fn wants_series(&self) -> bool {
        true
    }

    fn series(&mut self, row: &SeriesRow) {
        self.borrow_mut().series(row);
    }
}

impl ConnectionTrace {
    fn direction(&mut self, dir: Dir) -> &mut DirectionTrace {
        let first = self.first;
        let place = match dir {
            Dir::C2s => &mut self.c2s,
            Dir::S2c => &mut self.s2c,
        };
        place.get_or_insert_with(|| Box::new(DirectionTrace::new(first)))
    }

    fn size(&self) -> usize {
        self.c2s.iter().chain(&self.s2c).map(|direction| direction.size()).sum()
    }

    fn observe(&mut self, seen: &Observed<'_>) {
        let (segment, facts) = (seen.segment, seen.facts);
        let (at, frame) = (segment.at.as_nanos(), segment.frame);
        let own = self.direction(seen.dir);
        own.packet(at, [u64::from(facts.fresh), u64::from(segment.wire_len)]);
        if facts.data_len > 0 {
            let (low, high) = (facts.data.get(), facts.data_end().get());
            own.origin.get_or_insert(if seen.from_start { 0 } else { low });
            own.segments.push(Stretch { at, low, high, frame });
            own.sizes.push(Value { at, value: f64::from(facts.data_len) });
        }
        // An RST acknowledges nothing that matters any more.
        if let Some(ack) = facts.ack.filter(|_| !segment.flags.has(TcpFlags::RST)) {
            let other = match seen.dir {
                Dir::C2s => Dir::S2c,
                Dir::S2c => Dir::C2s,
            };
            let peer = self.direction(other);
            let offset = seen.data_ack.unwrap_or(ack).get();
            // The window of a SYN is never scaled (RFC 7323 section 2.2): it has no place on a scaled line.
            if !segment.flags.has(TcpFlags::SYN) {
                peer.acks.push(AckPoint { at, offset, window: segment.window, frame });
            }
            for (n, (start, end)) in segment.options.sack.iter().enumerate() {
                let distance = |number: crate::seq::SeqNumber| i64::from(number.distance_from(segment.ack));
                let block = Stretch {
                    at,
                    low: ack.get().saturating_add(distance(start)),
                    high: ack.get().saturating_add(distance(end)),
                    frame,
                };
                if block.low >= block.high {
                    continue;
                }
                if n == 0 && facts.dsack { peer.dsacks.push(block) } else { peer.sacks.push(block) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(number: u64, bytes: u64) -> ConnectionReport {
        let mut report = ConnectionReport { connection: number, ..ConnectionReport::default() };
        report.c2s.unique_bytes = bytes;
        report
    }

    #[test]
    fn the_largest_are_kept_and_the_rest_is_counted() {
        let mut traces = Traces::new(2, None);
        for (number, bytes) in [(0, 10), (1, 30), (2, 20), (3, 5)] {
            let mut trace = ConnectionTrace { bytes, ..ConnectionTrace::default() };
            trace.direction(Dir::C2s).segments.push(Stretch { at: 0, low: 0, high: 1, frame: 1 });
            traces.open.insert(number, trace);
            traces.connection(finished(number, bytes));
        }
        let kept: Vec<u64> = traces.views().iter().map(|view| view.connection.connection).collect();
        assert_eq!(kept, [1, 2]);
        assert!(traces.missed(2).is_empty());
        // Two that have no series, one of them larger than one that has.
        traces.connection(finished(7, 25));
        traces.connection(finished(8, 15));
        assert_eq!(traces.missed(2), [7]);
        assert!(traces.missed(1).is_empty(), "the largest is there");
    }

    #[test]
    fn above_the_budget_the_smallest_go() {
        let mut traces = Traces::new(9, None);
        for number in 0..100 {
            let mut trace = ConnectionTrace { bytes: number, ..ConnectionTrace::default() };
            trace.direction(Dir::C2s);
            traces.open.insert(number, trace);
        }
        let each = traces.open[&0].size();
        traces.keep_within(50 * each);
        assert_eq!(traces.open.len(), 25);
        assert!(traces.open.contains_key(&99) && !traces.open.contains_key(&74));
    }
}
