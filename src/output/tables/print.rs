//! A table for a reader: aligned text, CSV or JSON.

use std::io::{self, Write};

use polars::prelude::{AnyValue, CsvWriter, DataFrame, PolarsError, SerWriter};
use serde_json::Value;

use super::harmless::harmless;
use crate::output::escape::escape_json;
use crate::output::{Palette, escape};

/// A way to print a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrintFormat {
    /// Aligned columns for people; null is `-`.
    #[default]
    Table,
    /// Comma-separated values with a header line; null is empty.
    Csv,
    /// An array with an object a row, their fields in order of the columns.
    Json,
}

impl PrintFormat {
    /// Every way, the default first.
    pub const ALL: &'static [Self] = &[Self::Table, Self::Csv, Self::Json];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// Prints a table.
pub fn print(
    out: &mut dyn Write,
    frame: DataFrame,
    format: PrintFormat,
    palette: &Palette,
) -> io::Result<()> {
    match format {
        PrintFormat::Table => table(out, &frame, palette),
        PrintFormat::Csv => {
            let mut frame = harmless(frame).map_err(wrong)?;
            CsvWriter::new(out).finish(&mut frame).map_err(wrong)
        }
        PrintFormat::Json => json(out, &frame),
    }
}

fn wrong(error: PolarsError) -> io::Error {
    match error {
        PolarsError::IO { error, .. } => io::Error::new(error.kind(), error.to_string()),
        error => io::Error::other(error.to_string()),
    }
}

/// A cell as JSON; whole numbers stay whole.
pub(crate) fn value(cell: &AnyValue<'_>) -> Value {
    match cell {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(value) => Value::from(*value),
        AnyValue::String(text) => Value::from(*text),
        AnyValue::StringOwned(text) => Value::from(text.as_str()),
        AnyValue::List(cells) => cells.iter().map(|cell| value(&cell)).collect(),
        other if other.is_integer() => other.extract::<i64>().map_or(Value::Null, Value::from),
        other => other.extract::<f64>().map_or_else(|| Value::from(other.to_string()), Value::from),
    }
}

fn json(out: &mut dyn Write, frame: &DataFrame) -> io::Result<()> {
    write!(out, "[")?;
    for row in 0..frame.height() {
        let mut fields = Vec::with_capacity(frame.width());
        for column in frame.columns() {
            let name = Value::from(column.name().as_str());
            let cell = value(&column.get(row).map_err(wrong)?);
            fields.push(format!("{name}:{cell}"));
        }
        let comma = if row > 0 { "," } else { "" };
        write!(out, "{comma}\n{}", escape_json(format!("{{{}}}", fields.join(","))))?;
    }
    writeln!(out, "]")
}

fn table(out: &mut dyn Write, frame: &DataFrame, palette: &Palette) -> io::Result<()> {
    let mut columns = Vec::with_capacity(frame.width());
    for column in frame.columns() {
        let mut cells = Vec::with_capacity(frame.height());
        for row in 0..frame.height() {
            cells.push(shown(&value(&column.get(row).map_err(wrong)?)));
        }
        let name = escape(column.name()).into_owned();
        let width = cells.iter().chain([&name]).map(|cell| cell.chars().count()).max().unwrap_or(0);
        columns.push((name, column.dtype().is_primitive_numeric(), width, cells));
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| -> String {
        let padded = cells.zip(&columns).map(|(cell, (_, is_number, width, _))| {
            if *is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let names = line(&mut columns.iter().map(|(name, ..)| name.as_str()));
    writeln!(out, "{}{names}{}", palette.heading, palette.reset)?;
    for row in 0..frame.height() {
        writeln!(out, "{}", line(&mut columns.iter().map(|(.., cells)| cells[row].as_str())))?;
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => escape(text).into_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::{Column, IntoColumn, NamedFrom, Series};

    use super::*;

    fn printed(format: PrintFormat) -> String {
        let source = Series::new("source".into(), ["=web1\u{1b}", "b"]).into_column();
        let lost: Column = Series::new("lost".into(), [Some(12_i64), None]).into_column();
        let share: Column = Series::new("share".into(), [Some(0.5), Some(f64::NAN)]).into_column();
        let frame = DataFrame::new(2, vec![source, lost, share]).unwrap();
        let mut out = Vec::new();
        print(&mut out, frame, format, &Palette::default()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_way_keeps_order_and_nulls_and_defuses_text() {
        assert_eq!(
            printed(PrintFormat::Table),
            "source     lost  share\n=web1\\x1b    12    0.5\nb             -      -\n"
        );
        assert_eq!(printed(PrintFormat::Csv), "source,lost,share\n'=web1\u{1b},12,0.5\nb,,NaN\n");
        let json = printed(PrintFormat::Json);
        assert_eq!(
            json,
            "[\n{\"source\":\"=web1\\u001b\",\"lost\":12,\"share\":0.5},\n{\"source\":\"b\",\"lost\":null,\"share\":null}]\n"
        );
        assert!(serde_json::from_str::<Value>(&json).unwrap().is_array());
    }
}
