//! Small numbers as runs and packed bits: Parquet's hybrid of RLE and bit-packing (Encodings.md of Apache Parquet, RLE = 3).

use super::thrift::varint;

/// Bits that numbers below `count` take, at least one.
pub(super) fn width(count: usize) -> u8 {
    (1..32).find(|bits| count <= 1 << bits).unwrap_or(32)
}

/// Writes the numbers, each below 2^width: as one run if all are the same, else packed.
pub(super) fn hybrid(out: &mut Vec<u8>, numbers: &[u32], width: u8) {
    let Some((first, others)) = numbers.split_first() else { return };
    if others.iter().all(|number| number == first) {
        run(out, numbers.len(), *first, width);
        return;
    }
    // Eight at a time; what the last group has too many is not read.
    varint(out, (numbers.len().div_ceil(8) as u64) << 1 | 1);
    packed(out, numbers, width);
}

/// So many times the same number.
pub(super) fn run(out: &mut Vec<u8>, count: usize, number: u32, width: u8) {
    varint(out, (count as u64) << 1);
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width.div_ceil(8))]);
}

/// The numbers one after the other, the lowest bit first, and zeros up to a whole group of eight.
fn packed(out: &mut Vec<u8>, numbers: &[u32], width: u8) {
    for group in numbers.chunks(8) {
        let (mut bits, mut held) = (0_u64, 0);
        for at in 0..8 {
            bits |= u64::from(group.get(at).copied().unwrap_or(0)) << held;
            held += width;
            while held >= 8 {
                out.push(bits.to_le_bytes()[0]);
                bits >>= 8;
                held -= 8;
            }
        }
    }
}

/// Truths as bits, the lowest first.
pub(super) fn bits(out: &mut Vec<u8>, truths: &[bool]) {
    out.extend(
        truths
            .chunks(8)
            .map(|group| group.iter().enumerate().fold(0, |byte, (at, truth)| byte | u8::from(*truth) << at)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bits_are_those_of_the_specification() {
        // Encodings.md: 0 to 7 in three bits each.
        let mut out = Vec::new();
        hybrid(&mut out, &[0, 1, 2, 3, 4, 5, 6, 7], 3);
        assert_eq!(out, [1 << 1 | 1, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
    }

    #[test]
    fn a_run_is_its_length_and_its_number() {
        let mut out = Vec::new();
        hybrid(&mut out, &[1; 100], 1);
        // 100 << 1 = 0b1100_1000: seven bits, then one.
        assert_eq!(out, [0b1100_1000, 1, 1]);
        out.clear();
        hybrid(&mut out, &[300; 3], 9);
        assert_eq!(out, [6, 0x2c, 0x01]);
        hybrid(&mut out, &[], 1);
        assert_eq!(out.len(), 3);
    }

    #[test]
    fn widths_are_those_of_the_largest_number() {
        assert_eq!([1, 2, 3, 4, 5, 256, 257].map(width), [1, 1, 2, 2, 3, 8, 9]);
    }

    #[test]
    fn truths_are_bits_from_the_lowest() {
        let mut out = Vec::new();
        bits(&mut out, &[true, false, true, false, false, false, false, true, true]);
        assert_eq!(out, [0b1000_0101, 1]);
    }
}
