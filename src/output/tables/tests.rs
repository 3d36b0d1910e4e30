//! Tables as a script reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, ErrorKind, Write};

use polars::prelude::{AnyValue, DataFrame, ParquetReader, SerReader};
use serde_json::Value;

use super::*;
use crate::output::sink::{MemorySink, Sink};
use crate::report::{Dir, DirectionReport, Kind as What, ReportSink, SCHEMA, Trigger, Verdict};

/// The output contract's lists, word for word.
const CONTRACT: &[(&str, &str)] = &[
    (
        "connections",
        "connection, client_ip, client_port, server_ip, server_port, role_basis, first_ns, last_ns, packets, state, \
         closed_by",
    ),
    (
        "directions",
        "connection, dir, packets, wire_bytes, data_packets, data_bytes, unique_bytes, retransmitted_packets, \
         retransmitted_bytes, lost_packets, spurious_packets, undecided_packets, reordered_packets, inferred_losses, \
         duplicate_acks, sack_acks, dsack_acks, zero_windows, mss, window_scale, sack_permitted, timestamps, ecn, \
         vantage, rtt_samples, rtt_min_us, rtt_p50_us, rtt_mean_us, rtt_p95_us, rtt_max_us, goodput_bps, \
         throughput_bps, flight_max_bytes, cc_identified, cc_confidence",
    ),
    (
        "retransmissions",
        "connection, dir, frame, ts_ns, offset, len, kind, trigger, verdict, evidence, confidence, original_frame",
    ),
    ("rtt", "connection, dir, ts_ns, rtt_us, source"),
    (
        "window",
        "connection, dir, ts_ns, flight_bytes, cwnd_bytes, cwnd_low_bytes, cwnd_high_bytes, rwnd_bytes, phase",
    ),
    (
        "intervals",
        "connection, dir, start_ns, end_ns, bytes, throughput_bps, retransmitted_packets, rtt_us, cwnd_bytes",
    ),
    ("limits", "connection, dir, start_ns, end_ns, limit, score"),
    (
        "paths",
        "connection, dir, base_rtt_us, rate_bps, rate_is_bound, buffer_bytes, random_loss, congestive_losses, loss_burst, \
         jitter_us, reordering, ack_ratio, rwnd_limit_bytes",
    ),
    (
        "predictions",
        "connection, dir, cc, goodput_p10_bps, goodput_p50_bps, goodput_p90_bps, method, retransmit_rate, mean_queue_us, \
         note",
    ),
];

fn written(format: TableFormat) -> BTreeMap<String, Vec<u8>> {
    let mut sink = MemorySink::default();
    let mut writer = TableWriter::with_sink(&mut sink, format).unwrap();
    stock::tell(&mut writer);
    writer.finish().unwrap();
    sink.files()
}

