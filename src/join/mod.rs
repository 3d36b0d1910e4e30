//! Two captures of the same traffic, one on each side of a path: what became of every packet between them.
//!
//! Both are read in step and analysed each on its own (`tap`). Each packet is looked for in the other capture
//! (`packet`, `queue`); what is found gives the delay and the clocks (`clock`, `delay`), what is not was lost
//! (`way`). So each retransmission is known to have been needed or not (`fate`), and what one tap alone said of it
//! can be scored (`score`). Memory follows what is on the way, a second of each connection's packets, not the captures.

mod burst;
mod clock;
mod delay;
mod fate;
mod flow;
mod order;
mod packet;
mod queue;
mod score;
mod tally;
mod tap;
#[cfg(test)]
mod tests;
pub mod text;
mod way;

use std::collections::{BTreeMap, HashMap};

use ahash::RandomState;

use crate::analysis::Observed;
use crate::capture::FrameSource;
use crate::driver::{Options, Progress as Advance};
use crate::error::CaptureError;
use crate::flow::FlowKey;
use crate::report::join::{ClockReport, JoinReport, JoinedConnection, TapReport};
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow, SCHEMA, SeriesRow, Trace};
use crate::units::{Span, Timestamp};
use clock::{Clocks, Estimate};
use flow::{Finished, Flow, Tallies};
use tap::{Extent, Reading, Tap};
use way::Progress;

/// Packets held for all connections; none is waited for beyond it (about 120 bytes each).
const MOST_PACKETS: usize = 1 << 22;

/// Delay samples held for connections that are over.
const MOST_SAMPLES: usize = 1 << 21;

/// Frames between two calls of the progress function.
const PROGRESS_EVERY: u64 = 1 << 14;

/// How the captures are joined.
#[derive(Clone, Debug, Default)]
pub struct JoinOptions {
    /// Selection and bounds of each capture's own analysis.
    pub analysis: Options,
    /// Both captures were stamped by one clock, or by clocks that agree (PTP): none is estimated.
    pub same_clock: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// The facts.
    pub report: JoinReport,
    /// What ended the reading of either capture early.
    pub errors: [Option<CaptureError>; 2],
}

/// Joins two captures. `sink` gets the retransmissions and connections as the first capture has them, with what both
/// tell in place of what one can.
pub fn join(
    sources: [&mut dyn FrameSource; 2],
    options: &JoinOptions,
    sink: &mut dyn ReportSink,
    progress: &mut dyn FnMut(Advance) -> bool,
) -> Outcome {
    let [first, second] = sources;
    let mut readings = [
        Reading::new(first, &options.analysis, sink.wants_series()),
        Reading::new(second, &options.analysis, false),
    ];
    let mut joiner = Joiner::new(options);
    let mut steps = 0_u64;
    while let Some(tap) = next(&readings, joiner.progress.ahead) {
        let reading = &mut readings[tap.index()];
        let extent = reading.extent;
        reading.step(|seen| joiner.observe(tap, seen, extent));
        joiner.progress.extents[tap.index()] = reading.extent;
        let mut listener = Listener { tap, joiner: &mut joiner, sink };
        reading.hand_out(&mut listener);
        steps += 1;
        if steps.is_multiple_of(PROGRESS_EVERY) {
            let [first, second] = &readings;
            let state = Advance {
                frames: first.extent.frames + second.extent.frames,
                bytes_read: first.bytes_read() + second.bytes_read(),
                live_connections: first.live().max(second.live()),
                at: first.extent.last.or(second.extent.last).unwrap_or_default(),
            };
            if !progress(state) {
                break;
            }
        }
    }
    // The first capture's reports are taken last: each then ends its connection, and none has to be held.
    for tap in [Tap::Second, Tap::First] {
        joiner.progress.extents[tap.index()].ended = true;
        readings[tap.index()].finish(&mut Listener { tap, joiner: &mut joiner, sink });
    }
    joiner.finish(sink);
    let extents = [&readings[0], &readings[1]].map(|reading| reading.extent);
    let report = joiner.report(extents);
    Outcome { report, errors: readings.map(|reading| reading.error) }
}

