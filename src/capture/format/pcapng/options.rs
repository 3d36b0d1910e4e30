//! The options at the end of a pcapng block (draft-ietf-opsawg-pcapng, section 3.5).

use std::marker::PhantomData;

use byteorder_slice::ByteOrder;

/// Code and value of each option, as far as they are whole.
pub(super) struct Options<'a, B> {
    rest: &'a [u8],
    order: PhantomData<fn() -> B>,
}

impl<'a, B> Options<'a, B> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, order: PhantomData }
    }
}

impl<'a, B: ByteOrder> Iterator for Options<'a, B> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let (code, len) = (B::read_u16(head), usize::from(B::read_u16(&head[2..])));
        // Code 0 ends the list.
        let value = rest.get(..len).filter(|_| code != 0)?;
        self.rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
        Some((code, value))
    }
}

#[cfg(test)]
mod tests {
    use byteorder_slice::{BigEndian, LittleEndian};

    use super::*;

    #[test]
    fn options_are_padded_and_end_at_zero() {
        let bytes =
            [2, 0, 3, 0, b'e', b't', b'h', 0, 9, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0];
        let options: Vec<_> = Options::<LittleEndian>::new(&bytes).collect();
        assert_eq!(options, [(2, &b"eth"[..]), (9, &[6][..])]);
    }

    #[test]
    fn a_list_that_is_cut_ends_there() {
        assert_eq!(Options::<BigEndian>::new(&[0, 9, 0, 1, 6]).count(), 1);
        assert_eq!(Options::<BigEndian>::new(&[0, 9, 0, 2, 6]).count(), 0);
        assert_eq!(Options::<BigEndian>::new(&[0, 9]).count(), 0);
    }
}
