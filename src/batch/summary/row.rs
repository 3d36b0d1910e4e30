//! The rows of a trace that the summary looks at: directions with their connections, and predictions.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

use polars::prelude::{DataFrame, ParquetReader, PolarsError, PolarsResult, SerReader};

/// A direction with payload, and whose it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) connection: i64,
    pub(super) dir: String,
    pub(super) client_ip: String,
    pub(super) server_ip: String,
    pub(super) server_port: i64,
    pub(super) first_ns: Option<i64>,
    pub(super) handshake_rtt_us: Option<f64>,
    pub(super) syn_retransmissions: Option<i64>,
    pub(super) data_packets: u64,
    pub(super) unique_bytes: u64,
    pub(super) retransmitted_packets: u64,
    pub(super) lost_packets: u64,
    pub(super) spurious_packets: u64,
    pub(super) undecided_packets: u64,
    pub(super) reordered_packets: u64,
    pub(super) zero_window_us: Option<f64>,
    pub(super) rtt_min_us: Option<f64>,
    pub(super) rtt_p50_us: Option<f64>,
    pub(super) rtt_p95_us: Option<f64>,
    pub(super) goodput_bps: Option<f64>,
    pub(super) cc_identified: Option<String>,
    pub(super) sender_os: Option<String>,
}

/// A row of the table of predictions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Predicted {
    pub(super) transfer: (i64, String),
    pub(super) cc: String,
    pub(super) goodput: [f64; 3],
    pub(super) measured_bps: Option<f64>,
}

const CONNECTIONS: &[&str] = &[
    "connection",
    "client_ip",
    "server_ip",
    "server_port",
    "first_ns",
    "last_ns",
    "handshake_rtt_us",
    "handshake_syn_retransmissions",
];

const DIRECTIONS: &[&str] = &[
    "connection",
    "dir",
    "data_packets",
    "unique_bytes",
    "retransmitted_packets",
    "lost_packets",
    "spurious_packets",
    "undecided_packets",
    "reordered_packets",
    "zero_window_us",
    "rtt_min_us",
    "rtt_p50_us",
    "rtt_p95_us",
    "goodput_bps",
    "cc_identified",
    "sender_os",
];

const PREDICTIONS: &[&str] =
    &["connection", "dir", "cc", "goodput_p10_bps", "goodput_p50_bps", "goodput_p90_bps", "measured_bps"];

/// The directions with payload of a trace, and when its last packet was.
pub(super) fn directions(connections: &Path, directions: &Path) -> io::Result<(Vec<Row>, Option<i64>)> {
    let ends = Table::read(connections, CONNECTIONS)?;
    let places: HashMap<i64, usize> =
        (0..ends.height()).filter_map(|at| Some((ends.int("connection", at)?, at))).collect();
    let last = (0..ends.height()).filter_map(|at| ends.int("last_ns", at)).max();
    let table = Table::read(directions, DIRECTIONS)?;
    let mut rows: Vec<Row> = Vec::new();
    for at in 0..table.height() {
        let data_packets = table.count("data_packets", at);
        let connection = table.int("connection", at).unwrap_or_default();
        let Some(&end) = places.get(&connection) else { continue };
        if data_packets == 0 {
            continue;
        }
        // A handshake counts once, with the first direction that has payload.
        let is_first = rows.last().is_none_or(|row| row.connection != connection);
        rows.push(Row {
            connection,
            dir: table.text("dir", at).unwrap_or_default(),
            client_ip: ends.text("client_ip", end).unwrap_or_default(),
            server_ip: ends.text("server_ip", end).unwrap_or_default(),
            server_port: ends.int("server_port", end).unwrap_or_default(),
            first_ns: ends.int("first_ns", end),
            handshake_rtt_us: ends.float("handshake_rtt_us", end).filter(|_| is_first),
            syn_retransmissions: ends.int("handshake_syn_retransmissions", end).filter(|_| is_first),
            data_packets,
            unique_bytes: table.count("unique_bytes", at),
            retransmitted_packets: table.count("retransmitted_packets", at),
            lost_packets: table.count("lost_packets", at),
            spurious_packets: table.count("spurious_packets", at),
            undecided_packets: table.count("undecided_packets", at),
            reordered_packets: table.count("reordered_packets", at),
            zero_window_us: table.float("zero_window_us", at),
            rtt_min_us: table.float("rtt_min_us", at),
            rtt_p50_us: table.float("rtt_p50_us", at),
            rtt_p95_us: table.float("rtt_p95_us", at),
            goodput_bps: table.float("goodput_bps", at),
            cc_identified: table.text("cc_identified", at),
            sender_os: table.text("sender_os", at),
        });
    }
    Ok((rows, last))
}

/// The predictions of a trace.
pub(super) fn predictions(file: &Path) -> io::Result<Vec<Predicted>> {
    let table = Table::read(file, PREDICTIONS)?;
    let row = |at| {
        Some(Predicted {
            transfer: (table.int("connection", at)?, table.text("dir", at)?),
            cc: table.text("cc", at)?,
            goodput: [
                table.float("goodput_p10_bps", at)?,
                table.float("goodput_p50_bps", at)?,
                table.float("goodput_p90_bps", at)?,
            ],
            measured_bps: table.float("measured_bps", at),
        })
    };
    Ok((0..table.height()).filter_map(row).collect())
}

/// Some columns of a part.
struct Table(DataFrame);

impl Table {
    fn read(file: &Path, columns: &[&str]) -> io::Result<Self> {
        let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
        let source = File::open(file).map_err(|error| named(&error))?;
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let frame = ParquetReader::new(source).with_columns(Some(columns)).finish();
        frame.map(Self).map_err(|error: PolarsError| named(&error))
    }

    fn height(&self) -> usize {
        self.0.height()
    }

    // A column that is missing or of another type is unknown in every row.

    fn int(&self, name: &str, at: usize) -> Option<i64> {
        let get = || -> PolarsResult<Option<i64>> { Ok(self.0.column(name)?.i64()?.get(at)) };
        get().ok().flatten()
    }

    fn count(&self, name: &str, at: usize) -> u64 {
        self.int(name, at).and_then(|count| count.try_into().ok()).unwrap_or_default()
    }

    fn float(&self, name: &str, at: usize) -> Option<f64> {
        let get = || -> PolarsResult<Option<f64>> { Ok(self.0.column(name)?.f64()?.get(at)) };
        get().ok().flatten()
    }

    fn text(&self, name: &str, at: usize) -> Option<String> {
        let get = || -> PolarsResult<Option<String>> {
            Ok(self.0.column(name)?.str()?.get(at).map(ToOwned::to_owned))
        };
        get().ok().flatten()
    }
}
