//! The chunk of a column: a page of its values, with one of its dictionary before it where that is shorter, and what the footer says of both
//! (README.md and Encodings.md of Apache Parquet).

use std::io;

use polars_parquet::parquet::compression::{CompressionOptions, compress};

use super::dictionary::{self, Places};
use super::levels::{bits, hybrid, run, width};
use super::thrift::{Fields, put};
use crate::output::tables::cells::{Cells, Known};
use crate::output::tables::column::Kind;

/// Encodings of Parquet.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;

/// Kinds of pages.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;

/// Codecs.
const UNCOMPRESSED: i32 = 0;
const SNAPPY: i32 = 1;

/// Bytes below which nothing is won by compressing them.
const SHORT: usize = 64;

/// Bytes that are used again for each column.
#[derive(Default)]
pub(super) struct Scratch {
    levels: Vec<u32>,
    data: Vec<u8>,
    dictionary: Vec<u8>,
    compressed: Vec<u8>,
}

/// Pages that were written.
pub(super) struct Chunk {
    kind: Kind,
    rows: usize,
    nulls: usize,
    least: Vec<u8>,
    most: Vec<u8>,
    codec: i32,
    dictionary_at: Option<usize>,
    data_at: usize,
    /// Bytes of its pages with their headers, as they would be uncompressed and as they are.
    pub(super) plain_bytes: usize,
    pub(super) bytes: usize,
}

/// The type of the values as they are stored.
pub(super) const fn physical(kind: Kind) -> i32 {
    match kind {
        Kind::Boolean => 0,
        Kind::Integer => 2,
        Kind::Float => 5,
        Kind::Text => 6,
    }
}

/// Appends the pages of a column with its rows in this order.
pub(super) fn write(
    out: &mut Vec<u8>,
    kind: Kind,
    cells: &Cells,
    order: &[usize],
    scratch: &mut Scratch,
) -> io::Result<Chunk> {
    let Scratch { levels, data, dictionary, compressed } = scratch;
    for bytes in [&mut *data, dictionary, compressed] {
        bytes.clear();
    }
    let values = cells.values(order);
    // Every column may have nulls: which cells are none comes first, after its length.
    data.extend_from_slice(&[0; 4]);
    if values.len() == order.len() {
        run(data, order.len(), 1, 1);
    } else {
        levels.clear();
        levels.extend(cells.known(order).map(u32::from));
        hybrid(data, levels, 1);
    }
    let length = u32::try_from(data.len() - 4).map_err(io::Error::other)?;
    data[..4].copy_from_slice(&length.to_le_bytes());

    let entries = encode(&values, data, dictionary);
    let ends = ends(&values);
    let plain = data.len() + dictionary.len();
    let (mut codec, mut split) = (UNCOMPRESSED, dictionary.len());
    if plain >= SHORT {
        if entries.is_some() {
            compress(CompressionOptions::Snappy, dictionary, compressed).map_err(io::Error::other)?;
        }
        let dictionary_bytes = compressed.len();
        compress(CompressionOptions::Snappy, data, compressed).map_err(io::Error::other)?;
        if compressed.len() < plain {
            (codec, split) = (SNAPPY, dictionary_bytes);
        }
    }
    if codec == UNCOMPRESSED {
        compressed.clear();
        compressed.extend_from_slice(dictionary);
        compressed.extend_from_slice(data);
    }
    let (first, second) = compressed.split_at(split);

    let start = out.len();
    if let Some(entries) = entries {
        put(out, |page| {
            page.i32(1, DICTIONARY_PAGE);
            page.short_size(2, dictionary.len());
            page.short_size(3, first.len());
            page.fields(7, |header| {
                header.short_size(1, entries);
                header.i32(2, PLAIN);
            });
        });
        out.extend_from_slice(first);
    }
    let data_at = out.len();
    put(out, |page| {
        page.i32(1, DATA_PAGE);
        page.short_size(2, data.len());
        page.short_size(3, second.len());
        page.fields(5, |header| {
            header.short_size(1, order.len());
            header.i32(2, if entries.is_some() { RLE_DICTIONARY } else { PLAIN });
            header.i32(3, RLE);
            header.i32(4, RLE);
        });
    });
    out.extend_from_slice(second);
    let bytes = out.len() - start;
    let (least, most) = ends.unwrap_or_default();
    Ok(Chunk {
        kind,
        rows: order.len(),
        nulls: order.len() - values.len(),
        least,
        most,
        codec,
        dictionary_at: entries.map(|_| start),
        data_at,
        plain_bytes: bytes - compressed.len() + plain,
        bytes,
    })
}

