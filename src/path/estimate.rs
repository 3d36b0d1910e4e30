//! A figure with the interval that it lies in.

/// Value and 80 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// 10th percentile.
    pub low: f64,
    /// Most likely.
    pub value: f64,
    /// 90th percentile.
    pub high: f64,
}

/// From the middle of a normal distribution to its 90th percentile, in standard deviations.
pub(super) const TENTH: f64 = 1.2816;

impl Estimate {
    /// `value`, between the two, which are put in order around it.
    pub fn within(low: f64, value: f64, high: f64) -> Self {
        Self { low: low.min(value), value, high: high.max(value) }
    }

    /// `value` give or take this part of it, as a logarithm.
    pub fn give_or_take(value: f64, deviation: f64) -> Self {
        let factor = (TENTH * deviation).exp();
        Self { low: value / factor, value, high: value * factor }
    }

    /// The upper end over the lower.
    pub(super) fn width(&self) -> f64 {
        self.high / self.low.max(f64::MIN_POSITIVE)
    }

    /// The value that a standard normal `deviate` of the logarithm gives; the two sides of the interval may differ.
    pub fn draw(&self, deviate: f64) -> f64 {
        let edge = if deviate < 0.0 { self.low } else { self.high };
        if self.value <= 0.0 || edge <= 0.0 {
            return (self.value + (edge - self.value) * deviate.abs() / TENTH).max(0.0);
        }
        self.value * (edge / self.value).powf(deviate.abs() / TENTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_percentiles_are_drawn_where_they_belong() {
        let estimate = Estimate::within(50.0, 100.0, 400.0);
        assert!((estimate.draw(0.0) - 100.0).abs() < 1e-9);
        assert!((estimate.draw(TENTH) - 400.0).abs() < 1e-9);
        assert!((estimate.draw(-TENTH) - 50.0).abs() < 1e-9);
    }
}
