//! SQL over the tables of a dataset, through polars: what a query does not need of them is not read.

use std::path::Path;

use polars::prelude::{
    DataFrame, DataType, Field, HiveOptions, IntoLazy, LazyFrame, PlRefPath, PolarsError, PolarsResult,
    ScanArgsParquet, Schema, lit,
};
use polars::sql::SQLContext;

use crate::output::tables::{DATASET_TABLES, TABLES, Table};

/// The name of the trace, which stands in the path of a part.
const SOURCE: &str = "source";

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No folder, or one without a table.
    #[error("{0}: not a dataset: it has no table. `tcptrace-rs batch INPUT... --out {0}` writes one")]
    NoDataset(String),
    /// The query or a file is wrong.
    #[error("{0}")]
    Polars(#[from] PolarsError),
}

/// The answer of a query in SQL over the dataset in a folder.
///
/// # Errors
/// Where there is no dataset, the query is wrong or a part cannot be read.
pub fn ask(dataset: &Path, sql: &str) -> Result<DataFrame, QueryError> {
    let mut context = SQLContext::new();
    let mut found = false;
    for table in TABLES.iter().chain(DATASET_TABLES) {
        let folder = dataset.join(table.name());
        let is_there = folder.is_dir();
        found |= is_there;
        let rows = if is_there { scan(&folder)? } else { empty(*table) };
        context.register(table.name(), rows);
    }
    if !found {
        return Err(QueryError::NoDataset(dataset.display().to_string()));
    }
    Ok(context.execute(sql)?.collect()?)
}

fn scan(folder: &Path) -> PolarsResult<LazyFrame> {
    // Sources may all look like numbers or dates, and are text.
    let schema: Schema = [Field::new(SOURCE.into(), DataType::String)].into_iter().collect();
    let hive_options = HiveOptions {
        enabled: Some(true),
        hive_start_idx: 0,
        schema: Some(schema.into()),
        try_parse_dates: false,
    };
    let args = ScanArgsParquet {
        hive_options,
        // The folder's own name is no pattern.
        glob: false,
        // A part of an earlier version has fewer columns.
        allow_missing_columns: true,
        ..ScanArgsParquet::default()
    };
    LazyFrame::scan_parquet(PlRefPath::new(folder.to_string_lossy().as_ref()), args)
}

/// A table of which no trace has a row.
fn empty(table: &'static dyn Table) -> LazyFrame {
    table.empty().lazy().with_column(lit("").alias(SOURCE))
}
