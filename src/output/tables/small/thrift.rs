//! Thrift's compact protocol, as far as the headers and the footer of a Parquet file need it (thrift-compact-protocol.md of Apache Thrift).

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes a struct, its fields in order of their numbers.
pub(super) struct Fields<'a> {
    out: &'a mut Vec<u8>,
    /// The number of the last field: a field says how much further its own is.
    last: u8,
}

/// Writes a struct that stands alone or in a list.
pub(super) fn put(out: &mut Vec<u8>, fields: impl FnOnce(&mut Fields<'_>)) {
    fields(&mut Fields { out, last: 0 });
    out.push(0);
}

impl Fields<'_> {
    fn begin(&mut self, number: u8, kind: u8) {
        // No struct of Parquet leaves out 15 fields.
        self.out.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    /// An integer of 32 bits, or a value of an enum.
    pub(super) fn i32(&mut self, number: u8, value: i32) {
        self.begin(number, I32);
        zigzag(self.out, value.into());
    }

    /// An integer of 64 bits.
    pub(super) fn i64(&mut self, number: u8, value: i64) {
        self.begin(number, I64);
        zigzag(self.out, value);
    }

    /// A count or an offset.
    pub(super) fn size(&mut self, number: u8, value: usize) {
        self.i64(number, i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// A count or a size that has 32 bits.
    pub(super) fn short_size(&mut self, number: u8, value: usize) {
        self.i32(number, i32::try_from(value).unwrap_or(i32::MAX));
    }

    /// Bytes or text.
    pub(super) fn bytes(&mut self, number: u8, value: &[u8]) {
        self.begin(number, BINARY);
        bytes(self.out, value);
    }

    /// A struct.
    pub(super) fn fields(&mut self, number: u8, fields: impl FnOnce(&mut Fields<'_>)) {
        self.begin(number, STRUCT);
        put(self.out, fields);
    }

    /// A list of structs.
    pub(super) fn list<T>(
        &mut self,
        number: u8,
        items: impl ExactSizeIterator<Item = T>,
        mut fields: impl FnMut(&mut Fields<'_>, T),
    ) {
        self.list_of(number, STRUCT, items, |out, item| put(out, |each| fields(each, item)));
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, number: u8, items: &[&str]) {
        self.list_of(number, BINARY, items.iter(), |out, item| bytes(out, item.as_bytes()));
    }

    /// A list of values of an enum.
    pub(super) fn enums(&mut self, number: u8, items: &[i32]) {
        self.list_of(number, I32, items.iter(), |out, item| zigzag(out, (*item).into()));
    }

    fn list_of<T>(
        &mut self,
        number: u8,
        kind: u8,
        items: impl ExactSizeIterator<Item = T>,
        mut each: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.begin(number, LIST);
        if let Ok(few @ 0..15) = u8::try_from(items.len()) {
            self.out.push(few << 4 | kind);
        } else {
            self.out.push(0xf0 | kind);
            varint(self.out, items.len() as u64);
        }
        items.for_each(|item| each(self.out, item));
    }
}

/// Seven bits a byte, the lowest first.
pub(super) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Small numbers of either sign are short.
fn zigzag(out: &mut Vec<u8>, value: i64) {
    varint(out, (value << 1 ^ value >> 63).cast_unsigned());
}

fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_specification() {
        // thrift-compact-protocol.md: 50399 is 0xDF 0x89 0x03; zigzag has 0, 1, 2, 3 for 0, -1, 1, -2.
        let mut out = Vec::new();
        varint(&mut out, 50_399);
        assert_eq!(out, [0xdf, 0x89, 0x03]);
        out.clear();
        for value in [0, -1, 1, -2, i64::MIN] {
            zigzag(&mut out, value);
        }
        assert_eq!(out, [0, 1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    }

    #[test]
    fn fields_say_how_far_they_are_from_the_last() {
        let mut out = Vec::new();
        put(&mut out, |fields| {
            fields.i32(1, 3);
            fields.bytes(4, b"ab");
            fields.fields(5, |inner| inner.i64(2, -1));
            fields.enums(6, &[0, 8]);
            fields.texts(7, &["c"; 15]);
        });
        let mut expected =
            vec![0x15, 6, 0x38, 2, b'a', b'b', 0x1c, 0x26, 1, 0, 0x19, 0x25, 0, 16, 0x19, 0xf8, 15];
        expected.extend([1, b'c'].repeat(15));
        expected.push(0);
        assert_eq!(out, expected);
    }
}
