//! What the plots of one direction are made of: bounded series of its packets, ACKs, windows, samples and verdicts.

use super::bins::{Bins, Sums};
use super::thin::{KEPT, Sample, Stretch, Thinned, Value, outline};
use crate::report::{
    ConnectionReport, Dir, DirectionReport, Kind, Limit, LimitRow, RetransmissionRow, RttRow, RttSource,
    Verdict, WindowPhase, WindowRow,
};

/// Stretches of one limit or phase that are held at most; beyond it the shortest go.
const MOST_SPELLS: usize = 2_048;

/// An acknowledgment of this direction's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckPoint {
    /// When, ns.
    pub at: i64,
    /// Up to which offset.
    pub offset: i64,
    /// The window field, not scaled; that of a SYN never is.
    pub window: u16,
    /// Its frame.
    pub frame: u64,
}

impl Sample for AckPoint {
    fn at(&self) -> i64 {
        self.at
    }

    /// The corners of the ACK line, and the moments at which the window was smallest and largest.
    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>) {
        outline(part, out, |one| Some(f64::from(one.window)));
    }
}

/// A segment with a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When, ns.
    pub at: i64,
    /// Frame.
    pub frame: u64,
    /// Offset of its first byte.
    pub offset: i64,
    /// Payload bytes.
    pub len: u32,
    /// What it is.
    pub kind: Kind,
    /// Whether it was needed.
    pub verdict: Option<Verdict>,
    /// The rule that decided.
    pub evidence: &'static str,
}

impl Sample for Mark {
    fn at(&self) -> i64 {
        self.at
    }

    /// One of each kind and verdict.
    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>) {
        let mut kept: Vec<Self> = Vec::new();
        for mark in part.iter() {
            let known = kept.iter().any(|one| one.kind == mark.kind && one.verdict == mark.verdict);
            if !known && kept.len() < KEPT {
                kept.push(*mark);
            }
        }
        out.append(&mut kept);
    }
}

/// The congestion window and what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CwndPoint {
    /// When, ns.
    pub at: i64,
    /// The estimate, bytes.
    pub cwnd: Option<u64>,
    /// The least and the most that it may be.
    pub band: Option<[u64; 2]>,
}

impl Sample for CwndPoint {
    fn at(&self) -> i64 {
        self.at
    }

    fn thin(part: &mut Vec<Self>, out: &mut Vec<Self>) {
        outline(part, out, |one| one.cwnd.map(|cwnd| cwnd as f64));
    }
}

/// A stretch of time of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spell<T> {
    /// Its begin, ns.
    pub from: i64,
    /// Its end, ns.
    pub to: i64,
    /// Its kind.
    pub kind: T,
}

/// RFC 6298 over samples, for the lines that a sender's timer follows.
#[derive(Clone, Copy, Debug, Default)]
struct Estimator {
    srtt: Option<f64>,
    rttvar: f64,
    base: Option<f64>,
}

/// The series of one direction.
#[derive(Clone, Debug)]
pub struct DirectionTrace {
    /// Data segments.
    pub segments: Thinned<Stretch>,
    /// Acknowledgments of them.
    pub acks: Thinned<AckPoint>,
    /// SACK blocks.
    pub sacks: Thinned<Stretch>,
    /// SACK blocks that report a duplicate.
    pub dsacks: Thinned<Stretch>,
    /// Segments with a verdict.
    pub marks: Thinned<Mark>,
    /// Payload of data segments, bytes.
    pub sizes: Thinned<Value>,
    /// Round-trip samples by source, seconds.
    pub rtt: [Thinned<Value>; 4],
    /// The smoothed RTT (RFC 6298), the least so far, and the timer that follows from it, seconds.
    pub smoothed: Thinned<Value>,
    /// The least RTT so far, seconds.
    pub base: Thinned<Value>,
    /// The retransmission timer, seconds.
    pub rto: Thinned<Value>,
    /// Bytes in flight.
    pub flight: Thinned<Value>,
    /// The congestion window.
    pub cwnd: Thinned<CwndPoint>,
    /// The receive window, bytes.
    pub rwnd: Thinned<Value>,
    /// States of the sender.
    pub phases: Vec<Spell<WindowPhase>>,
    /// What held the transfer back.
    pub limits: Vec<Spell<Limit>>,
    /// Bytes over time.
    pub amounts: Bins,
    /// Offset of its first data byte, which counts as 0.
    pub(super) origin: Option<i64>,
    estimator: Estimator,
}

