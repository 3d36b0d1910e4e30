//! A hash of some fields of a packet, by which a second capture of it is known again.

use super::segment::TcpOptions;

/// The hash so far. Not keyed: a collision hides one packet, no more.
#[derive(Clone, Copy, Debug)]
pub struct Print(u64);

impl Print {
    /// Of nothing yet.
    pub const fn starting(seed: u64) -> Self {
        Self(seed)
    }

    /// Takes in two fields. Those that differ in the same bits and could cancel out belong into different steps.
    #[inline]
    #[must_use]
    pub const fn with(self, high: u32, low: u32) -> Self {
        let fields = (high as u64) << 32 | low as u64;
        // The golden ratio in 64 bits.
        let folded = (self.0 ^ fields) as u128 * 0x9e37_79b9_7f4a_7c15;
        #[expect(clippy::cast_possible_truncation, reason = "both halves are folded")]
        let (low, high) = (folded as u64, (folded >> 64) as u64);
        Self(low ^ high)
    }

    /// Takes in four fields at a time, two in each word.
    #[inline]
    #[must_use]
    pub const fn with_words(self, first: u64, second: u64) -> Self {
        // The golden ratio in 64 bits, and the fraction of pi.
        let first = self.0 ^ first ^ 0x9e37_79b9_7f4a_7c15;
        let second = self.0.rotate_left(32) ^ second ^ 0x243f_6a88_85a3_08d3;
        let folded = first as u128 * second as u128;
        #[expect(clippy::cast_possible_truncation, reason = "both halves are folded")]
        let (low, high) = (folded as u64, (folded >> 64) as u64);
        Self(low ^ high)
    }

    /// Takes in the options that differ from packet to packet: timestamps and SACK blocks.
    #[inline]
    #[must_use]
    pub fn with_options(self, options: &TcpOptions) -> Self {
        options.timestamps.map_or(self, |(value, echo)| self.with(value, echo)).with_sack(options)
    }

    /// Takes in the SACK blocks alone.
    #[inline]
    #[must_use]
    pub fn with_sack(self, options: &TcpOptions) -> Self {
        options.sack.iter().fold(self, |print, (start, end)| print.with(start.raw(), end.raw()))
    }

    /// The hash.
    pub const fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_and_its_place_count() {
        let print =
            |fields: [u32; 4]| Print::starting(0).with(fields[0], fields[1]).with(fields[2], fields[3]).get();
        let mut prints =
            vec![print([1, 2, 3, 4]), print([2, 1, 3, 4]), print([3, 4, 1, 2]), print([1, 2, 3, 5])];
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), 4);
    }

    #[test]
    fn each_bit_of_both_words_counts() {
        let print = |first, second| Print::starting(0).with_words(7, 8).with_words(first, second).get();
        let mut prints: Vec<u64> = (0..64).flat_map(|bit| [print(1 << bit, 9), print(9, 1 << bit)]).collect();
        prints.extend([print(1, 2), print(2, 1)]);
        let all = prints.len();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), all);
    }
}
