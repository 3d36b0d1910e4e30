//! The library's entry: wires the layers from a [`FrameSource`] to a [`Report`].

mod capture_report;
mod follow;
mod lanes;
mod periods;
mod replay;
mod selection;
mod warnings;
mod whatif;

use capture_report::{Counts, Extent};
pub use follow::{FollowOptions, Followed, PayloadSink, follow};
use lanes::Threads;
use periods::Periods;
use replay::Replay;
use selection::Chosen;
pub use selection::TimeBound;
pub use whatif::PredictOptions;
use whatif::Predicting;

use crate::analysis::{Observed, Pipeline, PipelineOptions, Vantages};
use crate::capture::FrameSource;
use crate::decode::{DecodeOptions, Decoder, EncapId, Segment};
use crate::error::CaptureError;
use crate::filter::Filter;
pub use crate::report::ReportSink;
use crate::report::{CaptureReport, Report, SCHEMA};
use crate::units::{Span, Timestamp};

/// What to look at, and the bounds.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only segments that this filter passes.
    pub filter: Option<Filter>,
    /// Only segments from this moment on.
    pub from: Option<TimeBound>,
    /// Only segments up to this moment.
    pub to: Option<TimeBound>,
    /// Only this connection is reported; all are followed, so that its number stays.
    pub connection: Option<u64>,
    /// Take equal addresses and ports for one connection whatever VLANs and tunnels are around them.
    pub ignore_encap: bool,
    /// Where the tap stands, for those who know better than the packets tell.
    pub vantages: Vantages,
    /// Most connections followed at a time; beyond it the idlest are finished.
    pub max_connections: usize,
    /// An open connection without packets for so long is finished.
    pub idle_timeout: Span,
    /// Length of the intervals of the interval table.
    pub interval: Span,
    /// Key of the hash of the connection table, so that no one can choose colliding addresses; any number does.
    pub hash_seed: u64,
    /// Tell what went by in each period of so much of the capture's time ([`ReportSink::period`]).
    pub report_every: Option<Span>,
    /// Threads that analyse; what comes out is the same for any number.
    pub threads: usize,
    /// Predict from the paths of bulk transfers; `None` to leave that out.
    pub predict: Option<PredictOptions>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            filter: None,
            from: None,
            to: None,
            connection: None,
            ignore_encap: false,
            vantages: Vantages::default(),
            max_connections: 1_000_000,
            // Above the two hours of keep-alive's default (RFC 9293 section 3.8.4).
            idle_timeout: Span::from_secs(9_000),
            interval: Span::from_secs(1),
            hash_seed: 0,
            report_every: None,
            threads: 1,
            predict: None,
        }
    }
}

/// How far a run has come; handed out every few thousand frames.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Frames read.
    pub frames: u64,
    /// Bytes of input consumed.
    pub bytes_read: u64,
    /// Connections that are being followed.
    pub live_connections: usize,
    /// Time of the last frame.
    pub at: Timestamp,
}

/// Up to here memory is no concern, and nothing is packed.
const UNPACKED: usize = 4_096;

/// Frames between two calls of the progress function.
const PROGRESS_EVERY: u64 = 1 << 14;