/// The places of sources in [`DirectionTrace::rtt`].
pub const SOURCES: [RttSource; 4] =
    [RttSource::Ack, RttSource::Timestamp, RttSource::Sack, RttSource::Handshake];

/// What is told of a direction beside its series.
#[derive(Clone, Copy, Debug)]
pub struct DirectionView<'a> {
    /// The connection.
    pub connection: &'a ConnectionReport,
    /// The direction.
    pub dir: Dir,
    /// Its series.
    pub trace: &'a DirectionTrace,
}

impl DirectionTrace {
    /// Of a connection whose first packet was at `first`.
    pub fn new(first: i64) -> Self {
        Self {
            segments: Thinned::default(),
            acks: Thinned::default(),
            sacks: Thinned::default(),
            dsacks: Thinned::default(),
            marks: Thinned::default(),
            sizes: Thinned::default(),
            rtt: Default::default(),
            smoothed: Thinned::default(),
            base: Thinned::default(),
            rto: Thinned::default(),
            flight: Thinned::default(),
            cwnd: Thinned::default(),
            rwnd: Thinned::default(),
            phases: Vec::new(),
            limits: Vec::new(),
            amounts: Bins::new(first),
            origin: None,
            estimator: Estimator::default(),
        }
    }

    /// A packet of the direction.
    pub(super) fn packet(&mut self, at: i64, sums: Sums) {
        self.amounts.add(at, sums);
    }

    /// A row of verdicts; its offset counts from the origin already.
    pub(super) fn verdict(&mut self, row: &RetransmissionRow) {
        self.marks.push(Mark {
            at: row.ts_ns,
            frame: row.frame,
            offset: row.offset,
            len: row.len,
            kind: row.kind,
            verdict: row.verdict,
            evidence: row.evidence,
        });
    }

    pub(super) fn round_trip(&mut self, row: &RttRow) {
        let (at, seconds) = (row.ts_ns, row.rtt_us / 1e6);
        let place = SOURCES.iter().position(|source| *source == row.source);
        if let Some(series) = place.and_then(|place| self.rtt.get_mut(place)) {
            series.push(Value { at, value: seconds });
        }
        let own = &mut self.estimator;
        let (srtt, rttvar) = match own.srtt {
            None => (seconds, seconds / 2.0),
            // RFC 6298 section 2.3.
            Some(srtt) => (0.875 * srtt + 0.125 * seconds, 0.75 * own.rttvar + 0.25 * (srtt - seconds).abs()),
        };
        let base = own.base.map_or(seconds, |base| base.min(seconds));
        *own = Estimator { srtt: Some(srtt), rttvar, base: Some(base) };
        self.smoothed.push(Value { at, value: srtt });
        self.base.push(Value { at, value: base });
        self.rto.push(Value { at, value: srtt + (4.0 * rttvar).max(LEAST_VARIANCE) });
    }

    pub(super) fn window(&mut self, row: &WindowRow) {
        let at = row.ts_ns;
        self.flight.push(Value { at, value: row.flight_bytes as f64 });
        let band = row.cwnd_low_bytes.zip(row.cwnd_high_bytes).map(|(low, high)| [low, high]);
        if row.cwnd_bytes.is_some() || band.is_some() {
            self.cwnd.push(CwndPoint { at, cwnd: row.cwnd_bytes, band });
        }
        if let Some(rwnd) = row.rwnd_bytes {
            self.rwnd.push(Value { at, value: rwnd as f64 });
        }
        // A phase lasts until the next begins.
        if let Some(last) = self.phases.last_mut() {
            last.to = last.to.max(at);
        }
        spell(&mut self.phases, at, at, row.phase);
    }

    pub(super) fn limit(&mut self, row: &LimitRow) {
        spell(&mut self.limits, row.start_ns, row.end_ns, row.limit);
    }

