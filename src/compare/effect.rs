//! How large a difference is against the scatter of the values.

use statrs::function::gamma::ln_gamma;

use super::summary::Summary;
use super::test::pooled_sd;

/// Standardised differences of two means; positive where the mean after is the greater.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Cohen's d: the difference over the pooled standard deviation.
    pub cohens_d: f64,
    /// Hedges' g: d without its upward bias in small samples.
    pub hedges_g: f64,
}

impl Effect {
    /// The effect; `None` where there is no scatter to measure it by.
    ///
    /// J. Cohen, "Statistical Power Analysis", 1988, equation 2.5.1; L. V. Hedges, J. Educ. Stat. 6, 1981, equation 6e
    /// (the exact factor, with gamma functions).
    pub fn of(before: &Summary, after: &Summary) -> Option<Self> {
        let sd = pooled_sd(before, after).filter(|sd| *sd > 0.0)?;
        let d = (after.mean - before.mean) / sd;
        let df = (before.n + after.n) as f64 - 2.0;
        Some(Self { cohens_d: d, hedges_g: d * unbiased(df) })
    }

    /// Cohen's word for a size like this: small from 0.2, medium from 0.5, large from 0.8 (1988, section 2.2.3).
    pub fn word(&self) -> &'static str {
        match self.cohens_d.abs() {
            size if size < 0.2 => "negligible",
            size if size < 0.5 => "small",
            size if size < 0.8 => "medium",
            _ => "large",
        }
    }
}

/// Hedges' factor J; of one degree of freedom 0, since the estimate has no mean there.
fn unbiased(df: f64) -> f64 {
    if df <= 1.0 { 0.0 } else { (ln_gamma(df / 2.0) - ln_gamma((df - 1.0) / 2.0)).exp() / (df / 2.0).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(n: u64, mean: f64, sd: f64) -> Summary {
        Summary { n, min: None, max: None, median: None, mean, sd: Some(sd) }
    }

    // Hedges & Olkin 1985, table 2: J(10) = 0.9228, J(20) = 0.9619, J(50) = 0.9849.
    #[test]
    fn the_factor_is_that_of_the_published_table() {
        for (df, j) in [(10.0, 0.9228), (20.0, 0.9619), (50.0, 0.9849)] {
            assert!((unbiased(df) - j).abs() < 1e-4, "{df}");
        }
    }

    #[test]
    fn the_difference_is_told_in_deviations() {
        let effect = Effect::of(&summary(6, 10.0, 2.0), &summary(6, 8.0, 2.0)).unwrap();
        assert!((effect.cohens_d + 1.0).abs() < 1e-12);
        assert!((effect.hedges_g + 0.9228).abs() < 1e-4);
        assert_eq!(effect.word(), "large");
        assert_eq!(Effect::of(&summary(3, 1.0, 0.0), &summary(3, 2.0, 0.0)), None);
    }
}
