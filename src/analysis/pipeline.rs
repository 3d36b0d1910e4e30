//! Segments in, finished connections out: the table of connections with the stages of each.

use super::connection::Connection;
use super::findings::{Findings, Wanted};
use super::handover::{Handover, Waiting};
use super::lone::Lone;
use super::loss::Vantages;
use super::loss::trail::Trail;
use super::multipath::Sessions;
use super::observed::Observed;
use super::summary::{self, EncapNames};
use super::twin::lanes::Lanes;
use super::twin::outbox::Outbox;
use super::watch::{Sighting, Watch};
use crate::decode::Segment;
use crate::flow::{Bounds, Finished, FlowTable, Reason};
use crate::report::{
    ConnectionReport, ConnectionState, DirectionReport, ReportSink, RetransmissionRow, RoleBasis,
};
use crate::units::Span;

/// Half-open connections followed at a time: at 1 kB each a flood of SYNs stays near 100 MB, and an answer still finds its
/// SYN unless so many others came in between.
const MOST_HALF_OPEN: usize = 100_000;

/// Bounds and ways of the pipeline.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes")]
pub struct PipelineOptions {
    /// Most connections followed at a time.
    pub max_connections: usize,
    /// Half-open connections, and closed ones, that are kept as they are; more of either are packed, which takes a fifth of the
    /// memory and some time.
    pub unpacked: usize,
    /// An open connection without packets for so long is finished.
    pub idle_timeout: Span,
    /// Take equal addresses and ports for one connection whatever VLANs and tunnels are around them.
    pub ignore_encap: bool,
    /// Where the tap stands, as far as the user says.
    pub vantages: Vantages,
    /// Make the rows of what changes over time.
    pub series: bool,
    /// Keep the rounds of each direction ([`ReportSink::traces`]), which path inference is made from.
    pub traces: bool,
    /// Take senders whose SYN tells no system for FreeBSD's, and look for the clock of their kernels ([`Trace::clock_hz`](crate::report::Trace)).
    pub freebsd: bool,
    /// Length of the intervals of the interval table.
    pub interval: Span,
    /// Key of the connection table's hash.
    pub hash_seed: u64,
    /// Let the first packet of a connection that was not seen to open wait for another before anything is made of it, which is
    /// told to nobody meanwhile: less memory for a flood of such packets.
    pub lone: bool,
    /// Take no short way for plain segments: slower and otherwise the same, which tests hold.
    #[doc(hidden)]
    pub long_way: bool,
}

/// What the connections add up to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Connections begun.
    pub connections: u64,
    /// Connections finished because too many were live.
    pub evicted: u64,
    /// Packets found to be captured twice.
    pub duplicates: u64,
    /// Bytes acknowledged and never seen, of connections of which both directions were captured.
    pub unseen_bytes: u64,
    /// Stretches of them.
    pub unseen_gaps: u64,
    /// Segments that these must have been.
    pub unseen_segments: u64,
    /// Packets above their connection's MSS.
    pub super_segments: u64,
    /// Connections with packets of one direction only, of those with data.
    pub one_sided: u64,
    /// Connections whose beginning was not captured.
    pub midstream: u64,
    /// Handshakes that were asked for and not answered.
    pub unanswered: u64,
}

/// The analysis of a whole trace.
#[derive(Debug)]
pub struct Pipeline {
    options: PipelineOptions,
    table: FlowTable<Connection>,
    totals: Totals,
    /// What the segment at hand made the stages put out.
    found: Findings,
    /// The same as rows, until they are handed out.
    rows: Vec<RetransmissionRow>,
    handover: Handover,
    watch: Watch,
    sessions: Sessions,
}