    /// How many samples it holds, its own frame among them.
    pub(super) fn size(&self) -> usize {
        let values = [&self.sizes, &self.smoothed, &self.base, &self.rto, &self.flight, &self.rwnd];
        let own: usize = values.into_iter().chain(&self.rtt).map(Thinned::len).sum();
        let stretches = self.segments.len() + self.sacks.len() + self.dsacks.len();
        FRAME
            + own
            + stretches
            + self.acks.len()
            + self.marks.len()
            + self.cwnd.len()
            + self.phases.len()
            + self.limits.len()
            + self.amounts.len()
    }

    /// Puts everything in order of time, offsets counting from the first data byte.
    pub(super) fn finish(&mut self) {
        let origin = self.origin.unwrap_or(0);
        for series in [&mut self.segments, &mut self.sacks, &mut self.dsacks] {
            series.finish();
            series.shift(|one| {
                one.low -= origin;
                one.high -= origin;
            });
        }
        self.acks.finish();
        self.acks.shift(|one| one.offset -= origin);
        self.marks.finish();
        self.cwnd.finish();
        let values = [&mut self.sizes, &mut self.smoothed, &mut self.base, &mut self.rto, &mut self.flight];
        values.into_iter().chain(&mut self.rtt).for_each(Thinned::finish);
        self.rwnd.finish();
    }
}

/// An empty trace takes as much memory as so many samples.
const FRAME: usize = 32;

/// Linux's least for four deviations (`TCP_RTO_MIN`), seconds.
const LEAST_VARIANCE: f64 = 0.2;

/// Makes the last stretch longer, or begins another.
fn spell<T: PartialEq + Copy>(list: &mut Vec<Spell<T>>, from: i64, to: i64, kind: T) {
    match list.last_mut() {
        Some(newest) if newest.kind == kind => newest.to = newest.to.max(to),
        _ => list.push(Spell { from, to, kind }),
    }
    if list.len() > MOST_SPELLS {
        shorten(list);
    }
}

/// Lets the shorter half go; each gap belongs to the stretch before it.
fn shorten<T: PartialEq + Copy>(list: &mut Vec<Spell<T>>) {
    let mut lengths: Vec<i64> = list.iter().map(|one| one.to.saturating_sub(one.from)).collect();
    lengths.sort_unstable();
    let middle = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    let mut kept: Vec<Spell<T>> = Vec::with_capacity(list.len());
    for (n, one) in list.iter().enumerate() {
        match kept.last_mut() {
            Some(before) if before.kind == one.kind => before.to = one.to,
            // Those of middle length go by turns, so that equal ones are halved too.
            Some(before) if one.to.saturating_sub(one.from) < middle || n % 2 == 0 => before.to = one.to,
            _ => kept.push(*one),
        }
    }
    *list = kept;
}

impl DirectionView<'_> {
    /// What its packets were counted to.
    pub const fn report(&self) -> &DirectionReport {
        match self.dir {
            Dir::C2s => &self.connection.c2s,
            Dir::S2c => &self.connection.s2c,
        }
    }

    /// What those of the other direction were counted to.
    pub const fn peer(&self) -> &DirectionReport {
        match self.dir {
            Dir::C2s => &self.connection.s2c,
            Dir::S2c => &self.connection.c2s,
        }
    }

    /// Seconds since the connection's first packet.
    pub fn seconds(&self, at: i64) -> f64 {
        at.saturating_sub(self.connection.first_ns) as f64 / 1e9
    }

    /// A title that says whose picture it is.
    pub fn title(&self, what: &str) -> String {
        let connection = self.connection;
        let host = |ip: &str, port: u16| {
            if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
        };
        let client = host(&connection.client_ip, connection.client_port);
        let server = host(&connection.server_ip, connection.server_port);
        let (from, to) = match self.dir {
            Dir::C2s => (client, server),
            Dir::S2c => (server, client),
        };
        format!("{what} of connection {}, {from} → {to}", connection.connection)
    }

    /// `[seconds, value]` of a series.
    pub fn line(&self, series: &Thinned<Value>) -> Vec<[f64; 2]> {
        series.as_slice().iter().map(|one| [self.seconds(one.at), one.value]).collect()
    }
}
