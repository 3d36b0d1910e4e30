//! The report's `capture` object, put together from what each layer counted.

use super::warnings;
use crate::analysis::Totals;
use crate::capture::CaptureInfo;
use crate::decode::{Decoder, link};
use crate::error::CaptureError;
use crate::report::{CaptureDrops, CaptureReport, Cleaned};
use crate::units::Timestamp;

/// Frames and the time they span.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) frames: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    /// Segments in frames that came again after the clock jumped back.
    pub(super) repeated: u64,
}

impl Extent {
    #[inline]
    pub(super) fn add(&mut self, at: Timestamp) {
        self.frames += 1;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }
}

/// What the connections come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<'a> {
    pub(super) totals: &'a Totals,
    /// Of those that were finished early the half-open ones.
    pub(super) evicted_half_open: u64,
}

/// Fills in the report. Names of files are the caller's to add: the source may have none.
pub(super) fn build(
    info: &CaptureInfo,
    decoder: &Decoder,
    counts: &Counts<'_>,
    extent: &Extent,
    error: Option<&CaptureError>,
) -> CaptureReport {
    let totals = counts.totals;
    let mut report = CaptureReport {
        format: info.format.clone(),
        compression: info.compression.clone(),
        link_types: info.link_types.iter().map(|&link| link::describe(link)).collect(),
        interfaces: info.interfaces,
        frames: extent.frames,
        bytes: info.wire_bytes,
        captured_bytes: info.captured_bytes,
        cut_frames: info.cut_frames,
        tcp_segments: decoder.segments(),
        connections: totals.connections,
        first_ns: extent.first.map(Timestamp::as_nanos),
        last_ns: extent.last.map(Timestamp::as_nanos),
        truncated: error.is_some_and(CaptureError::is_truncation),
        read_error: error.map(ToString::to_string),
        skipped: decoder.skipped().map(|(reason, frames)| (reason.name().to_owned(), frames)).collect(),
        skipped_records: info
            .skipped_records
            .iter()
            .map(|(reason, count)| ((*reason).to_owned(), *count))
            .collect(),
        cleaned: Cleaned {
            duplicates: totals.duplicates + extent.repeated,
            repeated: extent.repeated,
            clock_disorder: info.clock_disorder,
            odd_stamps: info.odd_stamps,
        },
        capture_drops: CaptureDrops {
            interface: info.interface_drops,
            unseen_bytes: totals.unseen_bytes,
            unseen_gaps: totals.unseen_gaps,
            unseen_segments: totals.unseen_segments,
        },
        super_segments: totals.super_segments,
        evicted_connections: totals.evicted,
        evicted_half_open: counts.evicted_half_open,
        ..CaptureReport::default()
    };
    report.warnings = warnings::all(&report, totals);
    report
}
