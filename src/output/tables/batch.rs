//! Rows gathered column by column until they are worth writing.

use std::cmp::Ordering;
use std::io;

use polars::prelude::{
    BooleanChunkedBuilder, ChunkedBuilder, Column as Series, DataFrame, DataType, Field, Float64Type,
    IdxSize, Int64Type, IntoColumn, PolarsResult, PrimitiveChunkedBuilder, Schema, StringChunkedBuilder,
};

use super::column::{Column, Kind, Read};
use super::{Finding, TableOf};

/// A table that rows are being gathered for.
pub trait OpenTable: Send {
    /// Adds the rows that this finding makes, if any.
    fn take(&mut self, finding: Finding<'_>);

    /// Rows gathered since the last [`Self::drain`].
    fn rows(&self) -> usize;

    /// The rows gathered since the last call, sorted; the batch is then empty.
    fn drain(&mut self) -> io::Result<DataFrame>;

    /// Names and types of the columns.
    fn schema(&self) -> Schema;
}

/// The batch of a table whose rows are made from `R`.
pub(super) struct Batch<R: 'static> {
    table: &'static TableOf<R>,
    /// None while there is no row: a trace has rows in few tables, and there are traces by the thousand.
    cells: Vec<Cells>,
    rows: usize,
}

/// The cells of a column so far.
enum Cells {
    Int(PrimitiveChunkedBuilder<Int64Type>),
    Float(PrimitiveChunkedBuilder<Float64Type>),
    Bool(BooleanChunkedBuilder),
    Text(StringChunkedBuilder),
}

impl<R> Batch<R> {
    pub(super) fn new(table: &'static TableOf<R>) -> Self {
        Self { table, cells: Vec::new(), rows: 0 }
    }
}

impl<R: 'static> OpenTable for Batch<R> {
    fn take(&mut self, finding: Finding<'_>) {
        let Self { table, cells, rows } = self;
        (table.rows)(finding, &mut |row| {
            if cells.is_empty() {
                *cells = empty(table);
            }
            for (column, cells) in table.columns.iter().zip(cells.iter_mut()) {
                cells.push(column, row);
            }
            *rows += 1;
        });
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn drain(&mut self) -> io::Result<DataFrame> {
        let mut cells = std::mem::take(&mut self.cells);
        if cells.is_empty() {
            cells = empty(self.table);
        }
        let rows = std::mem::take(&mut self.rows);
        frame(rows, cells, self.table.sort).map_err(io::Error::other)
    }

    fn schema(&self) -> Schema {
        self.table
            .columns
            .iter()
            .map(|column| Field::new(column.about.name.into(), data_type(column.about.kind)))
            .collect()
    }
}

fn empty<R>(table: &TableOf<R>) -> Vec<Cells> {
    table.columns.iter().map(|column| Cells::new(column.about.name, column.about.kind)).collect()
}

fn frame(rows: usize, cells: Vec<Cells>, sort: &[&str]) -> PolarsResult<DataFrame> {
    let frame = DataFrame::new(rows, cells.into_iter().map(Cells::finish).collect())?;
    match order(&frame, sort)? {
        Some(order) => {
            let columns = frame.columns().iter().map(|column| column.take_slice(&order));
            DataFrame::new(rows, columns.collect::<PolarsResult<_>>()?)
        }
        None => Ok(frame),
    }
}

/// The values of a column that rows are sorted by. Null is less than any.
enum Key<'a> {
    Int(Vec<Option<i64>>),
    Text(Vec<Option<&'a str>>),
}

impl Key<'_> {
    fn cmp(&self, a: usize, b: usize) -> Ordering {
        match self {
            Self::Int(values) => values[a].cmp(&values[b]),
            Self::Text(values) => values[a].cmp(&values[b]),
        }
    }
}

/// The places of the rows in their order; `None` where they are in it. Rows that are equal in these columns stay as they came.
///
/// polars sorts on all processors, which here have traces of their own: most batches are so short that to wake them takes longer.
fn order(frame: &DataFrame, sort: &[&str]) -> PolarsResult<Option<Vec<IdxSize>>> {
    let key = |name: &&str| -> PolarsResult<Key<'_>> {
        let column = frame.column(name)?;
        Ok(match column.i64() {
            Ok(values) => Key::Int(values.iter().collect()),
            Err(_) => Key::Text(column.str()?.iter().collect()),
        })
    };
    let keys: Vec<Key<'_>> = sort.iter().map(key).collect::<PolarsResult<_>>()?;
    let cmp = |a: usize, b: usize| {
        keys.iter().fold(Ordering::Equal, |sorted, key| sorted.then_with(|| key.cmp(a, b)))
    };
    if (1..frame.height()).all(|at| cmp(at - 1, at).is_le()) {
        return Ok(None);
    }
    let mut order: Vec<IdxSize> = (0..).take(frame.height()).collect();
    order.sort_by(|a, b| cmp(*a as usize, *b as usize));
    Ok(Some(order))
}

const fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Integer => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Boolean => DataType::Boolean,
        Kind::Text => DataType::String,
    }
}

impl Cells {
    fn new(name: &str, kind: Kind) -> Self {
        // No capacity: most captures have few rows in most tables.
        match kind {
            Kind::Integer => Self::Int(PrimitiveChunkedBuilder::new(name.into(), 0)),
            Kind::Float => Self::Float(PrimitiveChunkedBuilder::new(name.into(), 0)),
            Kind::Boolean => Self::Bool(BooleanChunkedBuilder::new(name.into(), 0)),
            Kind::Text => Self::Text(StringChunkedBuilder::new(name.into(), 0)),
        }
    }

    fn push<R>(&mut self, column: &Column<R>, row: &R) {
        match (self, &column.read) {
            (Self::Int(cells), Read::Int(read)) => cells.append_option(read(row)),
            (Self::Float(cells), Read::Float(read)) => {
                cells.append_option(read(row).filter(|value| value.is_finite()));
            }
            (Self::Bool(cells), Read::Bool(read)) => cells.append_option(read(row)),
            (Self::Text(cells), Read::Text(read)) => cells.append_option(read(row)),
            (Self::Text(cells), Read::Word(words, read)) => {
                let word = read(row);
                debug_assert!(
                    word.is_none_or(|word| words.contains(&word)),
                    "{} has no word {word:?}",
                    column.about.name
                );
                cells.append_option(word);
            }
            // The cells were made for the same column, whose constructor sets kind and reader together.
            _ => unreachable!("column {} read as another type", column.about.name),
        }
    }

    fn finish(self) -> Series {
        match self {
            Self::Int(cells) => cells.finish().into_column(),
            Self::Float(cells) => cells.finish().into_column(),
            Self::Bool(cells) => cells.finish().into_column(),
            Self::Text(cells) => cells.finish().into_column(),
        }
    }
}
