//! Keeps text that a capture brought along from being run as a formula when a table is opened in a spreadsheet.

use std::borrow::Cow;

use polars::prelude::{DataFrame, DataType, IntoColumn, PolarsResult, StringChunked};

/// The frame with an apostrophe before every text cell that a spreadsheet would take for a formula. Numbers stay: a
/// negative one is no text.
pub(super) fn harmless(mut frame: DataFrame) -> PolarsResult<DataFrame> {
    let columns = frame.columns().iter().enumerate();
    let texts: Vec<usize> =
        columns.filter(|(_, column)| column.dtype() == &DataType::String).map(|(at, _)| at).collect();
    for at in texts {
        let column = frame.columns()[at].str()?;
        if column.iter().flatten().any(is_formula) {
            let cells: StringChunked = column.iter().map(|cell| cell.map(quoted)).collect();
            let cells = cells.with_name(column.name().clone());
            frame.replace_column(at, cells.into_column())?;
        }
    }
    Ok(frame)
}

/// Whether a spreadsheet may act on it, by its first character (OWASP, "CSV Injection").
fn is_formula(cell: &str) -> bool {
    cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

fn quoted(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}
