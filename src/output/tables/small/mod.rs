//! The Parquet file of few rows, made in one go: one row group, a page for each column.
//!
//! What polars' writers and those below them do for each column (arrays, iterators of pages, metadata by clones) takes the longest by far where
//! there are some hundred rows in each of a hundred columns, by the thousand. The format is that of Apache Parquet's README.md and
//! parquet.thrift, whose numbers of fields stand here. A file says what those of [`super::row_groups`] say.

mod chunk;
mod dictionary;
mod levels;
#[cfg(test)]
mod tests;
mod thrift;

use std::io;

use super::cells::Cells;
use super::column::{About, Kind};
use super::file::said;
use chunk::{Chunk, Scratch, physical};
use thrift::Fields;

const MAGIC: &[u8] = b"PAR1";

/// Repetition of a column that may hold nulls, and the type of a text before there were logical types.
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;

/// The file of these columns, their rows in this order.
pub(super) fn file<'a>(
    table: &str,
    columns: impl Iterator<Item = (About, &'a Cells)>,
    order: &[usize],
) -> io::Result<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    let mut scratch = Scratch::default();
    let mut chunks = Vec::new();
    for (about, cells) in columns {
        chunks.push((about, chunk::write(&mut out, about.kind, cells, order, &mut scratch)?));
    }
    let footer = out.len();
    thrift::put(&mut out, |file| describe(file, table, &chunks, order.len()));
    let length = u32::try_from(out.len() - footer).map_err(io::Error::other)?;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(MAGIC);
    Ok(out)
}

/// The footer: `FileMetaData`.
fn describe(file: &mut Fields<'_>, table: &str, chunks: &[(About, Chunk)], rows: usize) {
    file.i32(1, 1);
    let root = std::iter::once(None);
    let elements: Vec<Option<&About>> = root.chain(chunks.iter().map(|(about, _)| Some(about))).collect();
    file.list(2, elements.into_iter(), |element, about| {
        let Some(About { name, kind, .. }) = about else {
            element.bytes(4, b"root");
            element.short_size(5, chunks.len());
            return;
        };
        element.i32(1, physical(*kind));
        element.i32(3, OPTIONAL);
        element.bytes(4, name.as_bytes());
        if *kind == Kind::Text {
            element.i32(6, UTF8);
            element.fields(10, |logical| logical.fields(1, |_| {}));
        }
    });
    file.size(3, rows);
    file.list(4, std::iter::once(()), |group, ()| {
        group.list(1, chunks.iter(), |column, (about, chunk)| chunk.describe(column, about.name));
        group.size(2, chunks.iter().map(|(_, chunk)| chunk.plain_bytes).sum());
        group.size(3, rows);
        group.size(5, MAGIC.len());
        group.size(6, chunks.iter().map(|(_, chunk)| chunk.bytes).sum());
    });
    file.list(5, said(table).into_iter(), |pair, (key, value)| {
        pair.bytes(1, key.as_bytes());
        pair.bytes(2, value.as_bytes());
    });
    file.bytes(6, b"tcptrace-rs");
    // Values are ordered as their types say, which statistics are to be taken for.
    file.list(7, chunks.iter(), |order, _| order.fields(1, |_| {}));
}
