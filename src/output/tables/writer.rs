//! Writes all tables while the capture is read, in bounded memory.

use std::io;
use std::path::Path;

use super::batch::OpenTable;
use super::file::{TableFile, TableFormat};
use super::{BATCH_ROWS, Finding, TABLES};
use crate::output::ReportWriter;
use crate::output::sink::{DirSink, Sink};
use crate::report::{CaptureReport, ConnectionReport, ReportSink, RetransmissionRow, SeriesRow};

/// Takes findings and writes their rows to one file a table. At most [`BATCH_ROWS`] rows of each table are held.
///
/// The same findings in the same order give the same bytes. An error while findings arrive is kept and comes out of
/// [`TableWriter::finish`]; nothing more is written after it.
#[must_use = "the files are only whole after `finish`"]
pub struct TableWriter {
    tables: Vec<(Box<dyn OpenTable>, TableFile)>,
    /// The folder, where it is this writer's to commit.
    dir: Option<DirSink>,
    failed: io::Result<()>,
}

impl TableWriter {
    /// Creates every file in `dir/tables`, even those that may stay without rows. They have their names when the writer
    /// is finished.
    pub fn create(dir: &Path, format: TableFormat) -> io::Result<Self> {
        let mut dir = DirSink::new(dir)?;
        let writer = Self::with_sink(&mut dir, format)?;
        Ok(Self { dir: Some(dir), ..writer })
    }

    /// The same in any sink, which the caller commits after [`TableWriter::finish`].
    pub fn with_sink(sink: &mut dyn Sink, format: TableFormat) -> io::Result<Self> {
        let open = |table: &&'static dyn super::Table| {
            let batch = table.open();
            let file = TableFile::create(sink, table.name(), format, &batch.schema())?;
            Ok((batch, file))
        };
        let tables = TABLES.iter().map(open).collect::<io::Result<_>>()?;
        Ok(Self { tables, dir: None, failed: Ok(()) })
    }

    /// Adds the rows that this finding makes.
    pub fn take(&mut self, finding: Finding<'_>) {
        if self.failed.is_ok() {
            self.failed = self.try_take(finding);
        }
    }

    fn try_take(&mut self, finding: Finding<'_>) -> io::Result<()> {
        for (batch, file) in &mut self.tables {
            batch.take(finding);
            if batch.rows() >= BATCH_ROWS {
                file.write(batch.drain()?)?;
            }
        }
        Ok(())
    }

    /// Writes the rows still held and ends the files. The first error of all comes out here.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed?;
        for (batch, file) in &mut self.tables {
            file.write(batch.drain()?)?;
            file.finish()?;
        }
        drop(self.tables);
        self.dir.as_mut().map_or(Ok(()), DirSink::commit)
    }
}

impl ReportSink for TableWriter {
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

impl ReportWriter for TableWriter {
    fn finish(self: Box<Self>, _capture: &CaptureReport) -> io::Result<()> {
        Self::finish(*self)
    }
}
