//! One frame: what its segment was, how its verdict came about, and what other programs call it.
//!
//! The capture is read once, up to the moment the verdict is final: the analysis writes down the trail of the one
//! frame, and the rules of the other programs ([`peer`]) run beside it until the frame has passed.

mod nature;
pub mod peer;
mod recent;
mod segment;
pub mod text;
mod words;

use crate::analysis::{Pipeline, Sighting, Trail};
use crate::capture::FrameSource;
use crate::decode::{DecodeOptions, Decoder, EncapId, SKIP_REASONS, Segment, SkipReason, TcpFlags};
use crate::driver::{Options, Progress};
use crate::error::CaptureError;
use crate::report::explanation::{Cause, CopyReport, Explanation, PeerReport, SegmentReport, VerdictReport};
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow, SCHEMA};
use crate::units::Timestamp;
use peer::Hearing;
use recent::Recent;

/// What came of looking for a frame.
#[derive(Debug)]
pub struct Outcome {
    /// The frame, unless the capture has none of this number.
    pub explanation: Option<Explanation>,
    /// Frames that were read: all of them if there is no explanation.
    pub frames: u64,
    /// What ended the reading early.
    pub error: Option<CaptureError>,
}

/// What is known of the frame so far.
struct Found {
    frame: u64,
    at: Timestamp,
    skipped: Option<SkipReason>,
    seen: Option<Seen>,
}

/// What was seen of its segment.
struct Seen {
    flags: TcpFlags,
    encap: EncapId,
    report: SegmentReport,
    sighting: Sighting,
    duplicate_of: Option<u64>,
}

/// Keeps the row of one frame.
struct RowOf {
    frame: u64,
    row: Option<RetransmissionRow>,
}

/// Frames between two calls of the progress function.
const PROGRESS_EVERY: u64 = 1 << 14;

/// Reads `source` until all is known of the frame with this number. Of the `options` those that select are not used: a
/// frame is explained with all others around it.
pub fn explain(
    source: &mut dyn FrameSource,
    options: &Options,
    frame: u64,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut decoder = Decoder::new(DecodeOptions::default());
    let mut pipeline = Pipeline::new(options.pipeline());
    pipeline.watch(frame);
    let mut hearing = Hearing::on(frame);
    let mut recent = Recent::default();
    let mut sink = RowOf { frame, row: None };
    let (mut found, mut frames, mut error) = (None::<Found>, 0, None);
    loop {
        let next = match source.next_frame() {
            Ok(Some(next)) => next,
            Ok(None) => break,
            Err(stopped) => {
                error = Some(stopped);
                break;
            }
        };
        frames += 1;
        let (number, at) = (next.number, next.at);
        match decoder.decode(&next) {
            Ok(segment) => {
                hearing.push(number, Some(&segment));
                pipeline.push(&segment);
                if number == frame {
                    let seen = Seen::new(&segment, &mut pipeline, &recent);
                    found = Some(Found { frame, at, skipped: None, seen });
                } else if found.is_none() {
                    recent.push(&segment);
                }
            }
            Err(reason) => {
                hearing.push(number, None);
                if number == frame {
                    found = Some(Found { frame, at, skipped: Some(reason), seen: None });
                }
            }
        }
        if pipeline.has_output() {
            pipeline.hand_out(&|_| None, &mut sink);
        }
        let heard = |found: &Found| found.seen.is_none() || hearing.said.is_some();
        if found.as_ref().is_some_and(|found| heard(found) && (!found.is_pending() || sink.row.is_some())) {
            break;
        }
        if frames % PROGRESS_EVERY == 0 {
            let (bytes_read, live_connections) = (source.bytes_read(), pipeline.live());
            progress(Progress { frames, bytes_read, live_connections, at });
        }
    }
    pipeline.finish(&|_| None, &mut sink);
    hearing.finish();
    let peers = hearing.said.take().unwrap_or_default();
    let trail = pipeline.take_trail();
    let explanation = found.map(|found| found.tell(sink.row.as_ref(), trail.as_ref(), peers, &decoder));
    Outcome { explanation, frames, error }
}

impl Seen {
    /// `pipeline` has taken in the segment.
    fn new(segment: &Segment<'_>, pipeline: &mut Pipeline, recent: &Recent) -> Option<Self> {
        let sighting = pipeline.take_sighting()?;
        let duplicate = sighting.facts.is_none();
        Some(Self {
            flags: segment.flags,
            encap: segment.encap,
            report: segment::report(segment, &sighting),
            duplicate_of: if duplicate { recent.twin(segment) } else { None },
            sighting,
        })
    }
}

impl Found {
    /// Whether more may become known of it.
    fn is_pending(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.sighting.pending)
    }

    fn tell(
        self,
        row: Option<&RetransmissionRow>,
        trail: Option<&Trail>,
        peers: Vec<PeerReport>,
        decoder: &Decoder,
    ) -> Explanation {
        let (mut what, mut meaning) = ("skipped", "no TCP segment");
        if let Some(reason) = self.skipped {
            meaning = SKIP_REASONS.iter().find(|known| known.0 == reason).map_or(meaning, |known| known.2);
        }
        let (mut segment, mut duplicate_of) = (None, None);
        if let Some(seen) = self.seen {
            (what, meaning) = nature::of(seen.flags, seen.report.len, &seen.sighting, row);
            let path = decoder.encapsulation(seen.encap);
            let encap = (!path.is_empty()).then(|| path.to_string());
            segment = Some(SegmentReport { encap, ..seen.report });
            duplicate_of = seen.duplicate_of;
        }
        Explanation {
            schema: SCHEMA,
            frame: self.frame,
            ts_ns: self.at.as_nanos(),
            what,
            meaning,
            skip_reason: self.skipped.map(SkipReason::name),
            segment,
            duplicate_of,
            copy: trail.map(|trail| copy(trail, self.at)),
            cause: row.and_then(|row| cause(row, trail?)),
            verdict: row.map(|row| VerdictReport {
                kind: row.kind,
                verdict: row.verdict,
                evidence: row.evidence,
                confidence: row.confidence,
            }),
            rules: trail.map(|trail| trail.rules.iter().map(words::rule).collect()).unwrap_or_default(),
            peers,
        }
    }
}

fn copy(trail: &Trail, at: Timestamp) -> CopyReport {
    CopyReport {
        number: trail.copies,
        first_frame: trail.first_frame,
        before_frame: trail.before.map(|(frame, _)| frame),
        before_ns: trail.before.map(|(_, before)| at.since(before).as_nanos()),
        hole_shown_by: trail.hole.as_ref().map(|(_, frame)| *frame),
        hole: trail.hole.as_ref().map(|(bytes, _)| [bytes.start, bytes.end]),
    }
}

fn cause(row: &RetransmissionRow, trail: &Trail) -> Option<Cause> {
    let sender = trail.sender?;
    Some(Cause {
        trigger: row.trigger,
        silence_ns: sender.silence.as_nanos(),
        duplicate_acks: sender.duplicate_acks,
        sacked_above: sender.sacked_above,
        round_trip_ns: sender.round_trip.as_nanos(),
        timeout_ns: sender.timeout.as_nanos(),
        first_outstanding: sender.first_outstanding,
        last_sent: sender.last_sent,
    })
}

impl ReportSink for RowOf {
    fn connection(&mut self, _: ConnectionReport) {}

    fn retransmission(&mut self, row: &RetransmissionRow) {
        if row.frame == self.frame {
            self.row = Some(row.clone());
        }
    }
}
