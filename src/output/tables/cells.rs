//! The cells of a column, gathered row by row.

use std::cmp::Ordering;

use polars::prelude::{
    BooleanChunked, Column as Series, DataType, Float64Chunked, Int64Chunked, IntoColumn, NewChunkedArray,
    StringChunked,
};

use super::column::{Column, Kind, Read};

/// Rows that there is room for at first. A capture with a row in a table often has some hundred, and to grow there step by step takes longer
/// than to fill them in.
const ROWS: usize = 128;

/// A column so far.
pub(super) struct Cells {
    /// Which of them are not null.
    known: Vec<bool>,
    values: Values,
}

/// Its values; whatever where a cell is null.
enum Values {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
    /// One text after the other, and where each ends.
    Text(String, Vec<usize>),
}

/// What a column holds in the order of its rows, without the nulls.
pub(super) enum Known<'a> {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
    Text(Vec<&'a str>),
}

impl Cells {
    pub(super) fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Integer => Values::Int(Vec::with_capacity(ROWS)),
            Kind::Float => Values::Float(Vec::with_capacity(ROWS)),
            Kind::Boolean => Values::Bool(Vec::with_capacity(ROWS)),
            Kind::Text => Values::Text(String::new(), Vec::with_capacity(ROWS)),
        };
        Self { known: Vec::with_capacity(ROWS), values }
    }

    /// Adds the cell that this column reads from a row.
    pub(super) fn push<R>(&mut self, column: &Column<R>, row: &R) {
        match (&mut self.values, &column.read) {
            (Values::Int(cells), Read::Int(read)) => add(&mut self.known, cells, read(row)),
            (Values::Float(cells), Read::Float(read)) => {
                add(&mut self.known, cells, read(row).filter(|value| value.is_finite()));
            }
            (Values::Bool(cells), Read::Bool(read)) => add(&mut self.known, cells, read(row)),
            (Values::Text(text, ends), Read::Text(read)) => {
                add_text(&mut self.known, text, ends, read(row));
            }
            (Values::Text(text, ends), Read::Word(words, read)) => {
                let word = read(row);
                debug_assert!(
                    word.is_none_or(|word| words.contains(&word)),
                    "{} has no word {word:?}",
                    column.about.name
                );
                add_text(&mut self.known, text, ends, word);
            }
            // The cells were made for the same column, whose constructor sets kind and reader together.
            _ => unreachable!("column {} read as another type", column.about.name),
        }
    }

    /// How the cells of two rows are ordered; null is less than any.
    pub(super) fn cmp(&self, a: usize, b: usize) -> Ordering {
        let known = self.known[a].cmp(&self.known[b]);
        known.then_with(|| match &self.values {
            _ if !self.known[a] => Ordering::Equal,
            Values::Int(cells) => cells[a].cmp(&cells[b]),
            Values::Float(cells) => cells[a].total_cmp(&cells[b]),
            Values::Bool(cells) => cells[a].cmp(&cells[b]),
            Values::Text(text, ends) => text_at(text, ends, a).cmp(text_at(text, ends, b)),
        })
    }

    /// Whether each cell is not null, in this order of the rows.
    pub(super) fn known<'a>(&'a self, order: &'a [usize]) -> impl Iterator<Item = bool> + 'a {
        order.iter().map(|&at| self.known[at])
    }

    /// The values that are not null, in this order of the rows.
    pub(super) fn values(&self, order: &[usize]) -> Known<'_> {
        match &self.values {
            Values::Int(cells) => Known::Int(self.gathered(order, |at| cells[at])),
            Values::Float(cells) => Known::Float(self.gathered(order, |at| cells[at])),
            Values::Bool(cells) => Known::Bool(self.gathered(order, |at| cells[at])),
            Values::Text(text, ends) => Known::Text(self.gathered(order, |at| text_at(text, ends, at))),
        }
    }

    fn gathered<T>(&self, order: &[usize], get: impl Fn(usize) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(order.len());
        for &at in order {
            if self.known[at] {
                values.push(get(at));
            }
        }
        values
    }

    /// The column with its rows in this order.
    pub(super) fn series(&self, name: &str, order: &[usize]) -> Series {
        let name = name.into();
        let places = order.iter().map(|&at| self.known[at].then_some(at));
        match &self.values {
            Values::Int(cells) => {
                Int64Chunked::from_iter_options(name, places.map(|at| Some(cells[at?]))).into_column()
            }
            Values::Float(cells) => {
                Float64Chunked::from_iter_options(name, places.map(|at| Some(cells[at?]))).into_column()
            }
            Values::Bool(cells) => {
                BooleanChunked::from_iter_options(name, places.map(|at| Some(cells[at?]))).into_column()
            }
            Values::Text(text, ends) => {
                StringChunked::from_iter_options(name, places.map(|at| Some(text_at(text, ends, at?))))
                    .into_column()
            }
        }
    }
}

/// The type of such a column.
pub(super) const fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Integer => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Boolean => DataType::Boolean,
        Kind::Text => DataType::String,
    }
}

fn add<T: Default>(known: &mut Vec<bool>, cells: &mut Vec<T>, value: Option<T>) {
    known.push(value.is_some());
    cells.push(value.unwrap_or_default());
}

fn add_text(known: &mut Vec<bool>, text: &mut String, ends: &mut Vec<usize>, value: Option<&str>) {
    known.push(value.is_some());
    text.push_str(value.unwrap_or_default());
    ends.push(text.len());
}

fn text_at<'a>(text: &'a str, ends: &[usize], at: usize) -> &'a str {
    let from = if at == 0 { 0 } else { ends[at - 1] };
    &text[from..ends[at]]
}
