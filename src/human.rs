//! Numbers for people: three digits, decimal units, thousands separators.

/// `1234567` as `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun, `1 packet` or `2 packets`.
pub fn counted(number: u64, singular: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {singular}{plural}", count(number))
}

/// Bytes in decimal units: `512 B`, `18.2 kB`, `1.94 GB`.
pub fn bytes(number: u64) -> String {
    if number < 1_000 {
        return format!("{number} B");
    }
    scaled(number as f64 / 1e3, &["kB", "MB", "GB", "TB", "PB", "EB"])
}

/// Bytes to the last one, with separators: `18,213 B`.
pub fn exact_bytes(number: u64) -> String {
    format!("{} B", count(number))
}

/// Bits per second: `2.40 kbit/s`, `254 Mbit/s`.
pub fn rate(bits_per_sec: f64) -> String {
    if !bits_per_sec.is_finite() {
        return "unknown".to_owned();
    }
    scaled(bits_per_sec, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// A stretch of time from nanoseconds: `350 µs`, `54.1 ms`, `61.0 s`, `12 min 5 s`, `3 h 12 min`, `2 d 5 h`.
pub fn span_ns(nanos: i64) -> String {
    if nanos < 0 {
        return format!("-{}", span_us(nanos.unsigned_abs() as f64 / 1e3));
    }
    span_us(nanos as f64 / 1e3)
}

/// The same from microseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and `as` saturates")]
pub fn span_us(micros: f64) -> String {
    if !micros.is_finite() {
        return "unknown".to_owned();
    }
    if micros < 120e6 {
        return match micros {
            us if us <= 0.0 => "0 s".to_owned(),
            us if us < 0.9995 => format!("{} ns", three_digits(us * 1e3)),
            us if us < 999.5e3 => scaled(us, &["µs", "ms"]),
            us => format!("{} s", three_digits(us / 1e6)),
        };
    }
    let seconds = (micros / 1e6).round() as u64;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours) {
        (0, 0..2) => format!("{minutes} min {} s", seconds % 60),
        (0..2, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", count(days), hours % 24),
    }
}

/// A part of a whole in percent, two significant digits or more: `0.60 %`, `12.3 %`; `None` of nothing.
pub fn percent(part: u64, whole: u64) -> Option<String> {
    if whole == 0 {
        return None;
    }
    let percent = part as f64 * 100.0 / whole as f64;
    Some(match percent {
        0.0 => "0 %".to_owned(),
        p if p < 0.001 => "< 0.001 %".to_owned(),
        p if p < 0.0995 => format!("{p:.3} %"),
        p if p < 9.95 => format!("{p:.2} %"),
        p => format!("{p:.1} %"),
    })
}

/// The first unit in which the number, as printed, has at most three digits before the point.
fn scaled(mut number: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while number >= 999.5 && unit + 1 < units.len() {
        number /= 1e3;
        unit += 1;
    }
    format!("{} {}", three_digits(number), units[unit])
}

/// Three digits, and more only before the point: 9.876 as `9.88`, 98.76 as `98.8`, 987.6 as `988`, 0 as `0`.
fn three_digits(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(412_806), "412,806");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "packet"), "1 packet");
        assert_eq!(counted(1_200, "packet"), "1,200 packets");
    }

    #[test]
    fn bytes_are_decimal() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_000), "1.00 kB");
        assert_eq!(bytes(18_213), "18.2 kB");
        assert_eq!(bytes(999_499), "999 kB");
        assert_eq!(bytes(999_500), "1.00 MB");
        assert_eq!(bytes(1_940_123_456), "1.94 GB");
        assert_eq!(bytes(u64::MAX), "18.4 EB");
        assert_eq!(exact_bytes(18_213), "18,213 B");
    }

    #[test]
    fn rates_are_in_bits() {
        assert_eq!(rate(0.0), "0 bit/s");
        assert_eq!(rate(2_400.0), "2.40 kbit/s");
        assert_eq!(rate(254_100_000.0), "254 Mbit/s");
        assert_eq!(rate(1e10), "10.0 Gbit/s");
        assert_eq!(rate(f64::NAN), "unknown");
    }

    #[test]
    fn time_has_the_unit_that_fits() {
        assert_eq!(span_ns(0), "0 s");
        assert_eq!(span_ns(350), "350 ns");
        assert_eq!(span_ns(350_000), "350 µs");
        assert_eq!(span_us(54_100.0), "54.1 ms");
        assert_eq!(span_us(999_600.0), "1.00 s");
        assert_eq!(span_ns(61_000_000_000), "61.0 s");
        assert_eq!(span_ns(725_000_000_000), "12 min 5 s");
        assert_eq!(span_ns(11_520_000_000_000), "3 h 12 min");
        assert_eq!(span_ns(190_800_000_000_000), "2 d 5 h");
        assert_eq!(span_ns(-20_000), "-20.0 µs");
    }

    #[test]
    fn small_parts_do_not_become_zero() {
        assert_eq!(percent(8_104, 1_341_020).unwrap(), "0.60 %");
        assert_eq!(percent(803, 1_341_020).unwrap(), "0.060 %");
        assert_eq!(percent(1, 10_000_000).unwrap(), "< 0.001 %");
        assert_eq!(percent(1, 3).unwrap(), "33.3 %");
        assert_eq!(percent(0, 5).unwrap(), "0 %");
        assert_eq!(percent(0, 0), None);
    }
}