impl Pipeline {
    /// Ready for the first segment.
    pub fn new(options: PipelineOptions) -> Self {
        let bounds = Bounds {
            connections: options.max_connections,
            half_open_connections: MOST_HALF_OPEN.min(options.max_connections),
            unpacked: options.unpacked,
            // A SYN is repeated for up to two minutes (Linux: 6 retries, 127 s).
            half_open: Span::from_secs(300),
            open: options.idle_timeout,
            // 2 MSL, RFC 9293 section 3.4.2.
            closed: Span::from_secs(240),
        };
        Self {
            options,
            table: FlowTable::new(bounds, options.hash_seed),
            totals: Totals::default(),
            found: Findings {
                wanted: Wanted {
                    series: options.series,
                    traces: options.traces,
                    freebsd: options.freebsd,
                    interval: options.interval,
                },
                ..Findings::default()
            },
            rows: Vec::new(),
            handover: Handover::default(),
            watch: Watch::default(),
            sessions: Sessions::default(),
        }
    }

    /// The same, with the twins of senders on the threads behind `lanes`. What comes out is the same, some of it later.
    pub fn with_lanes(options: PipelineOptions, lanes: Box<dyn Lanes>) -> Self {
        let mut pipeline = Self::new(options);
        pipeline.found.away = Some(Outbox::new(lanes));
        pipeline
    }

    /// Has [`Self::take_sighting`] and [`Self::take_trail`] tell of the segment in `frame`, which is still to come.
    pub const fn watch(&mut self, frame: u64) {
        self.watch.frame = frame;
    }

    /// What the segment in the watched frame was, once it has passed.
    pub const fn take_sighting(&mut self) -> Option<Sighting> {
        self.watch.sighting.take()
    }

    /// How the segment in the watched frame came by its verdict, once that is final.
    pub const fn take_trail(&mut self) -> Option<Trail> {
        self.watch.trail.take()
    }

    /// Takes in one segment. It may make verdicts final and finish connections, which [`Self::hand_out`] then gives.
    #[inline]
    pub fn push(&mut self, segment: &Segment<'_>) {
        self.push_with(segment, |_| {});
    }

