//! The tables: `tables/<name>.parquet` or `.csv`, a row for each connection, direction, retransmission and so on.
//!
//! A table is one file of this folder, which declares each of its columns once, and one row of [`TABLES`]. The files,
//! `docs/schema.md` and the tests come from these declarations.

mod batch;
mod column;
mod connections;
mod directions;
mod file;
mod harmless;
mod intervals;
mod limits;
mod paths;
mod predictions;
mod retransmissions;
mod rtt;
mod schema;
#[cfg(test)]
mod stock;
#[cfg(test)]
mod tests;
mod window;
mod word;
mod writer;

use crate::report::{ConnectionReport, RetransmissionRow, SeriesRow};

pub use column::{About, Kind};
pub use file::TableFormat;
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
