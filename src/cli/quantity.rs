//! Times and sizes with their units, as they are typed.

use crate::sim::Buffer;
use crate::units::{Bytes, Rate, Span};

const SPANS: &[(&str, i128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

const SIZES: &[(&str, i128)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// A stretch of time such as `54ms`, `12.5s`, `2h`; exact to the nanosecond.
pub(super) fn span(text: &str) -> Result<Span, String> {
    let nanos = parse(text, SPANS, "a time needs a unit, such as 54ms, 12.5s or 2h")?;
    i64::try_from(nanos).map(Span::from_nanos).map_err(|_| "longer than 292 years".to_owned())
}

/// A size such as `64MB` or `1GiB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let bytes = parse(text, SIZES, "a size needs a unit, such as 500B, 64MB or 1GiB")?;
    u64::try_from(bytes).map_err(|_| "larger than any file".to_owned())
}

/// A stretch of time above zero.
pub(super) fn positive_span(text: &str) -> Result<Span, String> {
    match span(text)? {
        Span::ZERO => Err("it must be above zero".to_owned()),
        span => Ok(span),
    }
}

/// A share from 0 to 1, written in percent.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = number(text)?;
    let share = match unit {
        "%" => number / 100.0,
        "" if number == 0.0 => 0.0,
        _ => return Err("a share needs a percent sign, such as 0.05%".to_owned()),
    };
    if share <= 1.0 { Ok(share) } else { Err("a share is at most 100%".to_owned()) }
}

/// A share that is known within a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LooseShare {
    /// In the middle of the logarithms.
    pub(super) middle: f64,
    /// From there to either end, at least 1.
    pub(super) factor: f64,
}

/// A share such as `0.05%`, or a range such as `0.02%..0.1%`.
pub(super) fn loose_share(text: &str) -> Result<LooseShare, String> {
    let Some((low, high)) = text.split_once("..") else {
        return share(text).map(|middle| LooseShare { middle, factor: 1.0 });
    };
    let (low, high) = (share(low)?, share(high)?);
    if low > 0.0 && low <= high {
        Ok(LooseShare { middle: (low * high).sqrt(), factor: (high / low).sqrt() })
    } else {
        Err("a range goes from a share above zero to a larger one".to_owned())
    }
}

/// A rate; `None` is unlimited. (A bare `Option` would mean an optional argument.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateLimit(pub(super) Option<Rate>);

/// A rate such as `1gbit`, or `unlimited`.
pub(super) fn rate(text: &str) -> Result<RateLimit, String> {
    if text == UNLIMITED {
        return Ok(RateLimit(None));
    }
    let (number, unit) = number(text)?;
    let unit = unit.to_ascii_lowercase();
    let factor = match unit.trim_end_matches("/s") {
        "bit" | "bps" => 1.0,
        "kbit" | "kbps" => 1e3,
        "mbit" | "mbps" => 1e6,
        "gbit" | "gbps" => 1e9,
        "tbit" | "tbps" => 1e12,
        _ => return Err("a rate needs a unit, such as 100mbit or 1gbit".to_owned()),
    };
    if number > 0.0 {
        Ok(RateLimit(Some(Rate::from_bits_per_sec(number * factor))))
    } else {
        Err("it must be above zero".to_owned())
    }
}

/// A number of bytes, with or without a unit.
pub(super) fn bytes(text: &str) -> Result<Bytes, String> {
    text.trim().parse().or_else(|_| size(text)).map(Bytes::new)
}

/// A number of bytes above zero, or `unlimited`.
pub(super) fn limit(text: &str) -> Result<Bytes, String> {
    if text == UNLIMITED { Ok(Bytes::new(u64::MAX)) } else { bytes(text) }
}

/// A buffer: bytes, `2bdp` or `unlimited`.
pub(super) fn buffer(text: &str) -> Result<Buffer, String> {
    if text == UNLIMITED {
        return Ok(Buffer::Unlimited);
    }
    match number(text) {
        Ok((factor, "bdp")) => Ok(Buffer::Bdp(factor)),
        _ => bytes(text).map(Buffer::Bytes).map_err(|error| format!("{error}; or 2bdp, or unlimited")),
    }
}

