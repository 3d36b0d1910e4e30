//! The `limits` table.

use super::column::{Int, choice, float, int};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::{LimitRow, SeriesRow};

/// The row of [`super::TABLES`].
pub(super) static LIMITS: TableOf<LimitRow> = TableOf {
    name: "limits",
    about: "A row for each stretch of time in which one thing held the transfer back.",
    sort: &["connection", "dir", "start_ns"],
    rows: |finding, row| {
        if let Finding::Series(SeriesRow::Limit(series)) = finding {
            row(series);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        int("start_ns", "ns", "Begin, since the epoch.", |row| row.start_ns.int()),
        int("end_ns", "ns", "End.", |row| row.end_ns.int()),
        choice(
            "limit",
            &[
                "application",
                "receive_window",
                "congestion_window",
                "bandwidth",
                "loss_recovery",
                "timeout",
                "handshake",
                "unknown",
            ],
            "What held it back.",
            |row| word(row.limit),
        ),
        float("score", "", "Share of the evidence that says so, 0 to 1.", |row| Some(row.score)),
    ],
};
