//! The payload of one connection: the analysis with a reassembler on each of its directions.

use std::cell::Cell;

use super::{Options, Progress, read};
use crate::analysis::reassembly::{Event, Payload, Reassembler, ReassemblyCounts, ReassemblyOptions};
use crate::analysis::{Observed, Purpose};
use crate::capture::FrameSource;
use crate::decode::TcpFlags;
use crate::error::CaptureError;
use crate::report::{CaptureReport, ConnectionReport, Dir, ReportSink};
use crate::seq::StreamOffset;
use crate::units::Timestamp;

/// How near another segment or an acknowledgment must come to confirm one that was set aside.
const NEAR: i64 = 1 << 21;

/// Which connection, and the bounds.
#[derive(Clone, Copy, Debug)]
pub struct FollowOptions {
    /// Its number, as in the report on the same selection.
    pub connection: u64,
    /// Bounds of each direction.
    pub reassembly: ReassemblyOptions,
}

/// Takes the payload, while it is read.
pub trait PayloadSink {
    /// Bytes, a gap or a conflict of one direction, in the order of its stream.
    fn event(&mut self, dir: Dir, event: Event<'_>);
}

/// What is known at the end.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The capture as far as it was read: nothing is read once the connection is over.
    pub capture: CaptureReport,
    /// The connection; none has this number where it is missing.
    pub connection: Option<ConnectionReport>,
    /// What became of the client's payload.
    pub c2s: ReassemblyCounts,
    /// What became of the server's payload.
    pub s2c: ReassemblyCounts,
}

/// Hands the payload of one connection to `sink`, each direction in the order of its stream.
///
/// Reads `source` until the connection is over, to its end or to its first error. `progress` returns false to stop early.
pub fn follow(
    source: &mut dyn FrameSource,
    options: &Options,
    follow: &FollowOptions,
    sink: &mut dyn PayloadSink,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> (Followed, Option<CaptureError>) {
    let options = Options { connection: Some(follow.connection), ..options.clone() };
    let over = Cell::new(false);
    let mut ending = Ending { over: &over, report: None };
    let mut listener = Listener { options: follow.reassembly, c2s: None, s2c: None, sink };
    let mut seen = |seen: &Observed<'_>| {
        if seen.connection == follow.connection {
            listener.observe(seen);
        }
    };
    let (capture, error) =
        read(source, &options, &mut ending, &mut |state| progress(state) && !over.get(), Some(&mut seen));
    let (c2s, s2c) = listener.finish();
    (Followed { capture, connection: ending.report, c2s, s2c }, error)
}

/// Waits for the end of the connection.
struct Ending<'a> {
    over: &'a Cell<bool>,
    report: Option<ConnectionReport>,
}

impl ReportSink for Ending<'_> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.over.set(true);
        self.report = Some(connection);
    }
}

/// A segment so far ahead that the stream waits for a second one beside it before it believes the first.
struct Aside {
    frame: u64,
    offset: StreamOffset,
    len: u32,
    bytes: Vec<u8>,
}

/// One direction.
struct Direction {
    reassembler: Reassembler,
    aside: Option<Aside>,
}

struct Listener<'a> {
    options: ReassemblyOptions,
    c2s: Option<Direction>,
    s2c: Option<Direction>,
    sink: &'a mut dyn PayloadSink,
}

impl Direction {
    /// Takes in the segment that was set aside, now that `near` is known to belong to the stream.
    fn confirm(&mut self, near: StreamOffset, now: Timestamp, out: &mut dyn FnMut(Event<'_>)) {
        if let Some(Aside { frame, offset, len, bytes }) =
            self.aside.take_if(|aside| near.since(aside.offset).abs() <= NEAR)
        {
            let payload = Payload { frame, offset: offset.get(), len, bytes: &bytes, on_syn: false };
            self.reassembler.payload(&payload, now, out);
        }
    }
}

impl Listener<'_> {
    fn observe(&mut self, seen: &Observed<'_>) {
        let (segment, facts) = (seen.segment, seen.facts);
        let (mine, theirs, other) = match seen.dir {
            Dir::C2s => (&mut self.c2s, &mut self.s2c, Dir::S2c),
            Dir::S2c => (&mut self.s2c, &mut self.c2s, Dir::C2s),
        };
        if let (Some(peer), Some(ack)) = (theirs, seen.data_ack) {
            let out = &mut |event: Event<'_>| self.sink.event(other, event);
            peer.confirm(ack, segment.at, out);
            peer.reassembler.acknowledged(ack.get(), segment.at, out);
            if segment.flags.is_open_answer() && ack == StreamOffset::ZERO {
                peer.reassembler.syn_data_refused();
            }
        }
        let stream = mine.get_or_insert_with(|| Direction {
            reassembler: Reassembler::new(seen.from_start, self.options),
            aside: None,
        });
        let out = &mut |event: Event<'_>| self.sink.event(seen.dir, event);
        if facts.data_len > 0 {
            stream.confirm(facts.data, segment.at, out);
            let payload = Payload {
                frame: segment.frame,
                offset: facts.data.get(),
                len: facts.data_len,
                bytes: segment.payload,
                on_syn: segment.flags.has(TcpFlags::SYN),
            };
            stream.reassembler.payload(&payload, segment.at, out);
        } else if segment.payload_len > 0
            && facts.purpose == Purpose::Ordinary
            && !segment.flags.has(TcpFlags::RST)
        {
            stream.aside = Some(Aside {
                frame: segment.frame,
                offset: facts.data,
                len: segment.payload_len,
                bytes: segment.payload.to_vec(),
            });
        }
    }

    fn finish(self) -> (ReassemblyCounts, ReassemblyCounts) {
        let sink = self.sink;
        let mut end = |stream: Option<Direction>, dir| {
            stream.map_or_else(ReassemblyCounts::default, |mut stream| {
                stream.reassembler.finish(&mut |event| sink.event(dir, event));
                *stream.reassembler.counts()
            })
        };
        (end(self.c2s, Dir::C2s), end(self.s2c, Dir::S2c))
    }
}

#[cfg(test)]
mod tests;
