//! The `rtt` table.

use super::column::{Int, choice, float, int};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::{RttRow, SeriesRow};

/// The row of [`super::TABLES`].
pub(super) static RTT: TableOf<RttRow> = TableOf {
    name: "rtt",
    about: "A row for each round-trip sample.",
    sort: &["connection", "dir", "ts_ns"],
    rows: |finding, row| {
        if let Finding::Series(SeriesRow::Rtt(series)) = finding {
            row(series);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        int("ts_ns", "ns", "When the ACK passed the capture point, since the epoch.", |row| row.ts_ns.int()),
        float(
            "rtt_us",
            "µs",
            "Round trip from the oldest segment that the ACK is for, as the sender's estimator has it: with the wait \
             of a delayed ACK.",
            |row| Some(row.rtt_us),
        ),
        choice("source", &["ack", "timestamp", "sack", "handshake"], "What it was taken from.", |row| {
            word(row.source)
        }),
        float("newest_us", "µs", "The same from the newest segment: without that wait.", |row| {
            Some(row.newest_us)
        }),
    ],
};
