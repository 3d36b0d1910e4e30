//! Time, sizes and rates as types, so that a microsecond is never taken for a nanosecond nor a bit for a
//! byte.
//!
//! All time comes from the capture: nothing here (or in any layer but `cli`) reads a clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A moment: integer nanoseconds since 1970-01-01 00:00:00 UTC, as the capture stamped it.
///
/// The range is 1677 to 2262; stamps beyond it are held at its ends by the readers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(i64);

/// A signed stretch of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span(i64);

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

/// A rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Timestamp {
    /// The earliest moment that can be held.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest moment that can be held.
    pub const MAX: Self = Self(i64::MAX);
    /// 1970-01-01; the start of a simulation.
    pub const ZERO: Self = Self(0);

    /// From nanoseconds since the epoch.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From whole seconds and nanoseconds; a sum outside the range is held at its end.
    pub const fn from_secs_nanos(secs: i64, nanos: i64) -> Self {
        Self(secs.saturating_mul(1_000_000_000).saturating_add(nanos))
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Time since `earlier`, negative if `earlier` is later; held at the ends of the range.
    pub const fn since(self, earlier: Self) -> Span {
        Span(difference(self.0, earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest time that can be held, 292 years.
    pub const MAX: Self = Self(i64::MAX);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// From milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// From seconds.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// From fractional seconds; not a number becomes zero, and what is too long is held at the range's end.
    #[expect(clippy::cast_possible_truncation, reason = "`as` from float saturates, which is what is wanted")]
    pub const fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9) as i64)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Microseconds, with a fraction.
    pub const fn as_micros_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Seconds, with a fraction.
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The size of it, whatever its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// The span times a factor, held at the range's ends.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "`as` from float saturates, which is what is wanted")]
    pub const fn scale(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor) as i64)
    }

    /// Whether it points to the past.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }
}

impl Bytes {
    /// From a count of bytes.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Rate {
    /// From bits per second.
    pub const fn from_bits_per_sec(bits: f64) -> Self {
        Self(bits)
    }

    /// The average of `bytes` over `span`, in payload bits; `None` where no time passed.
    pub fn average(bytes: Bytes, span: Span) -> Option<Self> {
        (span > Span::ZERO).then(|| Self(bytes.0 as f64 * 8.0 / span.as_secs_f64()))
    }

    /// From bytes per second.
    pub const fn from_bytes_per_sec(bytes: f64) -> Self {
        Self(bytes * 8.0)
    }

    /// Bits per second.
    pub const fn as_bits_per_sec(self) -> f64 {
        self.0
    }

    /// Bytes per second.
    pub const fn as_bytes_per_sec(self) -> f64 {
        self.0 / 8.0
    }

    /// How long `bytes` take at this rate.
    pub const fn time_for(self, bytes: Bytes) -> Span {
        Span::from_secs_f64(bytes.0 as f64 * 8.0 / self.0)
    }
}

/// `a + b`, held at the range's ends as `saturating_add` does, at the price of a plain sum where that is in range.
#[inline]
pub(crate) const fn sum(a: i64, b: i64) -> i64 {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => end_beyond(a),
    }
}

/// `a - b`, likewise.
#[inline]
pub(crate) const fn difference(a: i64, b: i64) -> i64 {
    match a.checked_sub(b) {
        Some(difference) => difference,
        None => end_beyond(a),
    }
}

/// The end of the range that a sum or difference of `a` lies beyond.
#[cold]
const fn end_beyond(a: i64) -> i64 {
    if a < 0 { i64::MIN } else { i64::MAX }
}

impl Add<Span> for Timestamp {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(sum(self.0, span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(difference(self.0, span.0))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(sum(self.0, other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(difference(self.0, other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// ISO 8601 in UTC with nanoseconds, such as `2023-11-14T22:13:20.000000000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = self.0.div_euclid(1_000_000_000);
        let nanos = self.0.rem_euclid(1_000_000_000);
        let (days, second) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{nanos:09}Z")
    }
}

/// Year, month and day of a day number counted from 1970-01-01, in the proleptic Gregorian calendar.
///
/// Counted in eras of 400 years (146,097 days) that start on 1 March, so that the leap day is a year's last.
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Dates from `date -u -d @N`.
    #[test]
    fn a_timestamp_prints_as_iso_8601() {
        let text = |secs, nanos| Timestamp::from_secs_nanos(secs, nanos).to_string();
        assert_eq!(text(0, 0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(text(1_700_000_000, 1), "2023-11-14T22:13:20.000000001Z");
        assert_eq!(text(951_827_696, 0), "2000-02-29T12:34:56.000000000Z");
        assert_eq!(text(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(text(4_294_967_295, 0), "2106-02-07T06:28:15.000000000Z");
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        assert_eq!(Timestamp::MAX.since(Timestamp::MIN), Span::MAX);
        assert_eq!(Timestamp::from_secs_nanos(i64::MAX, 5), Timestamp::MAX);
        assert_eq!(Timestamp::MAX + Span::from_secs(1), Timestamp::MAX);
        assert!(Timestamp::MIN.to_string().starts_with("1677-09-21"));
        assert!(Timestamp::MAX.to_string().starts_with("2262-04-11"));
    }

    #[test]
    fn a_rate_is_in_bits() {
        let rate = Rate::average(Bytes::new(125_000), Span::from_millis(100)).unwrap();
        assert!((rate.as_bits_per_sec() - 10e6).abs() < 1e-6);
        assert_eq!(Rate::average(Bytes::new(1), Span::ZERO), None);
    }
}
