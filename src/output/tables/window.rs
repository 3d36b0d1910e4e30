//! The `window` table.

use super::column::{Int, choice, int};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::{SeriesRow, WindowRow};

/// The row of [`super::TABLES`].
pub(super) static WINDOW: TableOf<WindowRow> = TableOf {
    name: "window",
    about: "A row each time that what is in flight or what may be changes.",
    sort: &["connection", "dir", "ts_ns"],
    rows: |finding, row| {
        if let Finding::Series(SeriesRow::Window(series)) = finding {
            row(series);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        int(
            "ts_ns",
            "ns",
            "The sender's time, since the epoch: moved by the way from the sender where the capture point is far from it.",
            |row| row.ts_ns.int(),
        ),
        int(
            "flight_bytes",
            "bytes",
            "Sent, and neither acknowledged nor selectively acknowledged nor deemed lost.",
            |row| row.flight_bytes.int(),
        ),
        int("cwnd_bytes", "bytes", "Congestion window as reconstructed; null where nothing tells.", |row| {
            row.cwnd_bytes.int()
        }),
        int("cwnd_low_bytes", "bytes", "Lowest that it may be.", |row| row.cwnd_low_bytes.int()),
        int("cwnd_high_bytes", "bytes", "Highest that it may be.", |row| row.cwnd_high_bytes.int()),
        int("rwnd_bytes", "bytes", "Receive window, scaled; null where its scale is unknown.", |row| {
            row.rwnd_bytes.int()
        }),
        choice(
            "phase",
            &["slow_start", "avoidance", "recovery", "timeout", "probe", "unknown"],
            "State of the sender.",
            |row| word(row.phase),
        ),
    ],
};
