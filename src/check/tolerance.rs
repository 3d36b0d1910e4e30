//! How far a number may lie from the baseline's.

use std::fmt;

use super::unit::Unit;
use super::value::Value;

/// Fractions that agree to so much are equal: baselines are written with nine digits.
const SAME: f64 = 1e-8;

/// Within this much, or exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the field's own unit.
    absolute: Option<f64>,
    /// As a share of the expected value.
    relative: Option<f64>,
    unit: Option<Unit>,
}

impl Tolerance {
    /// No difference at all; fractions may differ in the ninth digit.
    pub const EXACT: Self = Self { absolute: None, relative: None, unit: None };

    /// So much, in the field's own unit, up or down.
    pub const fn amount(amount: f64, unit: Unit) -> Self {
        Self { absolute: Some(amount), relative: None, unit: Some(unit) }
    }

    /// `exact`, `2%`, `100us`, or `2% or 100us`, of which the wider counts.
    ///
    /// # Errors
    ///
    /// What was expected, in words.
    pub fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let mut tolerance = Self { unit: Some(unit), ..Self::EXACT };
        if text.trim() == "exact" {
            return Ok(Self::EXACT);
        }
        for part in text.split(" or ") {
            let part = part.trim();
            let (place, size) = match part.strip_suffix('%') {
                // Of shares too, a percentage is one of the expected value: 1 % of 0.2 % is 0.002 %.
                Some(percent) => (&mut tolerance.relative, Unit::Count.parse(percent)? / 100.0),
                None => (&mut tolerance.absolute, unit.parse(part)?),
            };
            if place.is_some() || size < 0.0 {
                return Err(format!("{text:?}: expected exact, 2%, an amount, or `2% or` an amount"));
            }
            *place = Some(size);
        }
        Ok(tolerance)
    }

    /// Whether `got` is as good as `expected`.
    pub fn allows(&self, expected: &Value, got: &Value) -> bool {
        let (Some(wanted), Some(number)) = (expected.number(), got.number()) else { return expected == got };
        // Counts may be larger than what a fraction holds to the last digit.
        let (off, same) = match (expected, got) {
            (Value::Int(wanted), Value::Int(number)) => (number.abs_diff(*wanted) as f64, 0.0),
            _ => ((number - wanted).abs(), SAME * wanted.abs()),
        };
        let relative = self.relative.unwrap_or(0.0) * wanted.abs();
        let within = same.max(self.absolute.unwrap_or(0.0)).max(relative);
        // A bound itself is within: the last digits of a product must not decide.
        off <= within * (1.0 + 1e-12)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.unit.unwrap_or(Unit::Count);
        let relative = self.relative.map(|share| format!("{} %", super::unit::nine_digits(share * 100.0)));
        let absolute = self.absolute.map(|size| unit.show(size));
        match (relative, absolute) {
            (None, None) => f.write_str("exactly"),
            (Some(relative), Some(absolute)) => write!(f, "+/- {relative} or {absolute}"),
            (Some(one), None) | (None, Some(one)) => write!(f, "+/- {one}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tolerance(text: &str) -> Tolerance {
        Tolerance::parse(text, Unit::Micros).unwrap()
    }

    #[test]
    fn counts_are_exact_and_fractions_to_the_ninth_digit() {
        let exact = Tolerance::EXACT;
        assert!(exact.allows(&Value::Int(16), &Value::Int(16)));
        assert!(!exact.allows(&Value::Int(16), &Value::Int(14)));
        assert!(
            !exact.allows(&Value::Int(1_700_000_000_000_000_000), &Value::Int(1_700_000_000_000_000_001))
        );
        assert!(exact.allows(&Value::Float(526_547.848), &Value::Float(526_547.847_944_763_4)));
        assert!(!exact.allows(&Value::Float(526_547.848), &Value::Float(526_547.9)));
        assert!(!exact.allows(&Value::Text("closed".into()), &Value::Text("reset".into())));
        assert!(!exact.allows(&Value::Bool(false), &Value::Int(0)));
    }

    #[test]
    fn the_wider_of_two_counts_and_a_bound_is_within() {
        let expected = Value::Float(20_000.0);
        let allows = |text: &str, got: f64| tolerance(text).allows(&expected, &Value::Float(got));
        assert!(allows("2%", 20_400.0) && !allows("2%", 20_401.0));
        assert!(allows("2%", 19_600.0) && !allows("2%", 19_599.0));
        assert!(allows("100us", 20_100.0) && !allows("0.1ms", 20_100.1));
        assert!(allows("0.1% or 0.1ms", 20_100.0) && allows("1% or 100us", 20_200.0));
        assert_eq!(tolerance("1% or 100us").to_string(), "+/- 1 % or 100 µs");
        assert_eq!(tolerance("exact").to_string(), "exactly");
        for wrong in ["", "2", "-1%", "1% or 2%", "often", "1%or 2us"] {
            assert!(Tolerance::parse(wrong, Unit::Micros).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_expected_is_always_allowed(number in any::<f64>(), share in 0.0_f64..5.0) {
            prop_assume!(number.is_finite());
            let value = Value::Float(number);
            prop_assert!(Tolerance::EXACT.allows(&value, &value));
            let within = Tolerance { relative: Some(share), ..Tolerance::EXACT };
            prop_assert!(within.allows(&value, &value));
        }
    }
}
