//! Writes the tables of one trace of a dataset: a Parquet file for each table that has a row.

use std::io;

use super::batch::OpenTable;
use super::file::{TableFile, TableFormat, Use};
use super::{DATASET_TABLES, Finding, TABLES};
use crate::output::sink::Sink;
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow, SeriesRow};

/// Rows of a table that are held before they are written. Fewer than [`super::BATCH_ROWS`], since several traces are
/// read at a time; a constant, since the bytes of a file follow from it.
const HELD_ROWS: usize = 1 << 13;

/// A table of no more rows than this is small.
const FEW_ROWS: usize = 1 << 11;

/// A file that [`PartWriter::finish`] has left in its sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The table, which is in `tables/<table>.parquet`.
    pub table: &'static str,
    /// Its rows.
    pub rows: u64,
}

/// Takes findings and writes their rows to files, each of which is created with its first rows.
///
/// The same findings in the same order give the same bytes. An error while findings arrive is kept and comes out of
/// [`PartWriter::finish`]; nothing more is written after it.
pub struct PartWriter<S> {
    sink: S,
    tables: Vec<OpenPart>,
    failed: io::Result<()>,
}

struct OpenPart {
    table: &'static str,
    batch: Box<dyn OpenTable>,
    file: Option<TableFile>,
    rows: u64,
}

impl<S: Sink> PartWriter<S> {
    /// Creates nothing yet.
    pub fn new(sink: S) -> Self {
        let open = |table: &&'static dyn super::Table| OpenPart {
            table: table.name(),
            batch: table.open(),
            file: None,
            rows: 0,
        };
        Self { sink, tables: TABLES.iter().chain(DATASET_TABLES).map(open).collect(), failed: Ok(()) }
    }

    /// Adds the rows that this finding makes.
    pub fn take(&mut self, finding: Finding<'_>) {
        if self.failed.is_err() {
            return;
        }
        for part in &mut self.tables {
            part.batch.take(finding);
            if part.batch.rows() >= HELD_ROWS
                && let Err(error) = part.write(&mut self.sink)
            {
                self.failed = Err(error);
                return;
            }
        }
    }

    /// Whether writing has failed, so that there is no use in reading on.
    pub fn has_failed(&self) -> bool {
        self.failed.is_err()
    }

    /// Ends the files and gives them their names in the sink. The first error of all comes out here.
    pub fn finish(mut self) -> io::Result<(S, Vec<Part>)> {
        self.failed?;
        let mut parts = Vec::new();
        for mut part in self.tables {
            part.write(&mut self.sink)?;
            if let Some(file) = &mut part.file {
                file.finish()?;
                parts.push(Part { table: part.table, rows: part.rows });
            }
        }
        self.sink.commit()?;
        Ok((self.sink, parts))
    }
}

impl OpenPart {
    fn write(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        let rows = self.batch.rows();
        if rows == 0 {
            return Ok(());
        }
        self.rows += rows as u64;
        let frame = self.batch.drain()?;
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                // Rows that are written before the end are followed by more.
                let purpose = if rows <= FEW_ROWS { Use::SmallPart } else { Use::Part };
                let schema = self.batch.schema();
                none.insert(TableFile::create(sink, self.table, TableFormat::Parquet, purpose, &schema)?)
            }
        };
        file.write(frame)
    }
}

impl<S: Sink> ReportSink for PartWriter<S> {
    fn connection(&mut self, connection: ConnectionReport) {
        self.take(Finding::Connection(&connection));
    }

    fn retransmission(&mut self, row: &RetransmissionRow) {
        self.take(Finding::Retransmission(row));
    }

    fn wants_series(&self) -> bool {
        true
    }

    fn series(&mut self, row: &SeriesRow) {
        self.take(Finding::Series(row));
    }
}