    /// The same, and `seen` is told what the segment was, unless it is a second capture of one seen before.
    #[inline]
    pub fn push_with(&mut self, segment: &Segment<'_>, seen: impl FnOnce(&Observed<'_>)) {
        let (number, found) = (&mut self.totals.connections, &mut self.found);
        let (rows, handover) = (&mut self.rows, &mut self.handover);
        found.place += 1;
        let options = &self.options;
        let watch = &mut self.watch;
        let sessions = &mut self.sessions;
        let may_wait = options.lone && watch.frame == 0 && !options.series;
        self.table.route(
            segment,
            |key, from, reused| {
                *number += 1;
                Connection::starting_with(segment, key, from, *number - 1, reused, options)
            },
            |connection, from| {
                if connection.packets == 0 {
                    if connection.lone.is_some() {
                        connection.take_in_lone(found);
                    } else if may_wait && Lone::may_be(segment) {
                        connection.lone = Some(Box::new(Lone::new(segment, from)));
                        return;
                    }
                }
                let facts = if watch.frame == 0 {
                    connection.observe(segment, from, found)
                } else {
                    watch.observe(connection, segment, from, found)
                };
                if let Some(facts) = facts {
                    if segment.options.multipath.is_some() {
                        connection.observe_multipath(segment, &facts, sessions, found);
                    }
                    seen(&connection.observed(segment, &facts));
                }
                connection.compact_if_over(found);
                // Most packets close nothing.
                if !found.closed.is_empty() {
                    watch.on_closed(connection, &found.closed);
                    rows.extend(found.closed.drain(..).map(|(side, row)| connection.row(side, &row)));
                }
                handover.take_told(connection, found);
            },
        );
    }

    /// Whether there is anything to hand out.
    #[inline]
    pub fn has_output(&self) -> bool {
        self.table.has_finished() || !self.rows.is_empty() || self.has_rows_over_time()
    }

    /// Whether there are rows to hand out, or enough for threads that it is worth to wait for what they gave.
    #[inline]
    fn has_rows_over_time(&self) -> bool {
        self.found.away.as_ref().map_or(!self.handover.series.is_empty(), Outbox::is_full)
    }

    /// The trace is over: every connection left goes to `sink`.
    pub fn finish(&mut self, names: &EncapNames<'_>, sink: &mut dyn ReportSink) {
        self.table.finish();
        self.hand_out(names, sink);
        // The last batch, and what is left of it.
        if self.found.away.is_some() {
            self.exchange(names, sink);
            self.exchange(names, sink);
        }
    }

    /// Connections that are being followed.
    pub const fn live(&self) -> usize {
        self.table.live()
    }

    /// What the connections add up to; complete after [`Self::finish`].
    pub const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Hands final verdicts and finished connections to `sink`; `names` spells out their VLANs and tunnels.
    pub fn hand_out(&mut self, names: &EncapNames<'_>, sink: &mut dyn ReportSink) {
        self.rows.drain(..).for_each(|row| sink.retransmission(&row));
        while let Some(finished) = self.table.next_finished() {
            self.wind_up(finished, sink);
            self.pass_on(names, sink);
        }
        self.pass_on(names, sink);
    }

    /// Hands out what is here; where twins live on other threads, once there is enough for them.
    fn pass_on(&mut self, names: &EncapNames<'_>, sink: &mut dyn ReportSink) {
        match &self.found.away {
            Some(away) if away.is_full() || self.handover.is_crowded() => self.exchange(names, sink),
            Some(_) => {}
            None => self.deliver(self.found.place, names, sink),
        }
    }

    /// Closes what is open of a connection that is over.
    fn wind_up(&mut self, finished: Finished<Connection>, sink: &mut dyn ReportSink) {
        let Self { found, watch, handover, .. } = self;
        let mut connection = finished.connection;
        found.place += 1;
        found.stand(connection.number, connection.lifecycle.client());
        connection.take_in_lone(found);
        connection.finish(found);
        watch.on_closed(&mut connection, &found.closed);
        for (side, row) in found.closed.drain(..) {
            sink.retransmission(&connection.row(side, &row));
        }
        let place = found.place;
        handover.take_told(&connection, found);
        let away = connection.call_home(found);
        let evicted = finished.reason == Reason::Evicted;
        handover.waiting.push_back(Waiting { place, connection, evicted, away });
    }

    /// Has the threads begin the next batch, and hands out what they gave for the last.
    fn exchange(&mut self, names: &EncapNames<'_>, sink: &mut dyn ReportSink) {
        let Some(away) = &mut self.found.away else { return };
        if let Some(place) = away.exchange(&mut self.handover.outputs) {
            self.deliver(place, names, sink);
        }
    }

    fn deliver(&mut self, place: u64, names: &EncapNames<'_>, sink: &mut dyn ReportSink) {
        let totals = &mut self.totals;
        self.handover.deliver(place, sink, &mut |mut connection, evicted, sink| {
            let report = summary::connection(&connection, evicted, names);
            totals.add(&report);
            sink.traces(&report, connection.take_traces());
            sink.connection(report);
        });
    }
}

impl Totals {
    fn add(&mut self, connection: &ConnectionReport) {
        self.evicted += u64::from(connection.evicted);
        let (c2s, s2c) = (&connection.c2s, &connection.s2c);
        let both = c2s.packets > 0 && s2c.packets > 0;
        self.one_sided += u64::from(!both && c2s.data_packets + s2c.data_packets > 0);
        self.midstream += u64::from(matches!(connection.role_basis, RoleBasis::Port | RoleBasis::FirstSeen));
        self.unanswered += u64::from(connection.state == ConnectionState::SynSent);
        for direction in [c2s, s2c] {
            self.duplicates += direction.duplicates;
            self.super_segments += direction.super_segments;
            if both {
                self.unseen_bytes += direction.unseen_bytes;
                self.unseen_gaps += direction.unseen_gaps;
                self.unseen_segments += unseen_segments(direction);
            }
        }
    }
}

/// How many segments the unseen bytes were, if they were as large as the largest seen.
fn unseen_segments(direction: &DirectionReport) -> u64 {
    let size = u64::from(direction.segment_max.unwrap_or(1).max(1));
    direction.unseen_bytes.div_ceil(size).max(direction.unseen_gaps)
}
