//! The `captures` table of a dataset.

use super::column::{Int, boolean, int, text};
use super::{Finding, TableOf};
use crate::report::CaptureReport;

/// What a row is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaptureRow {
    /// What was read.
    pub report: CaptureReport,
    /// Files that are this trace.
    pub files: u64,
    /// Their size as they are stored, bytes.
    pub file_bytes: u64,
    /// Ids of its warnings, separated by blanks; `None` for none.
    pub warnings: Option<String>,
}

/// The row of [`super::DATASET_TABLES`].
pub(super) static CAPTURES: TableOf<CaptureRow> = TableOf {
    name: "captures",
    about: "A row for each trace that could be opened: what was read of it, and how good it is.",
    sort: &[],
    rows: |finding, row| {
        if let Finding::Capture(capture) = finding {
            row(capture);
        }
    },
    columns: &[
        text("path", "Its first file, as it is named below the input.", |row| Some(&row.report.path)),
        int("files", "files", "Files that are this trace.", |row| row.files.int()),
        int("file_bytes", "bytes", "Their size as they are stored.", |row| row.file_bytes.int()),
        text("format", "Format of the files.", |row| Some(&row.report.format)),
        text("compression", "Their compression; null for none.", |row| row.report.compression.as_deref()),
        int("frames", "frames", "Frames read.", |row| row.report.frames.int()),
        int("bytes", "bytes", "Those frames as they were on the wire.", |row| row.report.bytes.int()),
        int("captured_bytes", "bytes", "As they are in the capture.", |row| row.report.captured_bytes.int()),
        int("tcp_segments", "packets", "Segments whose TCP header could be read.", |row| {
            row.report.tcp_segments.int()
        }),
        int("connections", "count", "Connections found.", |row| row.report.connections.int()),
        int("first_ns", "ns", "First frame, since the epoch; null for an empty capture.", |row| {
            row.report.first_ns.int()
        }),
        int("last_ns", "ns", "Last frame, since the epoch.", |row| row.report.last_ns.int()),
        boolean("truncated", "Whether it ended early.", |row| Some(row.report.truncated)),
        int("skipped_frames", "frames", "Frames that held no segment.", |row| {
            row.report.skipped.values().sum::<u64>().int()
        }),
        int("duplicates", "packets", "Second captures of a packet, left out of all counts.", |row| {
            row.report.cleaned.duplicates.int()
        }),
        int("clock_disorder", "frames", "Frames whose stamp was before their predecessor's.", |row| {
            row.report.cleaned.clock_disorder.int()
        }),
        int(
            "interface_drops",
            "frames",
            "Frames that the capturing interface counted as dropped; null where none counts.",
            |row| row.report.capture_drops.interface.int(),
        ),
        int("unseen_bytes", "bytes", "Acknowledged by their receiver, yet not in the capture.", |row| {
            row.report.capture_drops.unseen_bytes.int()
        }),
        int("evicted_connections", "count", "Finished early to bound the memory.", |row| {
            row.report.evicted_connections.int()
        }),
        int("evicted_half_open", "count", "Those of them that were half open.", |row| {
            row.report.evicted_half_open.int()
        }),
        text("warnings", "Ids of its warnings, separated by blanks; null for none.", |row| {
            row.warnings.as_deref()
        }),
    ],
};
