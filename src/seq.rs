//! Sequence numbers: the only arithmetic on them in the whole crate.
//!
//! On the wire a sequence number has 32 bits and wraps every 4 GiB (RFC 9293 section 3.4). Everything behind
//! the decoder works with [`StreamOffset`], a signed 64-bit position in the byte stream of one direction, in
//! which offset 0 is the first data byte after the SYN (the SYN itself stands at -1), or the first byte
//! captured where the SYN is missing.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

use crate::units::{difference, sum};

/// A TCP sequence or acknowledgment number as it stands in a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SeqNumber(u32);

/// A position in the byte stream of one direction of one connection; 0 is its first data byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StreamOffset(i64);

impl SeqNumber {
    /// From the header field.
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// The header field.
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// The number `count` bytes further on, modulo 2^32.
    #[must_use]
    pub const fn add(self, count: u32) -> Self {
        Self(self.0.wrapping_add(count))
    }

    /// How far this number lies after `other`, from -2^31 to 2^31 - 1 (the serial number order of RFC 1982).
    pub const fn distance_from(self, other: Self) -> i32 {
        self.0.wrapping_sub(other.0).cast_signed()
    }

    /// Whether this number comes after `other` in serial number order.
    pub const fn is_after(self, other: Self) -> bool {
        self.distance_from(other) > 0
    }
}

impl StreamOffset {
    /// The first data byte.
    pub const ZERO: Self = Self(0);

    /// From a position.
    pub const fn new(position: i64) -> Self {
        Self(position)
    }

    /// The position.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The position `count` bytes further on (or back).
    #[must_use]
    pub const fn plus(self, count: i64) -> Self {
        Self(sum(self.0, count))
    }

    /// Bytes from `earlier` to here; negative if `earlier` is further on.
    pub const fn since(self, earlier: Self) -> i64 {
        difference(self.0, earlier.0)
    }
}

impl Add<u32> for StreamOffset {
    type Output = Self;
    fn add(self, count: u32) -> Self {
        self.plus(i64::from(count))
    }
}

impl Sub for StreamOffset {
    type Output = i64;
    fn sub(self, earlier: Self) -> i64 {
        self.since(earlier)
    }
}

impl fmt::Display for StreamOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Unwraps the 32-bit numbers of one direction to 64-bit offsets.
///
/// A number is placed at the offset nearest to the reference, which the caller moves along with the flow. That
/// is right as long as no number strays more than 2 GiB from it, and TCP's largest window is 1 GiB.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Unwrapper {
    reference: StreamOffset,
    at_reference: SeqNumber,
}

impl Unwrapper {
    /// The stream in which `number` stands at `offset`.
    pub const fn anchored(number: SeqNumber, offset: StreamOffset) -> Self {
        Self { reference: offset, at_reference: number }
    }

    /// The offset of `number`.
    pub const fn offset(&self, number: SeqNumber) -> StreamOffset {
        self.reference.plus(number.distance_from(self.at_reference) as i64)
    }

    /// The header field of the byte at `offset`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "modulo 2^32 is the definition"
    )]
    pub const fn number(&self, offset: StreamOffset) -> SeqNumber {
        self.at_reference.add(offset.since(self.reference) as u32)
    }

    /// Takes `number` as the new reference if it lies further on.
    pub fn advance(&mut self, number: SeqNumber) {
        let distance = number.distance_from(self.at_reference);
        if distance > 0 {
            self.reference = self.reference.plus(i64::from(distance));
            self.at_reference = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // RFC 1982 section 3.2: s1 < s2 across the wrap; section 5.1's SERIAL_BITS example scaled to 32 bits.
    #[test]
    fn order_across_the_wrap() {
        let (before, after) = (SeqNumber::new(0xffff_fff0), SeqNumber::new(16));
        assert!(after.is_after(before));
        assert!(!before.is_after(after));
        assert_eq!(after.distance_from(before), 32);
        assert_eq!(before.distance_from(after), -32);
    }

    #[test]
    fn a_stream_longer_than_the_number_space_keeps_counting() {
        let mut unwrapper = Unwrapper::anchored(SeqNumber::new(u32::MAX - 5), StreamOffset::ZERO);
        let mut number = SeqNumber::new(u32::MAX - 5);
        for step in 1..=10_i64 {
            number = number.add(1 << 30);
            assert_eq!(unwrapper.offset(number), StreamOffset::new(step << 30));
            unwrapper.advance(number);
        }
    }

    proptest! {
        #[test]
        fn unwrapping_is_the_inverse_of_wrapping(isn: u32, reference in 0_i64..1 << 40, delta in -(1_i64 << 31)..1 << 31) {
            let anchor = Unwrapper::anchored(SeqNumber::new(isn), StreamOffset::ZERO);
            let here = StreamOffset::new(reference);
            let near = Unwrapper::anchored(anchor.number(here), here);
            let there = here.plus(delta);
            prop_assert_eq!(near.offset(near.number(there)), there);
            prop_assert_eq!(anchor.number(there), near.number(there));
        }

        #[test]
        fn distance_is_antisymmetric(a: u32, b: u32) {
            prop_assume!(a.wrapping_sub(b) != 1 << 31);
            let (x, y) = (SeqNumber::new(a), SeqNumber::new(b));
            prop_assert_eq!(x.distance_from(y), -y.distance_from(x));
            prop_assert_eq!(x.is_after(y), y.distance_from(x) < 0);
        }

        #[test]
        fn adding_moves_forward(a: u32, n in 1_u32..1 << 31) {
            prop_assert!(SeqNumber::new(a).add(n).is_after(SeqNumber::new(a)));
        }

        #[test]
        fn the_reference_never_moves_back(isn: u32, steps in prop::collection::vec(any::<u32>(), 0..50)) {
            let mut unwrapper = Unwrapper::anchored(SeqNumber::new(isn), StreamOffset::ZERO);
            let mut last = StreamOffset::ZERO;
            for step in steps {
                unwrapper.advance(SeqNumber::new(step));
                prop_assert!(unwrapper.reference >= last);
                last = unwrapper.reference;
            }
        }
    }
}
