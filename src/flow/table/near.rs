//! Where connections were found lately: the busy ones are found again without a keyed hash.

use crate::decode::Endpoint;
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

    /// The same whichever of the two sends.
    #[inline]
    const fn place(one: Endpoint, other: Endpoint) -> usize {
        // The golden ratio in 64 bits.
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let one = one.ip.low_bits() ^ (one.port as u64) << 47 ^ MIX;
        let other = other.ip.low_bits() ^ (other.port as u64) << 47 ^ MIX;
        let mixed = one.wrapping_mul(other);
        ((mixed ^ mixed >> 29).wrapping_mul(MIX) >> 56) as usize
    }

    /// Where a connection between these may be.
    #[inline]
    pub(super) fn get(&self, one: Endpoint, other: Endpoint) -> u32 {
        self.0[Self::place(one, other)]
    }

    /// It is at `at`.
    #[inline]
    pub(super) fn set(&mut self, key: &FlowKey, at: u32) {
        self.0[Self::place(key.low, key.high)] = at;
    }
}
