//! Moments as they are typed for `--from` and `--to`.

use super::quantity;
use crate::driver::TimeBound;
use crate::units::{Span, Timestamp};

const FORMS: &str = "expected 2026-03-02T09:14:07.113Z, seconds since 1970 such as 1772442847.113, or +12.5s after \
                     the first frame";

/// RFC 3339 (a missing zone is UTC), seconds since the epoch, or `+SPAN` after the first frame.
pub(super) fn time_bound(text: &str) -> Result<TimeBound, String> {
    if let Some(span) = text.strip_prefix('+') {
        return quantity::span(span).map(TimeBound::FromStart);
    }
    epoch(text).or_else(|| rfc_3339(text)).map(TimeBound::Absolute).ok_or_else(|| FORMS.to_owned())
}

/// Seconds since the epoch, with a fraction.
fn epoch(text: &str) -> Option<Timestamp> {
    match quantity::billionths(text) {
        Some((nanos, "")) => i64::try_from(nanos).ok().map(Timestamp::from_nanos),
        _ => None,
    }
}

/// RFC 3339 section 5.6, with a space for the T, and date or zone only where the rest says enough.
fn rfc_3339(text: &str) -> Option<Timestamp> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, time),
        None => (text, "00:00:00Z"),
    };
    let (year, rest) = number(date, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    if !rest.is_empty() || !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let (hour, rest) = number(time, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (whole, _) = number(rest, 2)?;
            // A leap second is the next minute's first, as in POSIX time.
            if whole > 60 {
                return None;
            }
            quantity::billionths(rest)?
        }
        None => (0, rest),
    };
    if hour > 23 || minute > 59 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    let seconds = days * 86_400 + hour * 3_600 + minute * 60;
    let nanos = i128::from(seconds) * 1_000_000_000 + second - i128::from(zone(rest)?.as_nanos());
    i64::try_from(nanos).ok().map(Timestamp::from_nanos)
}

/// How far local time is ahead of UTC.
fn zone(text: &str) -> Option<Span> {
    let (sign, rest) = match text.as_bytes().first() {
        None => return Some(Span::ZERO),
        Some(b'Z' | b'z') if text.len() == 1 => return Some(Span::ZERO),
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, rest) = number(rest, 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':').unwrap_or(rest), 2)?;
    (rest.is_empty() && hours <= 23 && minutes <= 59)
        .then(|| Span::from_secs(sign * (hours * 3_600 + minutes * 60)))
}

/// Exactly `len` digits, and what follows them.
fn number(text: &str, len: usize) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(len)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok().map(|value| (value, rest)) } else { None }
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar; years begin on 1 March here, so that the leap day is the last.
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    // 153 days in each five months from March on; 719,468 days from 0000-03-01 to 1970-01-01.
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nanos(text: &str) -> Option<i64> {
        match time_bound(text) {
            Ok(TimeBound::Absolute(at)) => Some(at.as_nanos()),
            _ => None,
        }
    }

    // Seconds from `date -u -d TEXT +%s`.
    #[test]
    fn moments_are_utc_unless_they_say_otherwise() {
        assert_eq!(nanos("2026-03-02T09:14:07.113Z"), Some(1_772_442_847_113_000_000));
        assert_eq!(nanos("2026-03-02 09:14:07.113"), Some(1_772_442_847_113_000_000));
        assert_eq!(nanos("2026-03-02T10:14:07.113+01:00"), Some(1_772_442_847_113_000_000));
        assert_eq!(nanos("2026-03-02T03:44-0530"), Some(1_772_442_840_000_000_000));
        assert_eq!(nanos("2000-02-29"), Some(951_782_400_000_000_000));
        assert_eq!(nanos("1969-12-31T23:59:59.999999999Z"), Some(-1));
        assert_eq!(nanos("1772442847.113"), Some(1_772_442_847_113_000_000));
        assert_eq!(nanos("0"), Some(0));
        assert_eq!(time_bound("+12.5s"), Ok(TimeBound::FromStart(Span::from_millis(12_500))));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for wrong in [
            "",
            "now",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-03-02T24:00:00Z",
            "2026-03-02T09:14:61Z",
            "2026-03-02T09:14:07+1",
            "2026-03-02T09:14:07Zulu",
            "12:00",
            "+12",
            "9999-01-01",
            "2026-03-02T09:14:07é",
        ] {
            assert!(time_bound(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_a_stamp_prints_is_read_back(nanos_since in any::<i64>()) {
            prop_assert_eq!(nanos(&Timestamp::from_nanos(nanos_since).to_string()), Some(nanos_since));
        }

        #[test]
        fn any_text_is_a_moment_or_an_error(text in "[0-9T:.+Zé -]{0,40}") {
            let _ = time_bound(&text);
        }
    }
}