const UNLIMITED: &str = "unlimited";

/// A non-negative number and the unit behind it.
fn number(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("it cannot be negative".to_owned());
    }
    let (number, unit) = billionths(text).ok_or("not a number")?;
    #[expect(clippy::cast_precision_loss, reason = "fifteen digits are more than anyone measures")]
    Ok((number as f64 / 1e9, unit.trim_start()))
}

/// A non-negative decimal number in thousand-millionths, whatever follows it left over.
pub(super) fn billionths(text: &str) -> Option<(i128, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole_len = digits(text);
    let (whole, rest) = text.split_at(whole_len);
    // More digits than this are beyond every range, and would overflow.
    if whole.is_empty() || whole.len() > 20 {
        return None;
    }
    let mut value = whole.parse::<i128>().ok()? * 1_000_000_000;
    let Some(fraction) = rest.strip_prefix('.') else { return Some((value, rest)) };
    let len = digits(fraction);
    if len == 0 {
        return None;
    }
    let mut place = 100_000_000;
    for digit in fraction[..len].bytes() {
        value += i128::from(digit - b'0') * place;
        place /= 10;
    }
    Some((value, &fraction[len..]))
}

fn parse(text: &str, units: &[(&str, i128)], needs_unit: &str) -> Result<i128, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("it cannot be negative".to_owned());
    }
    let Some((number, unit)) = billionths(text) else { return Err(format!("not a number; {needs_unit}")) };
    let unit = unit.trim_start();
    let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(needs_unit.to_owned());
    };
    number.checked_mul(*factor).map(|value| value / 1_000_000_000).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(span("2h"), Ok(Span::from_secs(7_200)));
        assert_eq!(span("12.5s"), Ok(Span::from_millis(12_500)));
        assert_eq!(span("0.000000001 s"), Ok(Span::from_nanos(1)));
        assert_eq!(span("150min"), Ok(Span::from_secs(9_000)));
        assert_eq!(span("0.1ms"), Ok(Span::from_micros(100)));
        assert_eq!(span("54"), Err("a time needs a unit, such as 54ms, 12.5s or 2h".to_owned()));
        for wrong in
            ["", "s", "-1s", "1e3s", "1.s", ".5s", "1 parsec", "300000000000000h", "9".repeat(40).as_str()]
        {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        assert_eq!(size("64MB"), Ok(64_000_000));
        assert_eq!(size("1GiB"), Ok(1_073_741_824));
        assert_eq!(size("1.5kB"), Ok(1_500));
        assert!(size("64").is_err());
        assert!(size("99999999999999999999TB").is_err());
    }

    #[test]
    fn shares_rates_and_buffers() {
        assert_eq!(share("0.05%"), Ok(0.0005));
        assert_eq!(share("0"), Ok(0.0));
        assert!(share("0.05").unwrap_err().contains("percent") && share("101%").is_err());
        assert_eq!(loose_share("0.05%"), Ok(LooseShare { middle: 0.0005, factor: 1.0 }));
        let loose = loose_share("0.02%..0.08%").unwrap();
        assert!((loose.middle - 0.0004).abs() < 1e-12 && (loose.factor - 2.0).abs() < 1e-9);
        assert!(
            loose_share("0%..1%").is_err() && loose_share("2%..1%").is_err() && loose_share("1..2").is_err()
        );
        let bits = |text| rate(text).unwrap().0.unwrap().as_bits_per_sec().round();
        assert_eq!((bits("1gbit"), bits("100.27Mbit/s")), (1e9, 100_270_000.0));
        assert_eq!(rate("unlimited"), Ok(RateLimit(None)));
        assert!(rate("100").unwrap_err().contains("100mbit") && rate("0mbit").is_err());
        assert_eq!(buffer("2bdp"), Ok(Buffer::Bdp(2.0)));
        assert_eq!(buffer("150000"), Ok(Buffer::Bytes(Bytes::new(150_000))));
        assert_eq!(buffer("64kB"), Ok(Buffer::Bytes(Bytes::new(64_000))));
        assert!(buffer("lots").is_err() && buffer("-1bdp").is_err());
        assert!(positive_span("0ms").is_err() && positive_span("54").unwrap_err().contains("54ms"));
    }
}
