//! The rows of a trace that the summary looks at: directions with their connections, and predictions.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

use polars::prelude::{
    DataFrame, Float64Chunked, Int64Chunked, ParallelStrategy, ParquetReader, PolarsError, SerReader,
    StringChunked,
};

use crate::output::tables::HELD_ROWS;

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

/// Connections of a trace that are read at a time, so that one of millions takes no more memory than others.
pub(super) const AT_ONCE: usize = 4 * HELD_ROWS;

/// Calls back with the directions with payload of a trace, of so many connections at a time, and with when the last packet of these was.
pub(super) fn directions(
    connections: &Path,
    directions: &Path,
    at_once: usize,
    mut each: impl FnMut(&[Row], Option<i64>),
) -> io::Result<()> {
    let mut from = 0;
    loop {
        let ends = Table::read(connections, CONNECTIONS, (from, at_once))?;
        // A connection has two directions. Both tables are written as connections end, and sorted within so many rows that the same
        // connections stand in the same slice of each.
        let table = Table::read(directions, DIRECTIONS, (2 * from, 2 * at_once))?;
        let (rows, last_ns) = joined(&ends, &table);
        each(&rows, last_ns);
        if ends.height() < at_once {
            return Ok(());
        }
        from += at_once;
    }
}

fn joined(ends: &Table, table: &Table) -> (Vec<Row>, Option<i64>) {
    let [number, server_port, first_ns, last_ns, syns] =
        ends.ints(["connection", "server_port", "first_ns", "last_ns", "handshake_syn_retransmissions"]);
    let [client_ip, server_ip] = ends.texts(["client_ip", "server_ip"]);
    let [handshake] = ends.floats(["handshake_rtt_us"]);
    let places: HashMap<i64, usize> =
        (0..ends.height()).filter_map(|at| Some((number.get(at)?, at))).collect();
    let end_ns = (0..ends.height()).filter_map(|at| last_ns.get(at)).max();

    let [connection, data, unique, again, lost, spurious, undecided, reordered] = table.ints([
        "connection",
        "data_packets",
        "unique_bytes",
        "retransmitted_packets",
        "lost_packets",
        "spurious_packets",
        "undecided_packets",
        "reordered_packets",
    ]);
    let [zero_window, rtt_min, rtt_p50, rtt_p95, goodput] =
        table.floats(["zero_window_us", "rtt_min_us", "rtt_p50_us", "rtt_p95_us", "goodput_bps"]);
    let [dir, cc_identified, sender_os] = table.texts(["dir", "cc_identified", "sender_os"]);
    let mut rows: Vec<Row> = Vec::new();
    for at in 0..table.height() {
        let data_packets = data.count(at);
        let connection = connection.get(at).unwrap_or_default();
        let Some(&end) = places.get(&connection) else { continue };
        if data_packets == 0 {
            continue;
        }
        // A handshake counts once, with the first direction that has payload.
        let is_first = rows.last().is_none_or(|row| row.connection != connection);
        rows.push(Row {
            connection,
            dir: dir.get(at).unwrap_or_default(),
            client_ip: client_ip.get(end).unwrap_or_default(),
            server_ip: server_ip.get(end).unwrap_or_default(),
            server_port: server_port.get(end).unwrap_or_default(),
            first_ns: first_ns.get(end),
            handshake_rtt_us: handshake.get(end).filter(|_| is_first),
            syn_retransmissions: syns.get(end).filter(|_| is_first),
            data_packets,
            unique_bytes: unique.count(at),
            retransmitted_packets: again.count(at),
            lost_packets: lost.count(at),
            spurious_packets: spurious.count(at),
            undecided_packets: undecided.count(at),
            reordered_packets: reordered.count(at),
            zero_window_us: zero_window.get(at),
            rtt_min_us: rtt_min.get(at),
            rtt_p50_us: rtt_p50.get(at),
            rtt_p95_us: rtt_p95.get(at),
            goodput_bps: goodput.get(at),
            cc_identified: cc_identified.get(at),
            sender_os: sender_os.get(at),
        });
    }
    (rows, end_ns)
}

