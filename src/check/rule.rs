//! Rules that hold whatever the baseline's numbers: `max spurious_rate 0.1%`, `min goodput 900mbit`, `verdicts exact`.

use super::field::{self, Part};
use super::unit::Unit;
use crate::report::Dir;

/// A rule, with the words it was written in.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As written.
    pub text: String,
    /// What it asks.
    pub ask: Ask,
    /// Its line in the baseline; `None` on the command line.
    pub line: Option<usize>,
}

/// What a rule asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A number must not lie beyond a bound.
    Bound(Bound),
    /// The counts of every kind, trigger and verdict must be the baseline's.
    Verdicts,
}

/// A bound on a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The greatest that it may be, else the least.
    pub is_max: bool,
    /// The field's full name.
    pub field: String,
    /// The part of the report that has it.
    pub part: Part,
    /// Which directions, of a direction's field.
    pub which: Which,
    /// In the field's own unit.
    pub limit: f64,
}

impl Bound {
    /// Whether a number breaks it.
    pub fn is_broken_by(&self, number: f64) -> bool {
        if self.is_max { number > self.limit } else { number < self.limit }
    }

    /// The limit in words: `at most 0.1 %`.
    pub fn words(&self) -> String {
        let word = if self.is_max { "at most" } else { "at least" };
        format!("{word} {}", Unit::of(&self.field).show(self.limit))
    }
}

/// Which directions a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one that carries more data.
    Main,
    /// This one.
    Only(Dir),
    /// Both.
    Both,
}

/// Ends that a field's name may be written without.
const ENDS: &[&str] = &["", "_us", "_bps", "_bytes", "_packets"];

impl Rule {
    /// Reads a rule about fields of one of `parts`, the first that has the field.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn parse(text: &str, parts: &[Part], line: Option<usize>) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let rule = |ask| Ok(Self { text: words.join(" "), ask, line });
        let (word, rest) = match words.as_slice() {
            ["verdicts", "exact"] if parts.contains(&Part::Direction) => return rule(Ask::Verdicts),
            [word @ ("min" | "max"), rest @ ..] => (*word, rest),
            _ => return Err(format!("{text:?}: expected {EXPECTED}")),
        };
        let (which, rest) = match rest {
            ["c2s", rest @ ..] => (Which::Only(Dir::C2s), rest),
            ["s2c", rest @ ..] => (Which::Only(Dir::S2c), rest),
            ["both", rest @ ..] => (Which::Both, rest),
            rest => (Which::Main, rest),
        };
        let [name, limit @ ..] = rest else { return Err(format!("{text:?}: expected {EXPECTED}")) };
        let (field, part) = find(name, parts)?;
        let limit = Unit::of(&field).parse(&limit.join(" ")).map_err(|wrong| format!("{text:?}: {wrong}"))?;
        rule(Ask::Bound(Bound { is_max: word == "max", field, part, which, limit }))
    }
}

const EXPECTED: &str = "`max` or `min`, a field and a bound, such as `max spurious_rate 0.1%` or `min c2s goodput 900mbit`, or `verdicts exact`";

/// The field of that name, or of that name with a unit behind it.
fn find(name: &str, parts: &[Part]) -> Result<(String, Part), String> {
    for &part in parts {
        let names = field::names(part);
        let full = ENDS.iter().map(|end| format!("{name}{end}")).find(|full| names.contains(full));
        if let Some(full) = full {
            return Ok((full, part));
        }
    }
    let names: Vec<String> = parts.iter().flat_map(|&part| field::names(part)).collect();
    let near = field::nearest(name, names.iter().map(String::as_str));
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let part = parts.first().map_or("", |part| part.name());
    Err(format!("unknown field `{name}` of a {part}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: &[Part] = &[Part::Direction, Part::Connection];

    fn bound(text: &str) -> Bound {
        match Rule::parse(text, PARTS, None).unwrap().ask {
            Ask::Bound(bound) => bound,
            Ask::Verdicts => panic!("{text} is no bound"),
        }
    }

    #[test]
    fn rules_read_as_they_are_said() {
        let spurious = bound("max spurious_rate 0.1%");
        assert!(spurious.is_max && spurious.which == Which::Main);
        assert!((spurious.limit - 0.001).abs() < 1e-15);
        assert!(spurious.is_broken_by(0.002) && !spurious.is_broken_by(0.001));
        assert_eq!(spurious.words(), "at most 0.1 %");
        let goodput = bound("min c2s goodput 900 Mbit/s");
        assert_eq!((goodput.field.as_str(), goodput.which), ("goodput_bps", Which::Only(Dir::C2s)));
        assert!(goodput.is_broken_by(899.9e6) && !goodput.is_broken_by(900e6));
        assert_eq!(bound("max rtt_p95 80ms").field, "rtt_p95_us");
        assert_eq!(bound("max both lost 3").field, "lost_packets");
        let handshake = bound("max handshake.rtt 60ms");
        assert_eq!((handshake.part, handshake.field.as_str()), (Part::Connection, "handshake.rtt_us"));
        assert_eq!(Rule::parse(" verdicts  exact", PARTS, Some(3)).unwrap().ask, Ask::Verdicts);
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_said() {
        let wrong = |text| Rule::parse(text, PARTS, None).unwrap_err();
        assert!(wrong("max spurius_rate 0.1%").ends_with("did you mean `spurious_rate`?"));
        assert!(wrong("max rtt_p95 80").contains("a time needs a unit"));
        assert!(wrong("below 5").contains("expected `max` or `min`"));
        assert!(wrong("max").contains("expected"));
        assert!(wrong("max packets").contains("no number"));
        assert!(Rule::parse("verdicts exact", &[Part::Capture], None).is_err());
    }
}
