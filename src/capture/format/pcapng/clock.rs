//! The clock of a pcapng interface: ticks of any resolution to nanoseconds.
//! Source: draft-ietf-opsawg-pcapng, section 4.2 (`if_tsresol`, `if_tsoffset`) and 4.3 (the stamp).

use crate::units::Timestamp;

/// Units of `if_tsresol` and seconds of `if_tsoffset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    unit: Unit,
    /// Nanoseconds to add.
    offset: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// So many nanoseconds.
    Nanos(u32),
    /// The so-manieth part of a nanosecond.
    Parts(u128),
    /// 2^-n seconds.
    Binary(u8),
}

impl Default for Clock {
    /// Microseconds from 1970, which hold where the options are absent.
    fn default() -> Self {
        Self { unit: Unit::Nanos(1_000), offset: 0 }
    }
}

impl Clock {
    /// The resolution that `if_tsresol` names: a negative power of two if the top bit is set, else of ten.
    pub(super) fn set_resolution(&mut self, tsresol: u8) {
        let exponent = tsresol & 0x7f;
        self.unit = match exponent {
            _ if tsresol & 0x80 != 0 => Unit::Binary(exponent),
            0..=9 => Unit::Nanos(10_u32.pow(9 - u32::from(exponent))),
            // Above 10^38 parts no 64 bits of ticks make up a nanosecond.
            _ => Unit::Parts(10_u128.saturating_pow(u32::from(exponent) - 9)),
        };
    }

    /// The seconds that `if_tsoffset` adds.
    pub(super) fn set_offset(&mut self, secs: i64) {
        self.offset = i128::from(secs) * 1_000_000_000;
    }

    /// The moment of so many ticks, and whether it had to be held at an end of what a [`Timestamp`] holds. Parts of
    /// a nanosecond are cut off.
    pub(super) fn at(self, ticks: u64) -> (Timestamp, bool) {
        let nanos = match self.unit {
            // Below 2^94, as a nanosecond count of 2^63 seconds is.
            Unit::Nanos(nanos) => u128::from(ticks) * u128::from(nanos),
            Unit::Parts(parts) => u128::from(ticks) / parts,
            Unit::Binary(exponent) => (u128::from(ticks) * 1_000_000_000) >> exponent,
        };
        let nanos = nanos.cast_signed() + self.offset;
        let held = nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
        let at = i64::try_from(held).expect("held within the range of i64");
        (Timestamp::from_nanos(at), held != nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tsresol: u8, offset: i64, ticks: u64) -> (i64, bool) {
        let mut clock = Clock::default();
        clock.set_resolution(tsresol);
        clock.set_offset(offset);
        let (at, held) = clock.at(ticks);
        (at.as_nanos(), held)
    }

    #[test]
    fn every_resolution_gives_nanoseconds() {
        assert_eq!(Clock::default().at(1_700_000_000_000_001).0.as_nanos(), 1_700_000_000_000_001_000);
        assert_eq!(at(0, 0, 7), (7_000_000_000, false));
        assert_eq!(at(9, 0, 1_700_000_000_123_456_789), (1_700_000_000_123_456_789, false));
        assert_eq!(at(12, 0, 1_700_000_000_999), (1_700_000_000, false));
        assert_eq!(at(19, 0, u64::MAX), (1_844_674_407, false));
        assert_eq!(at(127, 0, u64::MAX), (0, false));
        assert_eq!(at(0x80, 0, 3), (3_000_000_000, false));
        assert_eq!(at(0x80 | 0x14, 0, (5 << 20) + (1 << 19)), (5_500_000_000, false));
        assert_eq!(at(0x80 | 0x3f, 0, 3 << 62), (1_500_000_000, false));
        assert_eq!(at(0x80 | 0x7f, 0, u64::MAX), (0, false));
    }

    #[test]
    fn offsets_are_signed_seconds_and_the_ends_hold() {
        assert_eq!(at(6, -2, 1), (-1_999_999_000, false));
        assert_eq!(at(6, 1_700_000_000, 5), (1_700_000_000_000_005_000, false));
        assert_eq!(at(6, i64::MIN, 0), (i64::MIN, true));
        assert_eq!(at(0, i64::MAX, u64::MAX), (i64::MAX, true));
        assert_eq!(at(6, 0, u64::MAX), (i64::MAX, true));
    }
}
