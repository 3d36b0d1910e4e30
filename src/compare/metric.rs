//! Which values are of one metric, and what unit its name tells.

use std::fmt;
use std::str::FromStr;

use super::error::CompareError;

/// The name under which a bare column of numbers goes.
pub const NAMELESS: &str = "value";

/// The metric taken where none is asked for and both sides have it.
pub const DEFAULT_METRIC: &str = "goodput_bps";

/// A metric as asked for on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Each that both sides have.
    All,
    /// The one of that name.
    Named(String),
    /// Several columns that hold the values of one metric: `transactions_per_s=run*`.
    Pooled {
        /// The metric.
        name: String,
        /// The columns, `*` standing for any text.
        pattern: String,
    },
}

impl Metric {
    /// The name a value of `column` goes by under this metric; `None` where it is not of it.
    ///
    /// A nameless value is of any metric that is asked for by name.
    pub fn name_of<'a>(&'a self, column: &'a str) -> Option<&'a str> {
        match self {
            Self::All if column.is_empty() => Some(NAMELESS),
            Self::All => Some(column),
            Self::Named(name) => (column.is_empty() || column == name).then_some(name),
            Self::Pooled { name, pattern } => (column.is_empty() || matches(pattern, column)).then_some(name),
        }
    }
}

impl FromStr for Metric {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Self, CompareError> {
        match text.split_once('=') {
            _ if text == "all" => Ok(Self::All),
            Some((name, pattern)) if !name.is_empty() && !pattern.is_empty() => {
                Ok(Self::Pooled { name: name.into(), pattern: pattern.into() })
            }
            None if !text.is_empty() => Ok(Self::Named(text.into())),
            _ => Err(CompareError::Argument(format!(
                "metric {text:?}: expected a name, NAME=PATTERN for columns that hold one metric, or all"
            ))),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Named(name) => f.write_str(name),
            Self::Pooled { name, pattern } => write!(f, "{name}={pattern}"),
        }
    }
}

/// Whether `text` is what `pattern` says, `*` standing for any text, also none.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or("");
    }
    rest.ends_with(last)
}

/// The unit that a metric's name ends in; `None` where it tells none.
pub fn unit(metric: &str) -> Option<&'static str> {
    const UNITS: &[(&str, &str)] = &[
        ("_bps", "bit/s"),
        ("_per_s", "1/s"),
        ("_bytes", "bytes"),
        ("_packets", "packets"),
        ("_ns", "ns"),
        ("_us", "us"),
        ("_ms", "ms"),
        ("_percent", "%"),
    ];
    UNITS.iter().find(|(end, _)| metric.ends_with(end)).map(|(_, unit)| *unit)
}

/// The unit to print values of `metric` in, the greatest of which has the size `size`, and by what they are divided.
pub fn readable(metric: &str, size: f64) -> (Option<&'static str>, f64) {
    match unit(metric) {
        Some("bit/s") if size >= 1e9 => (Some("Gbit/s"), 1e9),
        Some("bit/s") if size >= 1e6 => (Some("Mbit/s"), 1e6),
        Some("bit/s") if size >= 1e3 => (Some("kbit/s"), 1e3),
        unit => (unit, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, is) in [
            ("run*", "run1", true),
            ("run*", "run", true),
            ("run*", "brun1", false),
            ("*_us", "rtt_us", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("plain", "plain", true),
            ("plain", "plainer", false),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern} {text}");
        }
    }

    #[test]
    fn columns_can_be_pooled_under_a_name() {
        let metric: Metric = "tps=run*".parse().unwrap();
        assert_eq!(metric.name_of("run3"), Some("tps"));
        assert_eq!(metric.name_of("queues"), None);
        assert_eq!(Metric::Named("goodput_bps".into()).name_of(""), Some("goodput_bps"));
        assert!("=x".parse::<Metric>().is_err());
        assert!("".parse::<Metric>().is_err());
    }

    #[test]
    fn rates_are_printed_in_the_unit_of_their_size() {
        assert_eq!(readable("goodput_bps", 187e6), (Some("Mbit/s"), 1e6));
        assert_eq!(readable("rtt_p50_us", 54_000.0), (Some("us"), 1.0));
        assert_eq!(readable("score", 1e9), (None, 1.0));
    }
}
