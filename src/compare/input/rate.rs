//! Units of rates and sizes as iperf3 and netperf write them.

/// Bits per second of a rate unit: `Mbits/sec`, `GBytes/sec`, `10^6bits/s`, `KBytes/s`.
///
/// Both programs count bits in thousands and bytes in 1024s.
pub(super) fn rate(unit: &str) -> Option<f64> {
    let what = unit.strip_suffix("/sec").or_else(|| unit.strip_suffix("/s"))?;
    if let Some(power) = what.strip_prefix("10^").and_then(|what| what.strip_suffix("bits")) {
        return power
            .parse()
            .ok()
            .filter(|power: &i32| (0..=15).contains(power))
            .map(|power| 10f64.powi(power));
    }
    match what.strip_suffix("bits") {
        Some(prefix) => Some(1000f64.powi(exponent(prefix)?)),
        None => bytes(what).map(|bytes| bytes * 8.0),
    }
}

/// Bytes of a size unit: `Bytes`, `KBytes`, `MBytes`.
pub(super) fn bytes(unit: &str) -> Option<f64> {
    Some(1024f64.powi(exponent(unit.strip_suffix("Bytes")?)?))
}

fn exponent(prefix: &str) -> Option<i32> {
    match prefix {
        "" => Some(0),
        "K" => Some(1),
        "M" => Some(2),
        "G" => Some(3),
        "T" => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // iperf3's `unit_snprintf` and netperf's `format_units`: 24.1 Gbits/sec of `--format g` are 2.81 GBytes/sec of `--format G`.
    #[test]
    fn bits_go_by_thousands_and_bytes_by_1024s() {
        assert_eq!(rate("Mbits/sec"), Some(1e6));
        assert_eq!(rate("10^6bits/sec"), Some(1e6));
        assert_eq!(rate("10^9bits/s"), Some(1e9));
        assert_eq!(rate("bits/sec"), Some(1.0));
        assert_eq!(rate("KBytes/s"), Some(8192.0));
        assert_eq!(bytes("MBytes"), Some(1_048_576.0));
        for unit in ["Trans/s", "10^99bits/s", "10^bits/s", "Xbits/sec", "Mbits", "é"] {
            assert_eq!(rate(unit), None, "{unit}");
        }
    }
}
