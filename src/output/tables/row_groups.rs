//! The Parquet file of a part: row groups of a page for each column, each column encoded as is best for it.
//!
//! polars' own writer estimates how many values each column has by `HyperLogLog`, in 16,384 registers, and adds an index of pages and the schema
//! as Arrow has it to each file. What is left out tells a reader nothing: a row group of a part is too short for a second page, and the types
//! are those of Parquet. Parts of few rows, by far the most, are made by [`super::small`].

use std::io::Write;

use polars::prelude::{Column, CompatLevel, DataFrame, PolarsError, PolarsResult, Schema, SchemaExt};
use polars_parquet::parquet::error::ParquetError;
use polars_parquet::write::{
    CompressionOptions, Compressor, DynIter, DynStreamingIterator, Encoding, FallibleStreamingIterator,
    FileWriter, KeyValue, SchemaDescriptor, StatisticsOptions, Version, WriteOptions, array_to_columns,
    to_parquet_schema,
};

use super::file::said;

/// A file that row groups are appended to.
pub(super) struct RowGroups<W: Write> {
    file: FileWriter<W>,
    schema: SchemaDescriptor,
    options: WriteOptions,
    /// What it says of itself.
    said: Vec<KeyValue>,
}

impl<W: Write> RowGroups<W> {
    /// A file of these columns.
    pub(super) fn new(out: W, table: &str, schema: &Schema) -> PolarsResult<Self> {
        let compression = CompressionOptions::Zstd(None);
        let statistics = StatisticsOptions::default();
        let options = WriteOptions { statistics, version: Version::V1, compression, data_page_size: None };
        // Without statistics the file has no index of pages; those of the columns come with their pages.
        let of_file = WriteOptions { statistics: StatisticsOptions::empty(), ..options };
        let fields = schema.iter_fields().map(|field| field.to_arrow(CompatLevel::newest()));
        let fields = fields.map(|field| (field.name.clone(), field)).collect();
        let schema = to_parquet_schema(&fields)?;
        let file = FileWriter::new_with_parquet_schema(out, fields, schema.clone(), of_file);
        let said = said(table).map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
        Ok(Self { file, schema, options, said: said.to_vec() })
    }

    /// Appends these rows.
    pub(super) fn write(&mut self, frame: &DataFrame) -> PolarsResult<()> {
        for rows in frame.iter_chunks(CompatLevel::newest(), false) {
            let mut columns = Vec::with_capacity(frame.width());
            for ((array, field), column) in
                rows.columns().iter().zip(self.schema.fields()).zip(frame.columns())
            {
                let encoding = encoding(column);
                for pages in array_to_columns(array, field.clone(), self.options, &[encoding])? {
                    let pages = pages.map(|page| page.map_err(ParquetError::from));
                    let compressed = Compressor::new_from_vec(pages, self.options.compression, Vec::new());
                    columns.push(Ok(DynStreamingIterator::new(compressed.map_err(PolarsError::from))));
                }
            }
            self.file.write(rows.len() as u64, DynIter::new(columns.into_iter()))?;
        }
        Ok(())
    }

    /// Writes what ends the file.
    pub(super) fn finish(&mut self) -> PolarsResult<()> {
        self.file.end(Some(std::mem::take(&mut self.said))).map(drop)
    }
}

/// A dictionary where that may be shorter.
fn encoding(column: &Column) -> Encoding {
    if column.bool().is_ok() { Encoding::Plain } else { Encoding::RleDictionary }
}
