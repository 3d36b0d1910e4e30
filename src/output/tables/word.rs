//! The name that a report's enum value has in every output, taken from the one place that gives it: how it serializes.

use std::fmt;

use serde::Serialize;
use serde::ser::{self, Impossible, Serializer};

/// The name of a value without fields; `None` for `None` and for anything that is not such a value.
pub(super) fn word<T: Serialize>(value: T) -> Option<&'static str> {
    value.serialize(Words).ok().flatten()
}

/// Serializes values without fields to their names, and nothing else.
struct Words;

/// The value is of another kind.
#[derive(Debug)]
struct NoWord;

impl fmt::Display for NoWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a value without fields")
    }
}

impl std::error::Error for NoWord {}

impl ser::Error for NoWord {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! refuse {
    ($($method:ident($($type:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$ok, NoWord> {
            Err(NoWord)
        })*
    };
}

type Word = Option<&'static str>;
type Never = Impossible<Word, NoWord>;

impl Serializer for Words {
    type Ok = Word;
    type Error = NoWord;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Word, NoWord> {
        Ok(Some(variant))
    }

    fn serialize_none(self) -> Result<Word, NoWord> {
        Ok(None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Word, NoWord> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<Word, NoWord> {
        Err(NoWord)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Word, NoWord> {
        Err(NoWord)
    }

    refuse! {
        serialize_bool(bool) -> Word;
        serialize_i8(i8) -> Word;
        serialize_i16(i16) -> Word;
        serialize_i32(i32) -> Word;
        serialize_i64(i64) -> Word;
        serialize_u8(u8) -> Word;
        serialize_u16(u16) -> Word;
        serialize_u32(u32) -> Word;
        serialize_u64(u64) -> Word;
        serialize_f32(f32) -> Word;
        serialize_f64(f64) -> Word;
        serialize_char(char) -> Word;
        serialize_str(&str) -> Word;
        serialize_bytes(&[u8]) -> Word;
        serialize_unit() -> Word;
        serialize_unit_struct(&'static str) -> Word;
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_map(Option<usize>) -> Never;
        serialize_struct(&'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ConnectionState, Dir, Verdict};

    #[test]
    fn the_words_are_those_of_the_json_report() {
        assert_eq!(word(ConnectionState::HalfClosed), Some("half_closed"));
        assert_eq!(word(Some(Verdict::Undecided)), Some("undecided"));
        assert_eq!(word(None::<Verdict>), None);
        assert_eq!(word(Dir::S2c), Some(Dir::S2c.name()));
    }

    #[test]
    fn what_is_not_a_word_is_none() {
        assert_eq!(word("text"), None);
        assert_eq!(word(7_u8), None);
        assert_eq!(word([1, 2]), None);
        assert_eq!(word(Some(())), None);
    }
}
