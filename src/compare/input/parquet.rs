//! Tables in Parquet, as `analyze --out` writes them (feature `tables`).

use crate::compare::error::InputError;
use crate::compare::sample::Sample;

/// What every Parquet file begins with.
pub const MAGIC: &[u8] = b"PAR1";

/// The values of a table.
///
/// # Errors
///
/// [`InputError`], where it is no Parquet file, holds no value or too many.
#[cfg(feature = "tables")]
pub fn read(bytes: Vec<u8>) -> Result<Vec<Sample>, InputError> {
    use polars::prelude::{ParquetReader, SerReader};
    use serde_json::{Map, Value};

    use crate::output::tables::print::value;

    let wrong = |error: polars::prelude::PolarsError| InputError::Format(error.to_string());
    let frame = ParquetReader::new(std::io::Cursor::new(bytes)).finish().map_err(wrong)?;
    let mut rows: Vec<Map<String, Value>> = vec![Map::new(); frame.height()];
    for column in frame.columns() {
        for (at, row) in rows.iter_mut().enumerate() {
            let value = value(&column.get(at).map_err(wrong)?);
            if !value.is_null() {
                row.insert(column.name().to_string(), value);
            }
        }
    }
    let samples = super::table::read(&rows)?;
    if samples.is_empty() { Err(InputError::Empty) } else { Ok(samples) }
}

/// This build reads none.
///
/// # Errors
///
/// Always.
#[cfg(not(feature = "tables"))]
pub fn read(_: Vec<u8>) -> Result<Vec<Sample>, InputError> {
    Err(InputError::Format("Parquet, which this build does not read (feature `tables`)".into()))
}
