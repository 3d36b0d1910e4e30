//! Numbers as C's `%g` prints them, so that a table has the same digits as ministat's.

/// `value` with `digits` significant digits, in exponent form where the exponent is below -4 or not below `digits`,
/// without trailing zeros (C17 7.21.6.1, conversion `g`).
pub fn general(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if !value.is_finite() {
        return if value.is_nan() {
            "nan".into()
        } else if value > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    // Rounding comes first: it decides the exponent (9.9999996 becomes 1e1 at 7 digits).
    let rounded = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= i64::try_from(digits).unwrap_or(i64::MAX) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(i64::try_from(digits).unwrap_or(i64::MAX) - 1 - exponent).unwrap_or(0);
    trim(&format!("{value:.decimals$}")).to_owned()
}

/// Without the zeros behind the point, nor a point with nothing behind it.
fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What printf(1) of coreutils prints for %.6g and %.8g.
    #[test]
    fn the_text_is_that_of_printf() {
        let six = |value| general(value, 6);
        assert_eq!(six(240.0), "240");
        assert_eq!(six(70.738_4), "70.7384");
        assert_eq!(six(0.360_432), "0.360432");
        assert_eq!(six(1_446_850.0), "1.44685e+06");
        assert_eq!(six(999_999.5), "1e+06");
        assert_eq!(six(0.000_012_345_67), "1.23457e-05");
        assert_eq!(six(0.000_123_456_7), "0.000123457");
        assert_eq!(six(-3581.6), "-3581.6");
        assert_eq!(six(0.0), "0");
        assert_eq!(general(238.047_613, 8), "238.04761");
        assert_eq!(general(26_043_204.0, 8), "26043204");
        assert_eq!(general(f64::INFINITY, 8), "inf");
    }
}
