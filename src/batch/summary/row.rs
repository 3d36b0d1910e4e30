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

const CONNECTIONS: Columns<5, 1, 2> = Columns {
    ints: ["connection", "server_port", "first_ns", "last_ns", "handshake_syn_retransmissions"],
    floats: ["handshake_rtt_us"],
    texts: ["client_ip", "server_ip"],
};

const DIRECTIONS: Columns<8, 5, 3> = Columns {
    ints: [
        "connection",
        "data_packets",
        "unique_bytes",
        "retransmitted_packets",
        "lost_packets",
        "spurious_packets",
        "undecided_packets",
        "reordered_packets",
    ],
    floats: ["zero_window_us", "rtt_min_us", "rtt_p50_us", "rtt_p95_us", "goodput_bps"],
    texts: ["dir", "cc_identified", "sender_os"],
};

const PREDICTIONS: Columns<1, 4, 2> = Columns {
    ints: ["connection"],
    floats: ["goodput_p10_bps", "goodput_p50_bps", "goodput_p90_bps", "measured_bps"],
    texts: ["dir", "cc"],
};

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
        let ends = CONNECTIONS.read(connections, (from, at_once))?;
        // A connection has two directions. Both tables are written as connections end, and sorted within so many rows that the same
        // connections stand in the same slice of each.
        let table = DIRECTIONS.read(directions, (2 * from, 2 * at_once))?;
        let (rows, last_ns) = joined(&ends, &table);
        each(&rows, last_ns);
        if ends.height() < at_once {
            return Ok(());
        }
        from += at_once;
    }
}

/// Rows of the two tables put together. The cells are in the order of the columns.
fn joined(ends: &Table<5, 1, 2>, table: &Table<8, 5, 3>) -> (Vec<Row>, Option<i64>) {
    let [number, server_port, first_ns, last_ns, syns] = ends.ints();
    let [handshake] = ends.floats();
    let [client_ip, server_ip] = ends.texts();
    let places: HashMap<i64, usize> =
        (0..ends.height()).filter_map(|at| Some((number.get(at)?, at))).collect();
    let end_ns = (0..ends.height()).filter_map(|at| last_ns.get(at)).max();

    let [connection, data, unique, again, lost, spurious, undecided, reordered] = table.ints();
    let [zero_window, rtt_min, rtt_p50, rtt_p95, goodput] = table.floats();
    let [dir, cc_identified, sender_os] = table.texts();
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
    let table = PREDICTIONS.read(file, (0, usize::MAX))?;
    let [connection] = table.ints();
    let [p10, p50, p90, measured] = table.floats();
    let [dir, cc] = table.texts();
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

/// Columns of a table, by what their cells are.
struct Columns<const I: usize, const F: usize, const T: usize> {
    ints: [&'static str; I],
    floats: [&'static str; F],
    texts: [&'static str; T],
}

impl<const I: usize, const F: usize, const T: usize> Columns<I, F, T> {
    /// Rows of a part: from which on, and how many.
    fn read(self, file: &Path, slice: (usize, usize)) -> io::Result<Table<I, F, T>> {
        let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", file.display()));
        let source = File::open(file).map_err(|error| named(&error))?;
        let columns = self.ints.iter().chain(&self.floats).chain(&self.texts);
        let columns = columns.map(|name| (*name).to_owned()).collect();
        // Most parts are so short that to hand their columns to other threads takes longer than to read them.
        let reader = ParquetReader::new(source).read_parallel(ParallelStrategy::None);
        let frame = reader.with_columns(Some(columns)).with_slice(Some(slice)).finish();
        let frame = frame.map_err(|error: PolarsError| named(&error))?;
        Ok(Table { columns: self, frame })
    }
}

/// These columns of a part.
struct Table<const I: usize, const F: usize, const T: usize> {
    columns: Columns<I, F, T>,
    frame: DataFrame,
}

/// The cells of a column; one that is missing or of another type is unknown in every row.
struct Cells<'a, C>(Option<&'a C>);

impl<const I: usize, const F: usize, const T: usize> Table<I, F, T> {
    fn height(&self) -> usize {
        self.frame.height()
    }

    fn ints(&self) -> [Cells<'_, Int64Chunked>; I] {
        self.columns.ints.map(|name| Cells(self.frame.column(name).and_then(|column| column.i64()).ok()))
    }

    fn floats(&self) -> [Cells<'_, Float64Chunked>; F] {
        self.columns.floats.map(|name| Cells(self.frame.column(name).and_then(|column| column.f64()).ok()))
    }

    fn texts(&self) -> [Cells<'_, StringChunked>; T] {
        self.columns.texts.map(|name| Cells(self.frame.column(name).and_then(|column| column.str()).ok()))
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
    use crate::output::tables::{Finding, PartWriter, TableFormat, TableWriter};
    use crate::report::{ConnectionReport, DirectionReport, HandshakeReport};

    /// Each cell has a value of its own.
    #[test]
    fn every_figure_comes_from_the_column_of_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = TableWriter::create(dir.path(), TableFormat::Parquet).unwrap();
        let c2s = DirectionReport {
            data_packets: 1,
            unique_bytes: 2,
            retransmitted_packets: Some(3),
            lost_packets: Some(4),
            spurious_packets: Some(5),
            undecided_packets: Some(6),
            reordered_packets: Some(7),
            zero_window_us: 8.0,
            rtt_min_us: Some(9.0),
            rtt_p50_us: Some(10.0),
            rtt_p95_us: Some(11.0),
            goodput_bps: Some(12.0),
            cc_identified: Some("cubic".to_owned()),
            sender_os: Some("linux"),
            ..DirectionReport::default()
        };
        let handshake =
            HandshakeReport { rtt_us: Some(13.0), syn_retransmissions: 14, ..HandshakeReport::default() };
        writer.take(Finding::Connection(&ConnectionReport {
            connection: 15,
            client_ip: "192.0.2.16".to_owned(),
            server_ip: "192.0.2.17".to_owned(),
            server_port: 18,
            first_ns: 19,
            last_ns: 20,
            handshake,
            c2s,
            ..ConnectionReport::default()
        }));
        writer.finish().unwrap();
        let part = |table| dir.path().join(format!("tables/{table}.parquet"));
        let mut seen = Vec::new();
        directions(&part("connections"), &part("directions"), 10, |rows, last_ns| {
            assert_eq!(last_ns, Some(20));
            seen.extend_from_slice(rows);
        })
        .unwrap();
        let row = Row {
            connection: 15,
            dir: "c2s".to_owned(),
            client_ip: "192.0.2.16".to_owned(),
            server_ip: "192.0.2.17".to_owned(),
            server_port: 18,
            first_ns: Some(19),
            handshake_rtt_us: Some(13.0),
            syn_retransmissions: Some(14),
            data_packets: 1,
            unique_bytes: 2,
            retransmitted_packets: 3,
            lost_packets: 4,
            spurious_packets: 5,
            undecided_packets: 6,
            reordered_packets: 7,
            zero_window_us: Some(8.0),
            rtt_min_us: Some(9.0),
            rtt_p50_us: Some(10.0),
            rtt_p95_us: Some(11.0),
            goodput_bps: Some(12.0),
            cc_identified: Some("cubic".to_owned()),
            sender_os: Some("linux".to_owned()),
        };
        assert_eq!(seen, [row]);
    }

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
