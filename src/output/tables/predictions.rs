//! The `predictions` table.

use super::column::{Int, choice, float, int, text};
use super::{Finding, TableOf};
use crate::report::prediction::PredictionRow;

/// The row of [`super::TABLES`].
pub(super) static PREDICTIONS: TableOf<PredictionRow> = TableOf {
    name: "predictions",
    about: "A row for each bulk transfer and each congestion-control algorithm: what it would have got there.",
    sort: &["connection", "dir", "cc"],
    rows: |finding, row| {
        if let Finding::Connection(connection) = finding {
            connection.predictions.iter().for_each(row);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| row.dir),
        text("cc", "The algorithm.", |row| Some(row.cc)),
        float("goodput_p10_bps", "bit/s", "10th percentile of its goodput.", |row| Some(row.goodput_p10_bps)),
        float("goodput_p50_bps", "bit/s", "Median.", |row| Some(row.goodput_p50_bps)),
        float("goodput_p90_bps", "bit/s", "90th percentile.", |row| Some(row.goodput_p90_bps)),
        choice("method", &["simulated", "closed_form"], "How it was found.", |row| Some(row.method)),
        float("retransmit_rate", "", "Segments sent again, of all sent, 0 to 1.", |row| {
            Some(row.retransmit_rate)
        }),
        float("mean_queue_us", "µs", "Mean wait in the bottleneck's queue.", |row| Some(row.mean_queue_us)),
        text("note", "What to know about it; null if there is nothing.", |row| row.note.as_deref()),
        float("p95_queue_us", "µs", "95th percentile of the wait.", |row| Some(row.p95_queue_us)),
        float(
            "time_to_90_s",
            "s",
            "Until 90 % of the steady rate was reached; null where that cannot be told.",
            |row| row.time_to_90_s,
        ),
        float(
            "simulated_bps",
            "bit/s",
            "The median before the simulation of the algorithm that was used, compared with what was measured, corrected it.",
            |row| row.simulated_bps,
        ),
        float(
            "measured_bps",
            "bit/s",
            "Goodput that was measured, of the algorithm that was used; null of all others.",
            |row| row.measured_bps,
        ),
    ],
};
