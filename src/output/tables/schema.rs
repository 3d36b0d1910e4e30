//! `docs/schema.md`, written from [`TABLES`].

use std::fmt::Write as _;

use super::{About, BATCH_ROWS, DATASET_TABLES, TABLES, Table};
use crate::report::SCHEMA;

/// The documentation of every table and column, as Markdown.
pub fn schema_markdown() -> String {
    let mut text = format!(
        "# The tables\n\n\
         <!-- Written from the declarations in src/output/tables; do not edit. `UPDATE_DOCS=1 cargo test schema` \
         writes it anew. -->\n\n\
         `analyze CAPTURE --out DIR` writes `DIR/tables/<table>.parquet`; with `--tables csv`, `<table>.csv`. This is \
         schema `{SCHEMA}`. Names, types and meanings of columns stay within a schema; columns may be added at the \
         end. A Parquet file says its schema in its key-value metadata, as `tcptrace-rs.schema`, and its table as \
         `tcptrace-rs.table`.\n\n\
         - Integers are signed 64-bit, floats double, text UTF-8. What is not known is null, in CSV an empty cell; it \
         is never 0. Booleans are `true` and `false`.\n\
         - Times are integer nanoseconds since the epoch, as the capture has them. Frames are counted from 1, as \
         Wireshark does. Connections are counted from 0 in order of their first packet.\n\
         - Rows are written in batches of {BATCH_ROWS} as the analysis comes to its results, connections when they \
         end; inside a batch they are sorted as given below. A table with fewer rows is so sorted as a whole. In \
         Parquet a batch is a row group.\n\
         - The same capture and options give the same bytes.\n\
         - In CSV, text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a \
         line break) has an apostrophe before it.\n"
    );
    for table in TABLES {
        describe(&mut text, *table);
    }
    text.push_str(
        "\n# Tables of a dataset\n\n`batch` writes the tables above, in smaller row groups, with a column `source` that names the trace, and \
         these beside them ([batch.md](batch.md)).\n",
    );
    for table in DATASET_TABLES {
        describe(&mut text, *table);
    }
    text
}

fn describe(text: &mut String, table: &dyn Table) {
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\n## {}\n\n{}{}\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n",
        table.name(),
        table.about(),
        sorted(table.sort()),
    );
    for About { name, kind, unit, meaning, words } in table.columns() {
        let _ = write!(text, "| `{name}` | {} | {unit} | {meaning}", kind.name());
        if !words.is_empty() {
            let _ = write!(text, " One of `{}`.", words.join("`, `"));
        }
        text.push_str(" |\n");
    }
}

fn sorted(columns: &[&str]) -> String {
    if columns.is_empty() { String::new() } else { format!(" Sorted by `{}`.", columns.join("`, `")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_code() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schema.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, schema_markdown()).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == schema_markdown(), "docs/schema.md is stale: UPDATE_DOCS=1 cargo test schema");
    }

    #[test]
    fn every_cell_of_the_documentation_fits_a_markdown_table() {
        for table in TABLES.iter().chain(DATASET_TABLES) {
            assert!(table.about().ends_with('.'), "{}", table.name());
            for column in table.columns() {
                assert!(column.meaning.ends_with('.'), "{}", column.name);
                assert!(!column.meaning.contains(['|', '\n']), "{}", column.name);
            }
        }
    }
}
