//! One of the two captures: read, decoded and analysed on its own, as if there were no other.

use crate::analysis::{Observed, Pipeline, PipelineOptions};
use crate::capture::FrameSource;
use crate::decode::{DecodeOptions, Decoder, EncapId};
use crate::driver::Options;
use crate::error::CaptureError;
use crate::report::ReportSink;
use crate::units::Timestamp;

/// Which capture: 0 the one that was named first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tap {
    /// Named first: SENDER.
    First,
    /// Named second: RECEIVER.
    Second,
}

impl Tap {
    /// The other one.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// Its place in a pair.
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// How far a capture has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) frames: u64,
    pub(super) first: Option<Timestamp>,
    /// The latest stamp; the clock of this capture.
    pub(super) last: Option<Timestamp>,
    pub(super) ended: bool,
}

/// A capture that is being read.
pub(super) struct Reading<'a> {
    source: &'a mut dyn FrameSource,
    decoder: Decoder,
    pipeline: Pipeline,
    options: &'a Options,
    pub(super) extent: Extent,
    pub(super) error: Option<CaptureError>,
}

impl<'a> Reading<'a> {
    /// `series` says whether what changes over time is wanted of it.
    pub(super) fn new(source: &'a mut dyn FrameSource, options: &'a Options, series: bool) -> Self {
        Self {
            source,
            decoder: Decoder::new(DecodeOptions::default()),
            pipeline: Pipeline::new(PipelineOptions { series, ..options.pipeline() }),
            options,
            extent: Extent::default(),
            error: None,
        }
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.source.bytes_read()
    }

    pub(super) const fn live(&self) -> usize {
        self.pipeline.live()
    }

    /// Reads one frame. `seen` is told of its segment, `sink` of what that made final.
    pub(super) fn step(&mut self, seen: impl FnOnce(&Observed<'_>)) {
        let frame = match self.source.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => {
                self.extent.ended = true;
                return;
            }
            Err(stopped) => {
                self.error.get_or_insert(stopped);
                self.extent.ended = true;
                return;
            }
        };
        self.extent.frames += 1;
        self.extent.first.get_or_insert(frame.at);
        self.extent.last = self.extent.last.max(Some(frame.at));
        if let Ok(segment) = self.decoder.decode(&frame)
            && self.options.filter.as_ref().is_none_or(|filter| filter.matches(&segment))
        {
            self.pipeline.push_with(&segment, seen);
        }
    }

    /// Hands on what has become final.
    pub(super) fn hand_out(&mut self, sink: &mut dyn ReportSink) {
        if self.pipeline.has_output() {
            let decoder = &self.decoder;
            self.pipeline.hand_out(&|id| name(decoder, id), sink);
        }
    }

    /// Nothing more will come.
    pub(super) fn finish(&mut self, sink: &mut dyn ReportSink) {
        let decoder = &self.decoder;
        self.pipeline.finish(&|id| name(decoder, id), sink);
    }
}

fn name(decoder: &Decoder, id: EncapId) -> Option<String> {
    let path = decoder.encapsulation(id);
    (!path.is_empty()).then(|| path.to_string())
}
