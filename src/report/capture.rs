//! The input as a whole: what was read, what was passed over, and how good the capture is.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::warning::Warning;

/// The `capture` object of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaptureReport {
    /// The file, or the first of several; `-` for standard input.
    pub path: String,
    /// All files in order of time, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Format, such as "pcapng".
    pub format: String,
    /// Compression, such as "zstd"; null for none.
    pub compression: Option<String>,
    /// Names of the link types met.
    pub link_types: Vec<String>,
    /// Interfaces described (pcapng) or 1.
    pub interfaces: u32,
    /// Frames read.
    pub frames: u64,
    /// Bytes of these frames on the wire.
    pub bytes: u64,
    /// Bytes of these frames in the capture.
    pub captured_bytes: u64,
    /// Frames cut by the snap length.
    pub cut_frames: u64,
    /// Segments whose innermost TCP header could be read, before any cleaning or selection.
    pub tcp_segments: u64,
    /// Connections found.
    pub connections: u64,
    /// First frame's time, ns since the epoch; null for an empty capture.
    pub first_ns: Option<i64>,
    /// Last frame's time, ns since the epoch.
    pub last_ns: Option<i64>,
    /// Whether the input ended early.
    pub truncated: bool,
    /// Why reading stopped, where it did not reach a clean end.
    pub read_error: Option<String>,
    /// Frames that held no segment, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Records and blocks of the file that held no frame and were passed over, by reason.
    pub skipped_records: BTreeMap<String, u64>,
    /// What was taken out or put right before the analysis.
    pub cleaned: Cleaned,
    /// What the capture misses.
    pub capture_drops: CaptureDrops,
    /// Segments that carry more than their connection's MSS: captured before segmentation or after coalescing.
    pub super_segments: u64,
    /// Connections finished early since more than `--max-connections` were live, or more half-open ones than are followed.
    pub evicted_connections: u64,
    /// Those of them that were half open: 100,000 of these are followed at a time, or `--max-connections` if that is less.
    pub evicted_half_open: u64,
    /// What a reader must know before trusting the rest.
    pub warnings: Vec<Warning>,
}

/// What was taken out or put right before the analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cleaned {
    /// Second captures of a packet already seen, left out of all further counts.
    pub duplicates: u64,
    /// Of these, frames of a capture that was appended to itself: its first ones again, with their stamps.
    pub repeated: u64,
    /// Frames whose stamp was before their predecessor's.
    pub clock_disorder: u64,
    /// Frames with an impossible stamp.
    pub odd_stamps: u64,
}

/// What the capture misses though it was on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaptureDrops {
    /// Frames that a capture interface counted as dropped; null where none keeps such a count.
    pub interface: Option<u64>,
    /// Bytes acknowledged by their receiver yet never seen.
    pub unseen_bytes: u64,
    /// Stretches of such bytes.
    pub unseen_gaps: u64,
    /// Segments these must have been, at the connection's segment size.
    pub unseen_segments: u64,
}
