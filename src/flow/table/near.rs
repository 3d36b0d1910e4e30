//! Where connections were found lately: the busy ones are found again without a keyed hash.

use crate::flow::FlowKey;

/// How many are remembered.
const PLACES: usize = 256;

/// One place for each value of a cheap mix of the endpoints. Whoever aims at one place gains nothing: what is not here, or not of
/// these endpoints, is looked for in the table.
#[derive(Debug)]
pub(super) struct Near(Box<[u32; PLACES]>);

impl Near {
    /// Nothing yet; `none` is what stands for that.
    pub(super) fn new(none: u32) -> Self {
        Self(Box::new([none; PLACES]))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted, and eight are left")]
    #[inline]
    const fn place(key: &FlowKey) -> usize {
        let ports = (key.low.port as u64) << 16 | key.high.port as u64;
        let mixed = (key.low.ip.low_bits() ^ key.high.ip.low_bits().rotate_left(32) ^ ports << 8)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 56) as usize
    }

    /// Where a connection of these endpoints may be.
    #[inline]
    pub(super) fn get(&self, key: &FlowKey) -> u32 {
        self.0[Self::place(key)]
    }

    /// It is at `at`.
    #[inline]
    pub(super) fn set(&mut self, key: &FlowKey, at: u32) {
        self.0[Self::place(key)] = at;
    }
}
