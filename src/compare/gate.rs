//! `--fail-on`: a change that must not happen, such as `goodput_bps<-5%`.

use std::fmt;
use std::str::FromStr;

use super::error::CompareError;
use crate::report::comparison::Comparison;

/// A bound on the difference after - before of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    metric: String,
    above: bool,
    bound: f64,
    percent: bool,
}

impl Gate {
    /// The metric it is about.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// Whether the comparison is of this metric, proves a difference, and that difference lies beyond the bound.
    pub fn breached(&self, comparison: &Comparison) -> bool {
        let change = if self.percent { comparison.percent } else { Some(comparison.difference) };
        comparison.metric == self.metric
            && comparison.proven
            && change.is_some_and(|change| if self.above { change > self.bound } else { change < self.bound })
    }
}

impl FromStr for Gate {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Self, CompareError> {
        let bad = || {
            CompareError::Argument(format!(
                "cannot fail on {text:?}: expected METRIC, < or >, and a change with its sign, such as goodput_bps<-5% or rtt_p95_us>2000"
            ))
        };
        let at = text.find(['<', '>']).ok_or_else(bad)?;
        let (metric, rest) = text.split_at(at);
        let mut rest = rest.chars();
        let above = rest.next() == Some('>');
        let bound = rest.as_str().trim();
        let (number, percent) = match bound.strip_suffix('%') {
            Some(number) => (number.trim_end(), true),
            None => (bound, false),
        };
        let bound = number.parse::<f64>().ok().filter(|bound| bound.is_finite()).ok_or_else(bad)?;
        let metric = metric.trim();
        if metric.is_empty() {
            return Err(bad());
        }
        Ok(Self { metric: metric.into(), above, bound, percent })
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, percent) = (if self.above { '>' } else { '<' }, if self.percent { "%" } else { "" });
        write!(f, "{}{sign}{}{percent}", self.metric, self.bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_read_as_it_is_written() {
        for text in ["goodput_bps<-5%", "rtt_p95_us>2000", "retransmitted_packets>0"] {
            assert_eq!(text.parse::<Gate>().unwrap().to_string(), text);
        }
        for text in ["", "goodput_bps", "goodput_bps<", "<5", "goodput_bps<x%", "a<inf", "a<5%%"] {
            assert!(text.parse::<Gate>().is_err(), "{text}");
        }
    }
}