/// Reads `source` to its end (or first error) and hands each connection to `sink` when it is finished.
///
/// `progress` returns false to stop early: what was read so far is then reported.
pub fn analyze_into(
    source: &mut dyn FrameSource,
    options: &Options,
    sink: &mut dyn ReportSink,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> (CaptureReport, Option<CaptureError>) {
    // Nobody is told of a packet when it comes, so that some may wait.
    read(source, options, sink, progress, None::<fn(&Observed<'_>)>)
}

/// The same, and `seen` is told of each segment as it is analysed, before `sink` has what that made final.
pub fn analyze_seeing(
    source: &mut dyn FrameSource,
    options: &Options,
    sink: &mut dyn ReportSink,
    progress: &mut dyn FnMut(Progress) -> bool,
    seen: &mut dyn FnMut(&Observed<'_>),
) -> (CaptureReport, Option<CaptureError>) {
    read(source, options, sink, progress, Some(seen))
}

fn read(
    source: &mut dyn FrameSource,
    options: &Options,
    sink: &mut dyn ReportSink,
    progress: &mut dyn FnMut(Progress) -> bool,
    mut seen: Option<impl FnMut(&Observed<'_>)>,
) -> (CaptureReport, Option<CaptureError>) {
    let mut decoder = Decoder::new(DecodeOptions::default());
    let ways = PipelineOptions { series: sink.wants_series(), lone: seen.is_none(), ..options.pipeline() };
    let mut pipeline = match Threads::beside_this(options.threads) {
        Some(threads) => Pipeline::with_lanes(ways, Box::new(threads)),
        None => Pipeline::new(ways),
    };
    let mut extent = Extent::default();
    let mut replay = Replay::default();
    let mut error = None;
    let mut start = None;
    let mut predicting;
    let sink: &mut dyn ReportSink = match &options.predict {
        Some(predict) => {
            predicting = Predicting::new(sink, predict);
            &mut predicting
        }
        None => sink,
    };
    let mut chosen = Chosen { sink, connection: options.connection, evicted_half_open: 0 };
    let sink = &mut Periods::new(&mut chosen, options.report_every);
    loop {
        let frame = match source.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(stopped) => {
                error = Some(stopped);
                break;
            }
        };
        if sink.ends_with(&frame) {
            sink.tell(frame.at, pipeline.totals().connections, pipeline.live());
        }
        sink.count(&frame);
        extent.add(frame.at);
        let start = *start.get_or_insert(frame.at);
        let again = replay.is_again(&frame);
        // Looked at where it is: it is large.
        let made = decoder.decode(&frame);
        if let Ok(segment) = &made
            && options.selects(segment, start)
        {
            if again {
                extent.repeated += 1;
            } else {
                pipeline.push_with(segment, |observed| {
                    if let Some(seen) = &mut seen {
                        seen(observed);
                    }
                });
            }
        }
        if pipeline.has_output() {
            pipeline.hand_out(&|id| encapsulation(&decoder, id), sink);
        }
        if extent.frames % PROGRESS_EVERY == 0 {
            let state = Progress {
                frames: extent.frames,
                bytes_read: source.bytes_read(),
                live_connections: pipeline.live(),
                at: extent.last.unwrap_or_default(),
            };
            if !progress(state) {
                break;
            }
        }
    }
    pipeline.finish(&|id| encapsulation(&decoder, id), sink);
    let counts = Counts { totals: pipeline.totals(), evicted_half_open: chosen.evicted_half_open };
    (capture_report::build(&source.info(), &decoder, &counts, &extent, error.as_ref()), error)
}

fn encapsulation(decoder: &Decoder, id: EncapId) -> Option<String> {
    let path = decoder.encapsulation(id);
    (!path.is_empty()).then(|| path.to_string())
}

impl Options {
    /// The bounds and ways of the pipeline, for those who push segments themselves.
    pub const fn pipeline(&self) -> PipelineOptions {
        PipelineOptions {
            max_connections: self.max_connections,
            idle_timeout: self.idle_timeout,
            ignore_encap: self.ignore_encap,
            vantages: self.vantages,
            series: false,
            traces: self.predict.is_some(),
            freebsd: self.takes_for_freebsd(),
            unpacked: UNPACKED,
            interval: self.interval,
            hash_seed: self.hash_seed,
            lone: false,
            long_way: false,
        }
    }

    const fn takes_for_freebsd(&self) -> bool {
        matches!(&self.predict, Some(PredictOptions { profile: Some(profile), .. }) if profile.is_freebsd())
    }

    #[inline]
    fn selects(&self, segment: &Segment<'_>, start: Timestamp) -> bool {
        selection::within(segment.at, start, self.from, self.to)
            && self.filter.as_ref().is_none_or(|filter| filter.matches(segment))
    }
}

/// Reads `source` to its end (or first error) and gives the whole report, with the error that ended it early.
pub fn analyze(source: &mut dyn FrameSource, options: &Options) -> (Report, Option<CaptureError>) {
    let mut connections = Vec::new();
    let (capture, error) = analyze_into(source, options, &mut connections, &mut |_| true);
    connections.sort_by_key(|connection| connection.connection);
    (Report { schema: SCHEMA, capture, connections }, error)
}