/// Rows of a CSV as `csv.DictReader` gives them; cells of the stock hold commas and quotes, no line breaks.
fn csv(table: &str) -> Vec<BTreeMap<String, String>> {
    let files = written(TableFormat::Csv);
    let text = String::from_utf8(files[&format!("tables/{table}.csv")].clone()).unwrap();
    let mut lines = text.lines().map(cells);
    let header = lines.next().unwrap();
    lines
        .map(|row| {
            assert_eq!(row.len(), header.len());
            header.iter().cloned().zip(row).collect()
        })
        .collect()
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.push(chars.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    cells
}

fn parquet(files: &BTreeMap<String, Vec<u8>>, table: &str) -> DataFrame {
    ParquetReader::new(Cursor::new(files[&format!("tables/{table}.parquet")].clone())).finish().unwrap()
}

#[test]
fn the_columns_begin_with_the_contracts_in_its_order() {
    for (table, columns) in CONTRACT {
        let contract: Vec<&str> = columns.split(", ").collect();
        let files = written(TableFormat::Csv);
        let text = String::from_utf8_lossy(&files[&format!("tables/{table}.csv")]).into_owned();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        assert_eq!(header[..contract.len()], contract, "{table}");

        let frame = parquet(&written(TableFormat::Parquet), table);
        assert_eq!(frame.get_column_names(), header);
        let declared = TABLES.iter().find(|row| row.name() == *table).unwrap().columns();
        assert_eq!(declared.iter().map(|column| column.name).collect::<Vec<_>>(), header);
        assert_eq!(header.iter().collect::<BTreeSet<_>>().len(), header.len(), "a name twice");
    }
    let names: Vec<&str> = TABLES.iter().map(|table| table.name()).collect();
    assert_eq!(names, CONTRACT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn every_field_of_the_json_report_has_its_column() {
    let has = |table: usize| -> BTreeSet<String> {
        TABLES[table].columns().iter().map(|column| column.name.to_owned()).collect()
    };
    let keys = |value: Value| -> BTreeSet<String> { value.as_object().unwrap().keys().cloned().collect() };
    let connection = serde_json::to_value(stock::download()).unwrap();
    let mut expected = keys(connection.clone());
    for nested in ["c2s", "s2c", "handshake", "paths", "predictions"] {
        expected.remove(nested);
    }
    expected.extend(keys(connection["handshake"].clone()).iter().map(|name| format!("handshake_{name}")));
    assert_eq!(has(0), expected);

    let mut expected = keys(serde_json::to_value(DirectionReport::default()).unwrap());
    expected.extend(["connection".to_owned(), "dir".to_owned()]);
    assert_eq!(has(1), expected);
    assert_eq!(has(2), keys(serde_json::to_value(stock::probe()).unwrap()));
    for (table, row) in (3..).zip(stock::series()) {
        let row = match row {
            SeriesRow::Rtt(row) => serde_json::to_value(row),
            SeriesRow::Window(row) => serde_json::to_value(row),
            SeriesRow::Interval(row) => serde_json::to_value(row),
            SeriesRow::Limit(row) => serde_json::to_value(row),
        };
        assert_eq!(has(table), keys(row.unwrap()));
    }
}

#[test]
fn rows_over_time_keep_nulls_and_fractions() {
    assert_eq!(csv("rtt")[0]["rtt_us"], "40123.5");
    assert_eq!(csv("rtt")[0]["source"], "sack");
    let window = &csv("window")[0];
    assert_eq!(
        (&*window["flight_bytes"], &*window["cwnd_bytes"], &*window["rwnd_bytes"]),
        ("14480", "28960", "")
    );
    assert_eq!(window["phase"], "slow_start");
    assert_eq!(csv("intervals")[0]["rtt_us"], "");
    assert_eq!(csv("limits")[0]["limit"], "receive_window");
}

#[test]
fn a_script_reads_a_connection_from_csv() {
    let rows = csv("connections");
    assert_eq!(rows.len(), 2);
    // The unanswered one was told first; the rows come in order of the numbers.
    let (download, unanswered) = (&rows[0], &rows[1]);
    assert_eq!(download["connection"], "0");
    assert_eq!(download["client_ip"], "192.0.2.1");
    assert_eq!(download["client_port"], "49152");
    assert_eq!(download["server_ip"], "2001:db8::2");
    assert_eq!(download["role_basis"], "syn_ack");
    assert_eq!(download["first_ns"], "1796040000123456789");
    assert_eq!(download["last_ns"], "1796040002123456790");
    assert_eq!(download["state"], "closed");
    assert_eq!(download["closed_by"], "server_fin");
    assert_eq!(download["port_reused"], "true");
    assert_eq!(download["evicted"], "false");
    assert_eq!(download["handshake_server_rtt_us"], "41000.25");
    assert_eq!(download["handshake_rtt_us"], "");
    assert_eq!(unanswered["connection"], "1");
    assert_eq!(unanswered["state"], "syn_sent");
    assert_eq!(unanswered["closed_by"], "");
    assert_eq!(unanswered["encapsulation"], "");
}

#[test]
fn text_that_would_be_a_formula_is_harmless_in_csv_and_itself_in_parquet() {
    assert_eq!(csv("connections")[0]["encapsulation"], "'=cmd|'/c calc'!A1, \"vlan 7\"");
    let frame = parquet(&written(TableFormat::Parquet), "connections");
    let cell = frame.column("encapsulation").unwrap().str().unwrap().get(0);
    assert_eq!(cell, Some("=cmd|'/c calc'!A1, \"vlan 7\""));
}

#[test]
fn a_script_reads_the_directions_from_csv() {
    let rows = csv("directions");
    let of: Vec<_> = rows.iter().map(|row| (row["connection"].as_str(), row["dir"].as_str())).collect();
    assert_eq!(of, [("0", "c2s"), ("0", "s2c"), ("1", "c2s"), ("1", "s2c")]);
    let s2c = &rows[1];
    assert_eq!(s2c["packets"], "1000");
    assert_eq!(s2c["unique_bytes"], "5000000000");
    // Known to be none, and not known.
    assert_eq!(s2c["retransmitted_packets"], "0");
    assert_eq!(rows[0]["retransmitted_packets"], "");
    assert_eq!(s2c["sack_permitted"], "true");
    assert_eq!(s2c["timestamps"], "false");
    assert_eq!(rows[0]["timestamps"], "");
    assert_eq!(s2c["mptcp"], "false");
    assert_eq!(s2c["ecn"], "accurate");
    assert_eq!(s2c["vantage"], "receiver");
    assert_eq!(rows[2]["vantage"], "unknown");
    assert_eq!(s2c["fast_open"], "cookie");
    assert_eq!(s2c["cc_identified"], "cubic");
    assert_eq!(s2c["rtt_min_us"].parse::<f64>().unwrap().to_bits(), 0.5_f64.to_bits());
    assert_eq!(s2c["goodput_bps"].parse::<f64>().unwrap().to_bits(), 1.25e12_f64.to_bits());
    assert_eq!(s2c["rtt_mean_us"], "", "not a number is null");
}

#[test]
fn a_script_reads_the_retransmissions_from_csv() {
    let rows = csv("retransmissions");
    assert_eq!(rows.iter().map(|row| row["frame"].as_str()).collect::<Vec<_>>(), ["70", "90"]);
    let (probe, again) = (&rows[0], &rows[1]);
    assert_eq!(again["dir"], "s2c");
    assert_eq!(again["ts_ns"], "1796040000123456790");
    assert_eq!(again["offset"], "-1448");
    assert_eq!(again["len"], "1448");
    assert_eq!(again["kind"], "retransmission");
    assert_eq!(again["trigger"], "tlp");
    assert_eq!(again["verdict"], "spurious");
    assert_eq!(again["evidence"], "dsack");
    assert_eq!(again["confidence"], "0.99");
    assert_eq!(again["original_frame"], "80");
    assert_eq!(probe["kind"], "zero_window_probe");
    assert_eq!(probe["offset"], "9000000000");
    assert_eq!(probe["verdict"], "");
    assert_eq!(probe["original_frame"], "");
}

#[test]
fn parquet_and_csv_hold_the_same_cells() {
    let files = written(TableFormat::Parquet);
    for (table, _) in CONTRACT {
        let frame = parquet(&files, table);
        let rows = csv(table);
        assert_eq!(frame.height(), rows.len());
        for column in frame.columns() {
            for (at, row) in rows.iter().enumerate() {
                let cell = row[column.name().as_str()].as_str();
                match column.get(at).unwrap() {
                    AnyValue::Null => assert_eq!(cell, "", "{}", column.name()),
                    AnyValue::Int64(value) => assert_eq!(cell, value.to_string()),
                    AnyValue::Boolean(value) => assert_eq!(cell, value.to_string()),
                    AnyValue::Float64(value) => {
                        assert_eq!(cell.parse::<f64>().unwrap().to_bits(), value.to_bits());
                    }
                    AnyValue::String(value) => assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), value),
                    // A column of one row.
                    AnyValue::StringOwned(value) => assert_eq!(cell, value.as_str()),
                    other => panic!("{other:?} in {}", column.name()),
                }
            }
        }
    }
}

#[test]
fn parquet_says_its_schema_and_keeps_statistics() {
    let files = written(TableFormat::Parquet);
    let mut reader = ParquetReader::new(Cursor::new(files["tables/retransmissions.parquet"].clone()));
    let metadata = reader.get_metadata().unwrap();
    let said: BTreeMap<_, _> = metadata
        .key_value_metadata()
        .as_ref()
        .unwrap()
        .iter()
        .map(|kv| (kv.key.as_str(), kv.value.as_deref()))
        .collect();
    assert_eq!(said["tcptrace-rs.schema"], Some(SCHEMA));
    assert_eq!(said["tcptrace-rs.table"], Some("retransmissions"));
    assert!(said.contains_key("ARROW:schema"), "readers of Arrow want the types");
    let frame = metadata.row_groups[0].columns_under_root_iter("frame").unwrap().next().unwrap();
    let statistics = format!("{:?}", frame.statistics(&metadata.footer_buf).unwrap().unwrap());
    assert!(statistics.contains("min_value: Some(70)"), "{statistics}");
    assert!(statistics.contains("max_value: Some(90)"), "{statistics}");
    assert_eq!(format!("{:?}", frame.compression()), "Zstd");
}

#[test]
fn a_capture_without_connections_has_every_file_with_its_columns() {
    for format in TableFormat::ALL {
        let mut sink = MemorySink::default();
        TableWriter::with_sink(&mut sink, *format).unwrap().finish().unwrap();
        let files = sink.files();
        assert_eq!(files.len(), TABLES.len());
        for table in TABLES {
            let name = format!("tables/{}.{}", table.name(), format.name());
            if *format == TableFormat::Csv {
                let lines = String::from_utf8(files[&name].clone()).unwrap();
                assert_eq!(lines.lines().count(), 1, "{name}");
                assert!(lines.starts_with("connection,"), "{lines}");
            } else {
                let frame = parquet(&files, table.name());
                assert_eq!((frame.height(), frame.width()), (0, table.columns().len()));
            }
        }
    }
}

#[test]
fn more_rows_than_a_batch_come_in_several_row_groups_each_sorted() {
    let mut sink = MemorySink::default();
    let mut writer = TableWriter::with_sink(&mut sink, TableFormat::Parquet).unwrap();
    let rows = BATCH_ROWS as u64 + 10;
    for frame in (0..rows).rev() {
        writer.retransmission(&RetransmissionRow { frame, ..stock::probe() });
    }
    let held = sink.files()["tables/retransmissions.parquet"].len();
    assert!(held > 1_000, "a full batch is written at once: {held} bytes");
    writer.finish().unwrap();
    let frame = parquet(&sink.files(), "retransmissions");
    let frames: Vec<i64> = frame.column("frame").unwrap().i64().unwrap().iter().flatten().collect();
    // The first batch holds the frames that came first, which are the highest.
    let expected: Vec<i64> = (10..i64::try_from(frames.len()).unwrap()).chain(0..10).collect();
    assert_eq!(frames, expected);
    let mut reader = ParquetReader::new(Cursor::new(sink.files()["tables/retransmissions.parquet"].clone()));
    let groups = &reader.get_metadata().unwrap().row_groups;
    assert_eq!(groups.len(), 2);
    assert_eq!((groups[0].num_rows(), groups[1].num_rows()), (BATCH_ROWS, 10));
}

#[test]
fn the_same_findings_give_the_same_bytes() {
    for format in TableFormat::ALL {
        assert_eq!(written(*format), written(*format));
    }
}

#[test]
fn every_value_of_the_retransmissions_enums_is_a_documented_word() {
    // An undocumented word trips an assertion in the batch.
    let kinds = [
        What::Retransmission,
        What::Reordering,
        What::Duplicate,
        What::KeepAlive,
        What::ZeroWindowProbe,
        What::InferredLoss,
        What::Reinjection,
    ];
    let triggers =
        [Trigger::Fast, Trigger::Rack, Trigger::Rto, Trigger::Tlp, Trigger::Recovery, Trigger::Unknown];
    let verdicts = [Verdict::Lost, Verdict::Spurious, Verdict::Reordered, Verdict::Undecided];
    let columns = TABLES[2].columns();
    let words = |name: &str| columns.iter().find(|column| column.name == name).unwrap().words;
    assert_eq!(kinds.map(|kind| word::word(kind).unwrap()), words("kind"));
    assert_eq!(triggers.map(|trigger| word::word(trigger).unwrap()), words("trigger"));
    assert_eq!(verdicts.map(|verdict| word::word(verdict).unwrap()), words("verdict"));
    assert_eq!([Dir::C2s, Dir::S2c].map(|dir| word::word(dir).unwrap()), words("dir"));
}

/// Takes `left` bytes, then is full.
struct Full(MemorySink, usize);

struct FullFile(Box<dyn Write + Send>, usize);

impl Sink for Full {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        Ok(Box::new(FullFile(self.0.create(name)?, self.1)))
    }

    fn commit(&mut self) -> io::Result<()> {
        self.0.commit()
    }
}

