//! Writes the tables of one trace of a dataset: a Parquet file for each table that has a row.

use std::io;

use super::batch::OpenTable;
use super::file::TableFile;
use super::{DATASET_TABLES, Finding, TABLES};
use crate::output::sink::Sink;
use crate::report::{ConnectionReport, ReportSink, RetransmissionRow, SeriesRow};

/// Rows of a table that are held before they are written. Fewer than [`super::BATCH_ROWS`], since several traces are
/// read at a time; a constant, since the bytes of a file follow from it.
pub const HELD_ROWS: usize = 1 << 13;

/// A table of no more rows than this is small: its file is made in memory.
const FEW_ROWS: usize = 1 << 11;

/// A file that [`PartWriter::finish`] has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The table.
    pub table: &'static str,
    /// Its rows.
    pub rows: u64,
    /// Where it is.
    pub file: PartFile,
}

/// Where the file of a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartFile {
    /// In the sink, as `tables/<table>.parquet`.
    InSink,
    /// Nowhere yet: this is what it is to hold.
    Bytes(Vec<u8>),
}

/// Takes findings and writes their rows to files, each of which is created when it is too long for memory.
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
        for part in self.tables {
            parts.extend(part.finish(&mut self.sink)?);
        }
        self.sink.commit()?;
        Ok((self.sink, parts))
    }
}

impl OpenPart {
    fn write(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        self.rows += self.batch.rows() as u64;
        let frame = self.batch.drain()?;
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(TableFile::part(sink, self.table, &self.batch.schema())?),
        };
        file.write(frame)
    }

    /// `None` where there was no row.
    fn finish(mut self, sink: &mut dyn Sink) -> io::Result<Option<Part>> {
        let (table, rows) = (self.table, self.batch.rows());
        if self.file.is_none() && rows <= FEW_ROWS {
            if rows == 0 {
                return Ok(None);
            }
            let bytes = self.batch.file()?;
            return Ok(Some(Part { table, rows: rows as u64, file: PartFile::Bytes(bytes) }));
        }
        if rows > 0 {
            self.write(sink)?;
        }
        if let Some(mut file) = self.file {
            file.finish()?;
        }
        Ok(Some(Part { table, rows: self.rows, file: PartFile::InSink }))
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