/// Whose turn it is: the one that is behind by the clocks as far as they are known, and both in turn before.
fn next(readings: &[Reading<'_>; 2], ahead: Option<Span>) -> Option<Tap> {
    let [first, second] = readings.each_ref().map(|reading| &reading.extent);
    Some(match (first.ended, second.ended) {
        (true, true) => return None,
        (true, false) => Tap::Second,
        (false, true) => Tap::First,
        (false, false) => {
            let behind = match (ahead, first.last, second.last) {
                (Some(ahead), Some(one), Some(other)) => one + ahead <= other,
                _ => first.frames <= second.frames,
            };
            if behind { Tap::First } else { Tap::Second }
        }
    })
}

/// What is known of both captures.
struct Joiner {
    same_clock: bool,
    flows: BTreeMap<u64, Box<Flow>>,
    by_number: [HashMap<u64, u64, RandomState>; 2],
    by_key: HashMap<FlowKey, Vec<u64>, RandomState>,
    next_flow: u64,
    progress: Progress,
    clocks: Clocks,
    tallies: Tallies,
    finished: Vec<Finished>,
    /// Connections found in one capture only.
    alone: [u64; 2],
    /// Connections that the analysis of each has finished early.
    evicted: [u64; 2],
    packets_held: usize,
    samples_held: usize,
}

impl Joiner {
    fn new(options: &JoinOptions) -> Self {
        let seed = options.analysis.hash_seed;
        let state = || RandomState::with_seeds(seed, !seed, 3, 4);
        Self {
            same_clock: options.same_clock,
            flows: BTreeMap::new(),
            by_number: [HashMap::with_hasher(state()), HashMap::with_hasher(state())],
            by_key: HashMap::with_hasher(state()),
            next_flow: 0,
            progress: Progress::default(),
            clocks: Clocks::default(),
            tallies: Tallies::default(),
            finished: Vec::new(),
            alone: [0; 2],
            evicted: [0; 2],
            packets_held: 0,
            samples_held: 0,
        }
    }

    fn observe(&mut self, tap: Tap, seen: &Observed<'_>, extent: Extent) {
        let clock = &mut self.progress.extents[tap.index()];
        let at = seen.segment.at;
        *clock = Extent { first: extent.first.or(Some(at)), last: extent.last.max(Some(at)), ..extent };
        let id = self.flow_of(tap, seen);
        let Some(flow) = self.flows.get_mut(&id) else { return };
        self.progress.hurry = self.packets_held > MOST_PACKETS;
        flow.observe(tap, seen, &self.progress, &mut self.clocks);
        let held = flow.hold();
        self.packets_held = self.packets_held + held - flow.held;
        flow.held = held;
        self.progress.ahead = if self.same_clock { Some(Span::ZERO) } else { self.clocks.rough() };
    }

    /// The connection of a segment, which may be known from the other capture.
    fn flow_of(&mut self, tap: Tap, seen: &Observed<'_>) -> u64 {
        if let Some(&id) = self.by_number[tap.index()].get(&seen.connection) {
            return id;
        }
        let key = FlowKey::of(seen.segment).0;
        let known = self.by_key.entry(key).or_default();
        let flows = &mut self.flows;
        let fitting = known.iter().copied().find(|id| flows.get(id).is_some_and(|flow| flow.fits(tap, seen)));
        let id = fitting.unwrap_or_else(|| {
            let id = self.next_flow;
            self.next_flow += 1;
            known.push(id);
            flows.insert(id, Box::new(Flow::new(key)));
            id
        });
        if let Some(flow) = flows.get_mut(&id) {
            flow.attach(tap, seen);
        }
        self.by_number[tap.index()].insert(seen.connection, id);
        id
    }

    /// The analysis of one capture is done with a connection.
    fn closed(&mut self, tap: Tap, report: ConnectionReport, sink: &mut dyn ReportSink) {
        self.evicted[tap.index()] += u64::from(report.evicted);
        let Some(id) = self.by_number[tap.index()].remove(&report.connection) else { return };
        let Some(flow) = self.flows.get_mut(&id) else { return };
        if flow.closed(tap, report) {
            self.finish_flow(id, sink);
        }
    }

    fn finish_flow(&mut self, id: u64, sink: &mut dyn ReportSink) {
        let Some(flow) = self.flows.remove(&id) else { return };
        self.packets_held -= flow.held;
        if let Some(known) = self.by_key.get_mut(&flow.key) {
            known.retain(|known| *known != id);
            if known.is_empty() {
                self.by_key.remove(&flow.key);
            }
        }
        let numbers = flow.numbers;
        match flow.finish(&self.progress, &mut self.clocks, &mut self.tallies, sink) {
            Some(mut finished) => {
                if self.samples_held > MOST_SAMPLES {
                    finished.shrink();
                }
                self.samples_held += finished.held();
                self.finished.push(finished);
            }
            None => {
                for (alone, number) in self.alone.iter_mut().zip(numbers) {
                    *alone += u64::from(number.is_some());
                }
            }
        }
    }

    /// Neither capture has any more.
    fn finish(&mut self, sink: &mut dyn ReportSink) {
        while let Some((&id, _)) = self.flows.first_key_value() {
            self.finish_flow(id, sink);
        }
    }

    fn report(self, extents: [Extent; 2]) -> JoinReport {
        let estimate = if self.same_clock { None } else { self.clocks.estimate() };
        let clock = estimate.unwrap_or_default();
        let mut connections: Vec<JoinedConnection> =
            self.finished.into_iter().map(|finished| finished.report(&clock)).collect();
        connections.sort_by_key(|connection| connection.connection);
        let [first, second] = self.tallies;
        let scores = [
            first[0].report("sender", "sender"),
            first[1].report("sender", "receiver"),
            second[1].report("receiver", "receiver"),
            second[0].report("receiver", "sender"),
        ];
        let tap = |place: usize| TapReport {
            path: String::new(),
            frames: extents[place].frames,
            first_ns: extents[place].first.map(Timestamp::as_nanos),
            last_ns: extents[place].last.map(Timestamp::as_nanos),
            connections_alone: self.alone[place],
            evicted_connections: self.evicted[place],
        };
        JoinReport {
            schema: SCHEMA,
            sender: tap(0),
            receiver: tap(1),
            clock: clock_report(self.same_clock, estimate),
            connections,
            scores: scores.into_iter().flatten().collect(),
        }
    }
}

fn clock_report(same: bool, estimate: Option<Estimate>) -> ClockReport {
    let micros = |span: Span| span.as_micros_f64();
    ClockReport {
        same,
        offset_us: if same { Some(0.0) } else { estimate.map(|found| micros(found.offset)) },
        offset_error_us: if same { Some(0.0) } else { estimate.and_then(|found| found.error).map(micros) },
        drift_ppm: estimate.and_then(|found| found.drift).map(|drift| drift * 1e6),
    }
}

/// Takes what the analysis of one capture makes final.
struct Listener<'a> {
    tap: Tap,
    joiner: &'a mut Joiner,
    sink: &'a mut dyn ReportSink,
}

impl ReportSink for Listener<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.joiner.closed(self.tap, connection, self.sink);
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        let Some(&id) = self.joiner.by_number[self.tap.index()].get(&row.connection) else { return };
        if let Some(flow) = self.joiner.flows.get_mut(&id) {
            flow.said(self.tap, row);
            flow.relieve(&mut self.joiner.tallies, self.sink);
        }
    }
    fn traces(&mut self, connection: &ConnectionReport, traces: [Option<Trace>; 2]) {
        if self.tap == Tap::First {
            self.sink.traces(connection, traces);
        }
    }

    fn wants_series(&self) -> bool {
        self.tap == Tap::First && self.sink.wants_series()
    }

    fn series(&mut self, row: &SeriesRow) {
        if self.tap == Tap::First {
            self.sink.series(row);
        }
    }
}
