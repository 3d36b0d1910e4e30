//! How sure a verdict must be.

use std::fmt;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// So many degrees of freedom that t is told from the normal distribution.
const MANY: f64 = 1e4;

/// The chance that Student's t of `df` degrees of freedom is at least as far from 0 as `statistic`.
///
/// Of many degrees of freedom by Abramowitz & Stegun 26.7.8.
pub fn two_sided_p(statistic: f64, df: f64) -> f64 {
    let t = statistic.abs();
    let tail = if df > MANY {
        Normal::standard().cdf(-t * (1.0 - 1.0 / (4.0 * df)) / (1.0 + t * t / (2.0 * df)).sqrt())
    } else {
        StudentsT::new(0.0, 1.0, df).map_or(0.5, |distribution| distribution.cdf(-t))
    };
    (2.0 * tail).clamp(0.0, 1.0)
}

/// A level of confidence in percent, more than 0 and less than 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 %.
    pub const DEFAULT: Self = Self(95.0);

    /// 99.5 %, the highest level that ministat knows.
    pub const PER_MILLE_5: Self = Self(99.5);

    /// From percent; `None` outside of 0 to 100, both excluded.
    pub fn from_percent(percent: f64) -> Option<Self> {
        (percent > 0.0 && percent < 100.0).then_some(Self(percent))
    }

    /// Percent.
    pub const fn percent(self) -> f64 {
        self.0
    }

    /// The chance of a false alarm that this level allows.
    pub fn alpha(self) -> f64 {
        (100.0 - self.0) / 100.0
    }

    /// The quantile of Student's t that a two-sided test at this level must pass. `df` is positive.
    ///
    /// Of many degrees of freedom it is taken from the normal one by Abramowitz & Stegun 26.7.5, exact there to 11 digits: the
    /// search for it in the incomplete beta function does not end for some of them.
    pub fn t(self, df: f64) -> f64 {
        if df > MANY {
            let z = self.z();
            let second = 5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z;
            return z + (z.powi(3) + z) / (4.0 * df) + second / (96.0 * df * df);
        }
        StudentsT::new(0.0, 1.0, df).map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - self.alpha() / 2.0))
    }

    /// The quantile of the normal distribution that a two-sided test at this level must pass.
    pub fn z(self) -> f64 {
        Normal::standard().inverse_cdf(1.0 - self.alpha() / 2.0)
    }
}

/// `95.0%`, as ministat writes it; more decimals where one would not tell.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = format!("{:.1}", self.0);
        if short.parse() == Ok(self.0) { write!(f, "{short}%") } else { write!(f, "{}%", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NIST/SEMATECH e-Handbook 1.3.6.7.2: t(0.975, 10) = 2.228, t(0.995, 22) = 2.819; z(0.975) = 1.960.
    #[test]
    fn quantiles_are_those_of_printed_tables() {
        let at = |percent| Confidence::from_percent(percent).unwrap();
        assert!((at(95.0).t(10.0) - 2.228).abs() < 5e-4);
        assert!((at(99.0).t(22.0) - 2.819).abs() < 5e-4);
        assert!((at(95.0).z() - 1.960).abs() < 5e-4);
    }

    // scipy.stats: t.ppf(0.975, 9999), t.ppf(0.975, 10001), t.ppf(0.975, 1e8); 2 * t.sf(2.5, 10001).
    #[test]
    fn many_degrees_of_freedom_go_over_into_the_normal_distribution() {
        let level = Confidence::DEFAULT;
        assert!((level.t(9_999.0) - 1.960_201_263_621).abs() < 1e-7);
        assert!((level.t(10_001.0) - 1.960_201_216_165).abs() < 1e-8);
        assert!((level.t(1e8) - 1.959_964_008_263).abs() < 1e-9);
        assert!((level.t(1e15) - level.z()).abs() < 1e-12);
        assert!((two_sided_p(2.5, 10_001.0) - 0.012_435_217_961).abs() < 1e-8);
    }

    #[test]
    fn only_what_lies_between_0_and_100_is_a_level() {
        for percent in [0.0, 100.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Confidence::from_percent(percent), None);
        }
        assert_eq!(Confidence::DEFAULT.to_string(), "95.0%");
        assert_eq!(Confidence::from_percent(99.95).unwrap().to_string(), "99.95%");
    }
}
