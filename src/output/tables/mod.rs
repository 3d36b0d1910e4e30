//! The tables: `tables/<name>.parquet` or `.csv`, a row for each connection, direction, retransmission and so on.
//!
//! A table is one file of this folder, which declares each of its columns once, and one row of [`TABLES`]. The files,
//! `docs/schema.md` and the tests come from these declarations.

mod batch;
mod captures;
mod cells;
mod column;
mod connections;
mod directions;
mod failures;
mod file;
mod harmless;
mod intervals;
mod limits;
mod parts;
mod paths;
mod predictions;
pub(crate) mod print;
mod retransmissions;
mod row_groups;
mod rtt;
mod schema;
mod small;
#[cfg(test)]
mod stock;
#[cfg(test)]
mod tests;
mod window;
mod word;
mod writer;

use crate::report::batch::Failure;
use crate::report::{ConnectionReport, RetransmissionRow, SeriesRow};

pub use captures::CaptureRow;
pub use column::{About, Kind};
pub use file::TableFormat;
pub use parts::{HELD_ROWS, Part, PartFile, PartWriter};
pub use print::{PrintFormat, print};
pub use schema::schema_markdown;
pub use writer::TableWriter;

use batch::OpenTable;
use column::Column;

/// Something the analysis found, from which rows are made.
#[derive(Clone, Copy, Debug)]
pub enum Finding<'a> {
    /// A connection that is finished.
    Connection(&'a ConnectionReport),
    /// A segment that was sent again, came late or was lost.
    Retransmission(&'a RetransmissionRow),
    /// A row of what changes over time.
    Series(&'a SeriesRow),
    /// A trace that was read, in a dataset.
    Capture(&'a CaptureRow),
    /// Why a trace of a dataset is missing or cut.
    Failure(&'a Failure),
}

/// A table, as one can ask about it.
pub trait Table: Sync {
    /// Its name, which is that of its file.
    fn name(&self) -> &'static str;

    /// What a row is.
    fn about(&self) -> &'static str;

    /// Columns by which the rows of a batch are sorted.
    fn sort(&self) -> &'static [&'static str];

    /// Its columns in their order.
    fn columns(&self) -> Vec<About>;

    /// Begins to gather rows.
    fn open(&'static self) -> Box<dyn OpenTable>;

    /// The table without rows, as those have it who find no file.
    fn empty(&'static self) -> polars::prelude::DataFrame {
        polars::prelude::DataFrame::empty_with_schema(&self.open().schema())
    }
}

/// Every table, in the order of the documentation.
pub const TABLES: &[&'static dyn Table] = &[
    &connections::CONNECTIONS,
    &directions::DIRECTIONS,
    &retransmissions::RETRANSMISSIONS,
    &rtt::RTT,
    &window::WINDOW,
    &intervals::INTERVALS,
    &limits::LIMITS,
    &paths::PATHS,
    &predictions::PREDICTIONS,
];

/// The tables that only a dataset has, which is of many traces.
pub const DATASET_TABLES: &[&'static dyn Table] = &[&captures::CAPTURES, &failures::FAILURES];

/// Rows gathered before they are sorted and written: a row group of a Parquet file. It bounds the memory.
pub const BATCH_ROWS: usize = 1 << 16;

/// Calls back with each row that a finding makes.
type Rows<R> = fn(Finding<'_>, &mut dyn FnMut(&R));

/// A table whose rows are made from `R`.
struct TableOf<R: 'static> {
    name: &'static str,
    about: &'static str,
    sort: &'static [&'static str],
    columns: &'static [Column<R>],
    /// The rows that a finding makes; none for findings of another table.
    rows: Rows<R>,
}

impl<R: 'static> Table for TableOf<R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn sort(&self) -> &'static [&'static str] {
        self.sort
    }

    fn columns(&self) -> Vec<About> {
        self.columns.iter().map(|column| column.about).collect()
    }

    fn open(&'static self) -> Box<dyn OpenTable> {
        Box::new(batch::Batch::new(self))
    }
}
