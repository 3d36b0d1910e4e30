//! The `intervals` table.

use super::column::{Int, choice, float, int};
use super::{Finding, TableOf};
use crate::report::{IntervalRow, SeriesRow};

/// The row of [`super::TABLES`].
pub(super) static INTERVALS: TableOf<IntervalRow> = TableOf {
    name: "intervals",
    about: "A row for each direction with data and each interval (a second by default).",
    sort: &["connection", "dir", "start_ns"],
    rows: |finding, row| {
        if let Finding::Series(SeriesRow::Interval(series)) = finding {
            row(series);
        }
    },
    columns: &[
        int("connection", "", "Number of the connection.", |row| row.connection.int()),
        choice("dir", &["c2s", "s2c"], "Direction of the data.", |row| Some(row.dir.name())),
        int("start_ns", "ns", "Begin, since the epoch.", |row| row.start_ns.int()),
        int("end_ns", "ns", "End.", |row| row.end_ns.int()),
        int("bytes", "bytes", "New payload.", |row| row.bytes.int()),
        float("throughput_bps", "bit/s", "The same a second.", |row| Some(row.throughput_bps)),
        int(
            "retransmitted_packets",
            "packets",
            "Packets sent again; a super-segment is as many as it has segments of an MSS.",
            |row| row.retransmitted_packets.int(),
        ),
        float("rtt_us", "µs", "Smoothed RTT at the end (RFC 6298); null without a sample so far.", |row| {
            row.rtt_us
        }),
        int("cwnd_bytes", "bytes", "Congestion window at the end; null where nothing tells.", |row| {
            row.cwnd_bytes.int()
        }),
    ],
};
