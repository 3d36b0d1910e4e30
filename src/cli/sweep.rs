//! `--sweep`: a parameter over a range, in logarithmic steps.

use super::quantity;
use crate::units::Span;

/// Points in each decade.
const PER_DECADE: f64 = 4.0;

/// What can be swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// Random loss, 0 to 1.
    Loss,
    /// Base RTT in seconds.
    Rtt,
}

/// A range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sweep {
    pub(super) parameter: Parameter,
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Parameter {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Rtt => "rtt",
        }
    }

    /// In the unit of the report: a share, or microseconds.
    pub(super) const fn in_report(self, value: f64) -> f64 {
        match self {
            Self::Loss => value,
            Self::Rtt => value * 1e6,
        }
    }

    /// With its unit, for people.
    pub(super) fn show(self, value: f64) -> String {
        match self {
            Self::Loss => format!("{:.4} %", value * 100.0),
            Self::Rtt => format!("{:.2} ms", value * 1e3),
        }
    }
}

impl Sweep {
    /// The points, both ends included.
    pub(super) fn values(&self) -> Vec<f64> {
        let ratio = self.to / self.from;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen at most")]
        let steps = (ratio.log10() * PER_DECADE).round().clamp(1.0, 100.0) as u32;
        (0..=steps).map(|i| self.from * ratio.powf(f64::from(i) / f64::from(steps))).collect()
    }
}

/// Reads `loss=0.001%..10%` or `rtt=1ms..300ms`.
pub(super) fn parse(text: &str) -> Result<Sweep, String> {
    let form = "write it as loss=0.001%..10% or rtt=1ms..300ms";
    let (name, range) = text.split_once('=').ok_or(form)?;
    let (from, to) = range.split_once("..").ok_or(form)?;
    let (parameter, from, to) = match name.trim() {
        "loss" => (Parameter::Loss, quantity::share(from)?, quantity::share(to)?),
        "rtt" => {
            let seconds = |text| quantity::positive_span(text).map(Span::as_secs_f64);
            (Parameter::Rtt, seconds(from)?, seconds(to)?)
        }
        other => return Err(format!("cannot sweep {other:?}: {form}")),
    };
    if from > 0.0 && from < to {
        Ok(Sweep { parameter, from, to })
    } else {
        Err("a sweep goes from a smaller value above zero to a larger one".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_points_a_decade_with_both_ends() {
        let sweep = parse("loss=0.001%..10%").unwrap();
        let values = sweep.values();
        assert_eq!(values.len(), 17);
        assert!((values[0] - 1e-5).abs() < 1e-15 && (values[16] - 0.1).abs() < 1e-12);
        assert_eq!(parse("rtt=1ms..300ms").unwrap().parameter, Parameter::Rtt);
    }

    #[test]
    fn a_range_must_rise() {
        assert!(parse("loss=1%..1%").is_err());
        assert!(parse("loss=0%..1%").is_err());
        assert!(parse("rtt=1..3ms").unwrap_err().contains("unit"));
        assert!(parse("rate=1..2").unwrap_err().contains("cannot sweep"));
    }
}
