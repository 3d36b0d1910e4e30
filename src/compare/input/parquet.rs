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
    use polars::prelude::{AnyValue, ParquetReader, SerReader};
    use serde_json::{Map, Value};

    let wrong = |error: polars::prelude::PolarsError| InputError::Format(error.to_string());
    let frame = ParquetReader::new(std::io::Cursor::new(bytes)).finish().map_err(wrong)?;
    let mut rows: Vec<Map<String, Value>> = vec![Map::new(); frame.height()];
    for column in frame.columns() {
        for (at, row) in rows.iter_mut().enumerate() {
            let value = match column.get(at).map_err(wrong)? {
                AnyValue::Null => continue,
                AnyValue::Boolean(value) => Value::from(value),
                AnyValue::String(text) => Value::from(text),
                AnyValue::StringOwned(text) => Value::from(text.as_str()),
                // Whole numbers stay whole, so that a connection is `3`, not `3.0`.
                other if other.is_integer() => match other.extract::<i64>() {
                    Some(value) => Value::from(value),
                    None => continue,
                },
                other => match other.extract::<f64>() {
                    Some(value) => Value::from(value),
                    None => Value::from(other.to_string()),
                },
            };
            row.insert(column.name().to_string(), value);
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