impl Chunk {
    /// What the footer says of it: `ColumnChunk`.
    pub(super) fn describe(&self, chunk: &mut Fields<'_>, name: &str) {
        // Where this stands a second time; nowhere.
        chunk.size(2, 0);
        chunk.fields(3, |data| {
            data.i32(1, physical(self.kind));
            let encodings: &[i32] =
                if self.dictionary_at.is_some() { &[PLAIN, RLE, RLE_DICTIONARY] } else { &[PLAIN, RLE] };
            data.enums(2, encodings);
            data.texts(3, &[name]);
            data.i32(4, self.codec);
            data.size(5, self.rows);
            data.size(6, self.plain_bytes);
            data.size(7, self.bytes);
            data.size(9, self.data_at);
            if let Some(at) = self.dictionary_at {
                data.size(11, at);
            }
            data.fields(12, |statistics| {
                statistics.size(3, self.nulls);
                if self.nulls < self.rows {
                    statistics.bytes(5, &self.most);
                    statistics.bytes(6, &self.least);
                }
            });
        });
    }
}

impl Known<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Int(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Bool(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }
}

/// Appends the values, or their places in a dictionary; gives the number of entries of that.
fn encode(values: &Known<'_>, data: &mut Vec<u8>, dictionary: &mut Vec<u8>) -> Option<usize> {
    let Some(Places { places, entries }) = dictionary::make(values, dictionary) else {
        match values {
            Known::Int(values) => put_numbers(data, values.iter().map(|value| value.to_le_bytes())),
            Known::Float(values) => put_numbers(data, values.iter().map(|value| value.to_le_bytes())),
            Known::Bool(values) => bits(data, values),
            Known::Text(values) => values.iter().for_each(|text| put_text(data, text)),
        }
        return None;
    };
    let width = width(entries);
    data.push(width);
    hybrid(data, &places, width);
    Some(entries)
}

fn put_numbers(out: &mut Vec<u8>, numbers: impl Iterator<Item = [u8; 8]>) {
    for number in numbers {
        out.extend_from_slice(&number);
    }
}

/// A text after its length.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    // No text of a report comes near 4 GB.
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The least and the largest value, as statistics have them; `None` where all are null.
fn ends(values: &Known<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    match values {
        Known::Int(values) => {
            let (least, most) = (values.iter().min()?, values.iter().max()?);
            Some((least.to_le_bytes().to_vec(), most.to_le_bytes().to_vec()))
        }
        Known::Float(values) => {
            // In this order -0 comes before 0: whoever compares as IEEE 754 does must find either between the two (parquet.thrift, `ColumnOrder`).
            let least = values.iter().copied().min_by(f64::total_cmp)?;
            let most = values.iter().copied().max_by(f64::total_cmp)?;
            let (least, most) =
                (if least == 0.0 { -0.0 } else { least }, if most == 0.0 { 0.0 } else { most });
            Some((least.to_le_bytes().to_vec(), most.to_le_bytes().to_vec()))
        }
        Known::Bool(values) => {
            let (least, most) = (values.iter().min()?, values.iter().max()?);
            Some((vec![u8::from(*least)], vec![u8::from(*most)]))
        }
        Known::Text(values) => {
            let (least, most) = (values.iter().min()?, values.iter().max()?);
            Some((least.as_bytes().to_vec(), most.as_bytes().to_vec()))
        }
    }
}
