//! Rows gathered column by column until they are worth writing.

use std::cmp::Ordering;
use std::io;

use polars::prelude::{DataFrame, Field, Schema};

use super::cells::{Cells, data_type};
use super::{Finding, TableOf, small};

/// A table that rows are being gathered for.
pub trait OpenTable: Send {
    /// Adds the rows that this finding makes, if any.
    fn take(&mut self, finding: Finding<'_>);

    /// Rows gathered since the last call that took them.
    fn rows(&self) -> usize;

    /// Takes the rows gathered since the last call, sorted; the batch is then empty.
    fn drain(&mut self) -> io::Result<DataFrame>;

    /// The same as the content of a Parquet file, for few rows.
    fn file(&mut self) -> io::Result<Vec<u8>>;

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

impl<R> Batch<R> {
    pub(super) fn new(table: &'static TableOf<R>) -> Self {
        Self { table, cells: Vec::new(), rows: 0 }
    }

    /// The rows so far, and their order; the batch is then empty.
    fn sorted(&mut self) -> (Vec<Cells>, Vec<usize>) {
        let mut cells = std::mem::take(&mut self.cells);
        if cells.is_empty() {
            cells = empty(self.table);
        }
        let rows = std::mem::take(&mut self.rows);
        let columns = self.table.columns.iter().zip(&cells);
        let keys: Vec<&Cells> = self
            .table
            .sort
            .iter()
            .filter_map(|key| columns.clone().find(|(column, _)| column.about.name == *key))
            .map(|(_, cells)| cells)
            .collect();
        let order = order(rows, &keys);
        (cells, order)
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
        let (cells, order) = self.sorted();
        // Each goes when it has become a column: all of them twice would be the most memory that a table needs.
        let columns = self.table.columns.iter().zip(cells);
        let columns = columns.map(|(column, cells)| cells.series(column.about.name, &order)).collect();
        DataFrame::new(order.len(), columns).map_err(io::Error::other)
    }

    fn file(&mut self) -> io::Result<Vec<u8>> {
        let (cells, order) = self.sorted();
        let columns = self.table.columns.iter().map(|column| column.about);
        small::file(self.table.name, columns.zip(&cells), &order)
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
    table.columns.iter().map(|column| Cells::new(column.about.kind)).collect()
}

/// The places of the rows in the order of these columns. Rows that are equal in them stay as they came.
///
/// polars sorts on all processors, which here have traces of their own: most batches are so short that to wake them takes longer.
fn order(rows: usize, keys: &[&Cells]) -> Vec<usize> {
    let cmp = |a: &usize, b: &usize| {
        keys.iter().fold(Ordering::Equal, |sorted, key| sorted.then_with(|| key.cmp(*a, *b)))
    };
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(cmp);
    order
}
