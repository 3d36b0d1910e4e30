//! The unit that a field's name tells: how a bound on it is typed, and how its value is shown.

use super::value::Value;
use crate::human;

/// What a field measures, in what unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Time in µs (`_us`).
    Micros,
    /// Time in ns (`_ns`).
    Nanos,
    /// Bits a second (`_bps`).
    BitsPerSecond,
    /// Bytes (`_bytes`).
    Bytes,
    /// A part of a whole, 0 to 1 (`_rate`, `_confidence`).
    Share,
    /// A plain number.
    Count,
}

/// A unit as typed, in lower case, and how many of the field's own it is.
type Typed = (&'static str, f64);

const MICROS: &[Typed] = &[("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("min", 60e6)];
const NANOS: &[Typed] = &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9)];
const RATES: &[Typed] = &[("bit", 1.0), ("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9), ("tbit", 1e12)];
const BYTES: &[Typed] = &[
    ("b", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];
const SHARES: &[Typed] = &[("%", 1e-2), ("", 1.0)];
const COUNTS: &[Typed] = &[("", 1.0)];

impl Unit {
    /// That of a field.
    pub fn of(field: &str) -> Self {
        let name = field.rsplit('.').next().unwrap_or(field);
        match name.rsplit('_').next() {
            Some("us") => Self::Micros,
            Some("ns") => Self::Nanos,
            Some("bps") => Self::BitsPerSecond,
            Some("bytes") => Self::Bytes,
            Some("rate" | "confidence") => Self::Share,
            _ => Self::Count,
        }
    }

    /// A number with its unit, in the field's own unit. Zero needs none.
    ///
    /// # Errors
    ///
    /// What was expected, in words.
    pub fn parse(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || ".-+_".contains(c))).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: f64 = number.replace('_', "").parse().map_err(|_| format!("{text:?} is no number"))?;
        let unit = unit.trim().to_lowercase();
        let unit = match self {
            Self::BitsPerSecond => unit.strip_suffix("/s").unwrap_or(&unit),
            _ => &unit,
        };
        if number == 0.0 && unit.is_empty() {
            return Ok(0.0);
        }
        let row = self.typed().iter().find(|(name, _)| *name == unit);
        row.map(|(_, factor)| number * factor).filter(|value| value.is_finite()).ok_or_else(|| {
            let example = match self {
                Self::Micros | Self::Nanos => "a time needs a unit, such as 80ms",
                Self::BitsPerSecond => "a rate needs a unit, such as 900mbit",
                Self::Bytes => "a size needs a unit, such as 64kB or 1MiB",
                Self::Share => "expected a share such as 0.1% or 0.001",
                Self::Count => "a count has no unit",
            };
            format!("{text:?}: {example}")
        })
    }

    const fn typed(self) -> &'static [Typed] {
        match self {
            Self::Micros => MICROS,
            Self::Nanos => NANOS,
            Self::BitsPerSecond => RATES,
            Self::Bytes => BYTES,
            Self::Share => SHARES,
            Self::Count => COUNTS,
        }
    }

    /// A number of the field with a unit to read, to nine digits, so that what differs looks different.
    pub fn show(self, number: f64) -> String {
        let scaled = |units: &[(f64, &str)]| {
            let (factor, unit) = units
                .iter()
                .rfind(|(factor, _)| number.abs() >= *factor)
                .or_else(|| units.first())
                .copied()
                .unwrap_or((1.0, ""));
            format!("{} {unit}", nine_digits(number / factor))
        };
        match self {
            Self::Micros => scaled(&[(1.0, "µs"), (1e3, "ms"), (1e6, "s")]),
            Self::Nanos => scaled(&[(1.0, "ns")]),
            Self::BitsPerSecond => {
                scaled(&[(1.0, "bit/s"), (1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s")])
            }
            Self::Bytes => scaled(&[(1.0, "bytes")]),
            Self::Share => format!("{} %", nine_digits(number * 100.0)),
            Self::Count => nine_digits(number).to_string(),
        }
    }

    /// A value of the field, to read.
    #[expect(clippy::cast_sign_loss, reason = "checked to be positive")]
    pub fn show_value(self, value: &Value) -> String {
        match value {
            Value::Int(number @ 0..) if matches!(self, Self::Count) => human::count(*number as u64),
            Value::Int(number @ 0..) if matches!(self, Self::Bytes) => human::exact_bytes(*number as u64),
            Value::Int(_) | Value::Float(_) => self.show(value.number().unwrap_or(f64::NAN)),
            Value::Text(_) | Value::Bool(_) => value.to_string(),
        }
    }
}

/// Rounded to nine significant digits: more than any measurement has, fewer than two machines may disagree about.
pub fn nine_digits(number: f64) -> f64 {
    format!("{number:.8e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_typed_with_units() {
        let is = |field: &str, text: &str, value: f64| {
            assert!((Unit::of(field).parse(text).unwrap() - value).abs() < 1e-9, "{field} {text}");
        };
        is("goodput_bps", "900mbit", 900e6);
        is("goodput_bps", "900 Mbit/s", 900e6);
        is("rtt_p95_us", "80ms", 80_000.0);
        is("handshake.rtt_us", "0.5s", 500_000.0);
        is("first_ns", "1us", 1_000.0);
        is("spurious_rate", "0.1%", 0.001);
        is("spurious_rate", "0.001", 0.001);
        is("flight_max_bytes", "64kB", 64_000.0);
        is("flight_max_bytes", "1MiB", 1_048_576.0);
        is("packets", "1_000", 1_000.0);
        is("rtt_p95_us", "0", 0.0);
        for (field, wrong) in [
            ("rtt_p95_us", "80"),
            ("goodput_bps", "5ms"),
            ("packets", "5%"),
            ("packets", "many"),
            ("packets", ""),
            ("spurious_rate", "1ms"),
        ] {
            assert!(Unit::of(field).parse(wrong).is_err(), "{field} {wrong}");
        }
    }

    #[test]
    fn values_are_shown_with_units_and_all_their_digits() {
        let shown = |field: &str, value: f64| Unit::of(field).show(value);
        assert_eq!(shown("goodput_bps", 526_547.847_944_763_4), "526.547848 kbit/s");
        assert_eq!(shown("rtt_p50_us", 20_100.0), "20.1 ms");
        assert_eq!(shown("rtt_p50_us", 0.25), "0.25 µs");
        assert_eq!(shown("spurious_rate", 0.0015), "0.15 %");
        assert_eq!(Unit::of("packets").show_value(&Value::Int(4_417)), "4,417");
        assert_eq!(Unit::of("unique_bytes").show_value(&Value::Int(28_960)), "28,960 B");
        assert_eq!(Unit::of("state").show_value(&Value::Text("closed".into())), "closed");
    }
}
