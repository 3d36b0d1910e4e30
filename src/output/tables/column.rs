//! A column, declared once: its name, unit and meaning, and how its cell is read from a row, which gives the type.

/// How a cell is read from a row. `None` is null.
pub(super) enum Read<R> {
    /// An integer.
    Int(fn(&R) -> Option<i64>),
    /// A number; what is not finite becomes null.
    Float(fn(&R) -> Option<f64>),
    /// True or false.
    Bool(fn(&R) -> Option<bool>),
    /// One of these words.
    Word(&'static [&'static str], fn(&R) -> Option<&'static str>),
    /// Any text, even one that the capture's writer chose.
    Text(fn(&R) -> Option<&str>),
}

/// A column of a table whose rows are made from `R`.
pub(super) struct Column<R> {
    pub(super) about: About,
    pub(super) read: Read<R>,
}

/// What is to be known of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name, as scripts use it.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Its unit; empty for a number without unit and for words.
    pub unit: &'static str,
    /// What it says, and when it is null.
    pub meaning: &'static str,
    /// Every word it can hold; empty for any other type.
    pub words: &'static [&'static str],
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Signed 64 bits, for counts too: so differences of two columns cannot wrap around.
    Integer,
    /// IEEE 754 double.
    Float,
    /// `true` or `false`.
    Boolean,
    /// UTF-8.
    Text,
}

impl Kind {
    /// Its name in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Text => "text",
        }
    }
}

const fn column<R>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    kind: Kind,
    read: Read<R>,
) -> Column<R> {
    Column { about: About { name, kind, unit, meaning, words: &[] }, read }
}

/// A column of integers.
pub(super) const fn int<R>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: fn(&R) -> Option<i64>,
) -> Column<R> {
    column(name, unit, meaning, Kind::Integer, Read::Int(read))
}

/// A column of numbers.
pub(super) const fn float<R>(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    read: fn(&R) -> Option<f64>,
) -> Column<R> {
    column(name, unit, meaning, Kind::Float, Read::Float(read))
}

/// A column of true and false.
pub(super) const fn boolean<R>(
    name: &'static str,
    meaning: &'static str,
    read: fn(&R) -> Option<bool>,
) -> Column<R> {
    column(name, "", meaning, Kind::Boolean, Read::Bool(read))
}

/// A column that holds one of `words`.
pub(super) const fn choice<R>(
    name: &'static str,
    words: &'static [&'static str],
    meaning: &'static str,
    read: fn(&R) -> Option<&'static str>,
) -> Column<R> {
    let mut column = column(name, "", meaning, Kind::Text, Read::Word(words, read));
    column.about.words = words;
    column
}

/// A column of text.
pub(super) const fn text<R>(
    name: &'static str,
    meaning: &'static str,
    read: fn(&R) -> Option<&str>,
) -> Column<R> {
    column(name, "", meaning, Kind::Text, Read::Text(read))
}

/// An integer of the report as a cell.
pub(super) trait Int {
    /// Null for `None` and for what 63 bits cannot hold, which no count of a capture reaches.
    fn int(self) -> Option<i64>;
}

macro_rules! int {
    ($($type:ty),*) => {
        $(impl Int for $type {
            fn int(self) -> Option<i64> {
                i64::try_from(self).ok()
            }
        })*
    };
}

int!(u8, u16, u32, u64, i64);

impl<T: Int> Int for Option<T> {
    fn int(self) -> Option<i64> {
        self.and_then(Int::int)
    }
}