impl Write for FullFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1 < bytes.len() {
            return Err(ErrorKind::StorageFull.into());
        }
        self.1 -= bytes.len();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn a_full_disk_comes_out_at_the_end_with_the_file_and_the_reason() {
    for format in TableFormat::ALL {
        for room in [0, 4, 100, 1_000] {
            let mut sink = Full(MemorySink::default(), room);
            let error = TableWriter::with_sink(&mut sink, *format)
                .and_then(|mut writer| {
                    for connection in 0..BATCH_ROWS as u64 {
                        writer.connection(ConnectionReport { connection, ..stock::unanswered() });
                    }
                    writer.finish()
                })
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{format:?} {room}");
            assert!(error.to_string().starts_with("tables/"), "{error}");
        }
    }
}

#[test]
fn the_files_of_a_folder_appear_when_all_are_whole() {
    let dir = tempfile::tempdir().unwrap();
    let list = || -> Vec<String> {
        let entries = std::fs::read_dir(dir.path().join("tables")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let mut writer = TableWriter::create(dir.path(), TableFormat::Csv).unwrap();
    stock::tell(&mut writer);
    assert!(list().iter().all(|name| name.starts_with('.')), "{:?}", list());
    writer.finish().unwrap();
    let mut names: Vec<String> = TABLES.iter().map(|table| format!("{}.csv", table.name())).collect();
    names.sort();
    assert_eq!(list(), names);
    let text = std::fs::read(dir.path().join("tables/directions.csv")).unwrap();
    assert_eq!(text, written(TableFormat::Csv)["tables/directions.csv"]);
}

#[cfg(unix)]
#[test]
fn a_linked_folder_for_the_tables_is_refused_before_anything_is_read() {
    let (outside, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), dir.path().join("tables")).unwrap();
    let error = TableWriter::create(dir.path(), TableFormat::Csv).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotADirectory);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
