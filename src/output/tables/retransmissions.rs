//! The `retransmissions` table.

use super::column::{Int, choice, float, int, text};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::RetransmissionRow;

/// The row of [`super::TABLES`].
pub(super) static RETRANSMISSIONS: TableOf<RetransmissionRow> = TableOf {
    name: "retransmissions",
    about: "A row for each segment that was sent again, came late, or must have been lost.",
    sort: &["connection", "frame"],
    rows: |finding, row| {
        if let Finding::Retransmission(retransmission) = finding {
            row(retransmission);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        int("frame", "frame", "Frame of the segment.", |row| row.frame.int()),
        int("ts_ns", "ns", "When it passed the capture point, since the epoch.", |row| row.ts_ns.int()),
        int(
            "offset",
            "bytes",
            "Stream offset of its first byte: 0 is the first data byte, so a SYN and what lies before the first \
             segment seen are negative.",
            |row| row.offset.int(),
        ),
        int("len", "bytes", "Payload.", |row| row.len.int()),
        choice(
            "kind",
            &[
                "retransmission",
                "reordering",
                "duplicate",
                "keep_alive",
                "zero_window_probe",
                "inferred_loss",
                "reinjection",
            ],
            "What the segment is.",
            |row| word(row.kind),
        ),
        choice(
            "trigger",
            &["fast", "rack", "rto", "tlp", "recovery", "unknown"],
            "What made the sender send it.",
            |row| word(row.trigger),
        ),
        choice(
            "verdict",
            &["lost", "spurious", "reordered", "undecided"],
            "What had become of the earlier copy, or of this one; null for kinds of which that is no question.",
            |row| word(row.verdict),
        ),
        text("evidence", "Id of the rule that decided.", |row| Some(row.evidence)),
        float("confidence", "", "How sure the verdict is, 0 to 1.", |row| Some(row.confidence)),
        int(
            "original_frame",
            "frame",
            "Frame of the earlier copy; null where the capture has none.",
            |row| row.original_frame.int(),
        ),
    ],
};
