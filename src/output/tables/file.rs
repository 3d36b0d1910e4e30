//! The file of a table: Parquet or CSV, written batch by batch.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use polars::io::csv::write as csv;
use polars::io::parquet::write as parquet;
use polars::prelude::{DataFrame, PolarsError, PolarsResult, Schema, SerWriter};

use super::harmless::harmless;
use super::row_groups::RowGroups;
use crate::output::sink::Sink;
use crate::report::SCHEMA;

/// What the tables are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableFormat {
    /// Apache Parquet, compressed, with statistics, a row group a batch.
    #[default]
    Parquet,
    /// Comma-separated values with a header line; null is empty.
    Csv,
}

impl TableFormat {
    /// Every format, the default first.
    pub const ALL: &'static [Self] = &[Self::Parquet, Self::Csv];

    /// Its name on the command line, which is also the ending of the files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }
}

/// A file that batches are appended to.
pub(super) struct TableFile {
    name: String,
    writer: Writer,
    output: Output,
}

enum Writer {
    Parquet(Box<parquet::BatchedWriter<Output>>),
    RowGroups(Box<RowGroups<Output>>),
    Csv(Box<csv::BatchedWriter<Output>>),
}

impl TableFile {
    /// Creates `tables/<table>.<format>`, the only file of its table: all processors encode columns, which is worth it where nothing else
    /// keeps them busy.
    pub(super) fn create(
        sink: &mut dyn Sink,
        table: &str,
        format: TableFormat,
        schema: &Schema,
    ) -> io::Result<Self> {
        Self::with(sink, table, format, |output| match format {
            TableFormat::Parquet => parquet_writer(output, table, schema),
            TableFormat::Csv => csv_writer(output, schema),
        })
    }

    /// Creates `tables/<table>.parquet`, one of many, which other processors make.
    pub(super) fn part(sink: &mut dyn Sink, table: &str, schema: &Schema) -> io::Result<Self> {
        Self::with(sink, table, TableFormat::Parquet, |output| {
            Ok(Writer::RowGroups(Box::new(RowGroups::new(output, table, schema)?)))
        })
    }

    /// The beginning is written at once, so that a full disk shows early.
    fn with(
        sink: &mut dyn Sink,
        table: &str,
        format: TableFormat,
        writer: impl FnOnce(Output) -> PolarsResult<Writer>,
    ) -> io::Result<Self> {
        let name = format!("tables/{table}.{}", format.name());
        let file = Arc::new(Mutex::new(BufWriter::new(sink.create(&name)?)));
        let mut output = Output { file, failed: Failed::default() };
        let writer = writer(output.clone()).map_err(|error| output.failed.explain(&name, &error))?;
        output.flush().map_err(|error| named(&name, &error))?;
        Ok(Self { name, writer, output })
    }

    /// Appends these rows, in Parquet as a row group.
    pub(super) fn write(&mut self, frame: DataFrame) -> io::Result<()> {
        let result = match &mut self.writer {
            Writer::Parquet(writer) => writer.write_batch(&frame),
            Writer::RowGroups(writer) => writer.write(&frame),
            Writer::Csv(writer) => harmless(frame).and_then(|frame| writer.write_batch(&frame)),
        };
        result.map_err(|error| self.output.failed.explain(&self.name, &error))
    }

    /// Writes what ends the file.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let result = match &mut self.writer {
            Writer::Parquet(writer) => writer.finish().map(drop),
            Writer::RowGroups(writer) => writer.finish(),
            Writer::Csv(writer) => writer.finish(),
        };
        result.map_err(|error| self.output.failed.explain(&self.name, &error))?;
        self.output.flush().map_err(|error| named(&self.name, &error))
    }
}

fn named(name: &str, cause: &io::Error) -> io::Error {
    io::Error::new(cause.kind(), format!("{name}: {cause}"))
}

/// What a Parquet file says of itself.
pub(super) const fn said(table: &str) -> [(&'static str, &str); 2] {
    [("tcptrace-rs.schema", SCHEMA), ("tcptrace-rs.table", table)]
}

fn parquet_writer(output: Output, table: &str, schema: &Schema) -> PolarsResult<Writer> {
    let said = said(table).map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let writer = parquet::ParquetWriter::new(output)
        .with_compression(parquet::ParquetCompression::Zstd(None))
        .set_parallel(true)
        .with_statistics(parquet::StatisticsOptions::default())
        .with_key_value_metadata(Some(parquet::KeyValueMetadata::from_static(said)))
        .batched(schema)?;
    Ok(Writer::Parquet(Box::new(writer)))
}

fn csv_writer(output: Output, schema: &Schema) -> PolarsResult<Writer> {
    Ok(Writer::Csv(Box::new(csv::CsvWriter::new(output).batched(schema)?)))
}

/// The file itself; remembers why it could not be written, which the writers between turn into mere text. They write a few bytes at a
/// time, which are gathered here.
#[derive(Clone)]
struct Output {
    file: Arc<Mutex<BufWriter<Box<dyn Write + Send>>>>,
    failed: Failed,
}

#[derive(Clone, Default)]
struct Failed(Arc<Mutex<Option<io::Error>>>);

impl Failed {
    fn explain(&self, name: &str, error: &PolarsError) -> io::Error {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(cause) => named(name, &cause),
            None => io::Error::other(format!("{name}: {error}")),
        }
    }

    fn keep<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(copy);
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.failed.keep(self.file.lock().unwrap_or_else(PoisonError::into_inner).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.failed.keep(self.file.lock().unwrap_or_else(PoisonError::into_inner).flush())
    }
}