/// The predictions of a trace.
pub(super) fn predictions(file: &Path) -> io::Result<Vec<Predicted>> {
    let table = Table::read(file, PREDICTIONS, (0, usize::MAX))?;
    let [connection] = table.ints(["connection"]);
    let [dir, cc] = table.texts(["dir", "cc"]);
    let [p10, p50, p90, measured] =
        table.floats(["goodput_p10_bps", "goodput_p50_bps", "goodput_p90_bps", "measured_bps"]);
    let row = |at| {
        Some(Predicted {
            transfer: (connection.get(at)?, dir.get(at)?),
            cc: cc.get(at)?,
            goodput: [p10.get(at)?, p50.get(at)?, p90.get(at)?],
            measured_bps: measured.get(at),
        })
    };
    Ok((0..table.height()).filter_map(row).collect())
}

/// Some columns of a part.
struct Table(DataFrame);

/// The cells of a column; one that is missing or of another type is unknown in every row.
struct Cells<'a, C>(Option<&'a C>);

impl Table {
    fn read(file: &Path, columns: &[&str], slice: (usize, usize)) -> io::Result<Self> {
        let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
        let source = File::open(file).map_err(|error| named(&error))?;
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        // Most parts are so short that to hand their columns to other threads takes longer than to read them.
        let reader = ParquetReader::new(source).read_parallel(ParallelStrategy::None);
        let frame = reader.with_columns(Some(columns)).with_slice(Some(slice)).finish();
        frame.map(Self).map_err(|error: PolarsError| named(&error))
    }

    fn height(&self) -> usize {
        self.0.height()
    }

    fn ints<const N: usize>(&self, names: [&str; N]) -> [Cells<'_, Int64Chunked>; N] {
        names.map(|name| Cells(self.0.column(name).and_then(|column| column.i64()).ok()))
    }

    fn floats<const N: usize>(&self, names: [&str; N]) -> [Cells<'_, Float64Chunked>; N] {
        names.map(|name| Cells(self.0.column(name).and_then(|column| column.f64()).ok()))
    }

    fn texts<const N: usize>(&self, names: [&str; N]) -> [Cells<'_, StringChunked>; N] {
        names.map(|name| Cells(self.0.column(name).and_then(|column| column.str()).ok()))
    }
}

impl Cells<'_, Int64Chunked> {
    fn get(&self, at: usize) -> Option<i64> {
        self.0.and_then(|cells| cells.get(at))
    }

    fn count(&self, at: usize) -> u64 {
        self.get(at).and_then(|count| count.try_into().ok()).unwrap_or_default()
    }
}

impl Cells<'_, Float64Chunked> {
    fn get(&self, at: usize) -> Option<f64> {
        self.0.and_then(|cells| cells.get(at))
    }
}

impl Cells<'_, StringChunked> {
    fn get(&self, at: usize) -> Option<String> {
        self.0.and_then(|cells| cells.get(at)).map(ToOwned::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::output::sink::DirSink;
    use crate::output::tables::{Finding, PartWriter};
    use crate::report::{ConnectionReport, DirectionReport};

    #[test]
    fn slices_of_both_tables_hold_the_same_connections() {
        let many = u32::try_from(HELD_ROWS).unwrap() + 100;
        let dir = tempfile::tempdir().unwrap();
        let mut writer = PartWriter::new(DirSink::new(dir.path()).unwrap());
        // They end in another order than they began in.
        for number in (0..many).rev() {
            let s2c = DirectionReport {
                data_packets: 7,
                unique_bytes: number.into(),
                ..DirectionReport::default()
            };
            let report = ConnectionReport {
                connection: number.into(),
                client_ip: number.to_string(),
                last_ns: 1_000 + i64::from(number),
                s2c,
                ..ConnectionReport::default()
            };
            writer.take(Finding::Connection(&report));
        }
        writer.finish().unwrap();
        let part = |table| dir.path().join(format!("tables/{table}.parquet"));
        let (mut seen, mut slices, mut last) = (BTreeSet::new(), 0, None);
        directions(&part("connections"), &part("directions"), HELD_ROWS, |rows, last_ns| {
            for row in rows {
                assert_eq!((&row.dir, &row.client_ip), (&"s2c".to_owned(), &row.connection.to_string()));
                assert_eq!((row.unique_bytes, row.data_packets), (row.connection.unsigned_abs(), 7));
                seen.insert(row.connection);
            }
            slices += 1;
            last = last.max(last_ns);
        })
        .unwrap();
        assert_eq!((seen.len(), slices, last), (many as usize, 2, Some(999 + i64::from(many))));
    }
}
