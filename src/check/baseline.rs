//! A baseline: TOML that says what a capture must say. docs/commands/check.md describes it.
//!
//! ```toml
//! rules = ["max spurious_rate 0.1%", "verdicts exact"]
//! [tolerance]
//! goodput_bps = "2%"
//! [capture]
//! frames = 46
//! [connection.0.c2s]
//! spurious_packets = 16
//! rtt_p50_us = { value = 20100.0, tolerance = "100us" }
//! [connection.0.c2s.verdicts]
//! retransmission-fast-lost = 3
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

use super::field::{self, Part};
use super::result::Problem;
use super::rule::Rule;
use super::subject::Sort;
use super::tolerance::Tolerance;
use super::unit::Unit;
use super::value::Value;
use crate::compare::metric;
use crate::report::Dir;

/// The value of `schema`: changes when a baseline of today would be misread.
pub const SCHEMA: &str = "tcptrace-rs/baseline-1";

/// What a capture must say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// Rules for each connection.
    pub rules: Vec<Rule>,
    /// Of the capture as a whole.
    pub capture: Expectations,
    /// By number.
    pub connections: BTreeMap<u64, ConnectionBaseline>,
}

/// What a connection must say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectionBaseline {
    /// Of both directions together.
    pub whole: Expectations,
    /// Client to server.
    pub c2s: DirectionBaseline,
    /// Server to client.
    pub s2c: DirectionBaseline,
}

/// What a direction must say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionBaseline {
    /// Its numbers.
    pub own: Expectations,
    /// How many of each sort, with its line; `None` where it does not say.
    pub verdicts: Option<BTreeMap<String, (u64, usize)>>,
}

/// What a part of the report must say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectations {
    /// By field.
    pub values: BTreeMap<String, Expected>,
    /// Rules for this part.
    pub rules: Vec<Rule>,
    /// The line it begins at.
    pub line: Option<usize>,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// What it must be.
    pub value: Value,
    /// How far it may lie off.
    pub tolerance: Tolerance,
    /// Its line.
    pub line: usize,
}

impl ConnectionBaseline {
    /// One of its directions.
    pub const fn direction(&self, dir: Dir) -> &DirectionBaseline {
        match dir {
            Dir::C2s => &self.c2s,
            Dir::S2c => &self.s2c,
        }
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let document = Document::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| Lines::of(text).at(&span));
            vec![Problem::at(line, format!("not TOML: {}", error.message()))]
        })?;
        let mut reader = Reader { lines: Lines::of(text), problems: Vec::new(), tolerances: Vec::new() };
        let baseline = reader.document(document.as_table());
        if reader.problems.is_empty() { Ok(baseline) } else { Err(reader.problems) }
    }
}

/// Reads tables and keeps what is wrong with them.
struct Reader {
    lines: Lines,
    problems: Vec<Problem>,
    /// Patterns of `[tolerance]`, the nearest first.
    tolerances: Vec<(String, String)>,
}

impl Reader {
    fn document(&mut self, table: &dyn TableLike) -> Baseline {
        let mut baseline = Baseline::default();
        // First, since all values depend on it.
        if let Some(item) = table.get("tolerance") {
            self.tolerance_table(item, self.lines.of_key(table, "tolerance"));
        }
        for (key, item) in table.iter() {
            let line = self.lines.of_key(table, key);
            match key {
                "schema" if item.as_str() == Some(SCHEMA) => {}
                "schema" => self.problem(line, format!("schema: this version reads {SCHEMA:?}")),
                "rules" => baseline.rules = self.rules(item, line, &[Part::Direction, Part::Connection]),
                "tolerance" => {}
                "capture" => {
                    baseline.capture = self.part(item, line, Part::Capture, &[Part::Capture]);
                }
                "connection" => {
                    for (number, item, line) in self.tables(item, line, "connection") {
                        match number.parse() {
                            Ok(number) => {
                                _ = baseline.connections.insert(number, self.connection(item, line));
                            }
                            Err(_) => self.problem(line, format!("connection `{number}`: expected a number")),
                        }
                    }
                }
                _ => self.unknown(
                    line,
                    key,
                    ["schema", "rules", "tolerance", "capture", "connection"].into_iter(),
                ),
            }
        }
        baseline
    }

    fn connection(&mut self, item: &Item, line: usize) -> ConnectionBaseline {
        let mut connection = ConnectionBaseline {
            whole: self.part(item, line, Part::Connection, &[Part::Direction, Part::Connection]),
            ..ConnectionBaseline::default()
        };
        for (name, place) in [("c2s", &mut connection.c2s), ("s2c", &mut connection.s2c)] {
            let Some((table, found)) = item.as_table_like().and_then(|table| Some((table, table.get(name)?)))
            else {
                continue;
            };
            let line = self.lines.of_key(table, name);
            place.own = self.part(found, line, Part::Direction, &[Part::Direction]);
            let verdicts = found.as_table_like().and_then(|table| Some((table, table.get("verdicts")?)));
            if let Some((table, found)) = verdicts {
                let line = self.lines.of_key(table, "verdicts");
                place.verdicts = Some(self.verdicts(found, line));
            }
        }
        connection
    }

    fn verdicts(&mut self, item: &Item, line: usize) -> BTreeMap<String, (u64, usize)> {
        let mut counts = BTreeMap::new();
        for (name, item, line) in self.tables(item, line, "verdicts") {
            let count = item.as_integer().and_then(|count| u64::try_from(count).ok());
            match count {
                _ if !Sort::is_one(&name) => self.problem(
                    line,
                    format!("unknown verdict `{name}`: expected KIND-TRIGGER-VERDICT, such as retransmission-fast-lost"),
                ),
                Some(count) => _ = counts.insert(name, (count, line)),
                None => self.problem(line, format!("`{name}`: expected a count")),
            }
        }
        counts
    }

    /// The values and rules of a part.
    fn part(&mut self, item: &Item, line: usize, part: Part, ruled: &[Part]) -> Expectations {
        let mut expectations = Expectations { line: Some(line), ..Expectations::default() };
        let Some(table) = item.as_table_like() else {
            self.problem(line, format!("expected a table of values of the {}", part.name()));
            return expectations;
        };
        if let Some(item) = table.get("rules") {
            expectations.rules = self.rules(item, self.lines.of_key(table, "rules"), ruled);
        }
        let names = field::names(part);
        self.values(table, "", part, &names, &mut expectations.values);
        expectations
    }

    fn values(
        &mut self,
        table: &dyn TableLike,
        prefix: &str,
        part: Part,
        names: &[String],
        values: &mut BTreeMap<String, Expected>,
    ) {
        for (key, item) in table.iter() {
            // Read elsewhere.
            let apart: &[&str] = match part {
                Part::Capture => &["rules"],
                Part::Connection => &["rules", "c2s", "s2c"],
                Part::Direction => &["rules", "verdicts"],
            };
            if prefix.is_empty() && apart.contains(&key) {
                continue;
            }
            let line = self.lines.of_key(table, key);
            let name = format!("{prefix}{key}");
            match item.as_table_like() {
                Some(inside)
                    if inside.get("value").is_none()
                        && names.iter().any(|known| {
                            known.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.'))
                        })
                        || name == "skipped_records" =>
                {
                    self.values(inside, &format!("{name}."), part, names, values);
                }
                _ if !names.contains(&name) && !name.starts_with("skipped_records.") => {
                    self.unknown(line, &name, names.iter().map(String::as_str));
                }
                Some(inside) => {
                    values.extend(self.toleranced(inside, &name, line).map(|expected| (name, expected)));
                }
                None => values.extend(self.plain(item, &name, line).map(|expected| (name, expected))),
            }
        }
    }

    /// `FIELD = VALUE`.
    fn plain(&mut self, item: &Item, name: &str, line: usize) -> Option<Expected> {
        let value = item
            .as_integer()
            .map(Value::Int)
            .or_else(|| item.as_float().filter(|number| number.is_finite()).map(Value::Float))
            .or_else(|| item.as_bool().map(Value::Bool))
            .or_else(|| item.as_str().map(|text| Value::Text(text.to_owned())));
        let Some(value) = value else {
            self.problem(line, format!("`{name}`: expected a number, text, true or false"));
            return None;
        };
        let tolerance = self.tolerance_of(name, &value);
        Some(Expected { value, tolerance, line })
    }

    /// `FIELD = { value = VALUE, tolerance = "2%" }`.
    fn toleranced(&mut self, table: &dyn TableLike, name: &str, line: usize) -> Option<Expected> {
        for (key, _) in table.iter().filter(|(key, _)| !["value", "tolerance"].contains(key)) {
            self.unknown(line, key, ["value", "tolerance"].into_iter());
        }
        let Some(item) = table.get("value") else {
            self.problem(line, format!("`{name}`: expected {{ value = ..., tolerance = \"...\" }}"));
            return None;
        };
        let mut expected = self.plain(item, name, line)?;
        if let Some(tolerance) = table.get("tolerance") {
            let amount = tolerance.as_integer().map(|number| number as f64).or_else(|| tolerance.as_float());
            let parsed = match (amount, tolerance.as_str()) {
                (Some(amount), _) if amount >= 0.0 => Ok(Tolerance::amount(amount, Unit::of(name))),
                (None, Some(text)) => Tolerance::parse(text, Unit::of(name)),
                _ => Err("expected exact, 2%, an amount, or `2% or` an amount".to_owned()),
            };
            match parsed {
                Ok(tolerance) => expected.tolerance = tolerance,
                Err(wrong) => self.problem(line, format!("tolerance of `{name}`: {wrong}")),
            }
        }
        Some(expected)
    }

    /// `[tolerance]`: patterns of names to tolerances.
    fn tolerance_table(&mut self, item: &Item, line: usize) {
        let names: Vec<String> =
            [Part::Capture, Part::Connection, Part::Direction].into_iter().flat_map(field::names).collect();
        for (pattern, item, line) in self.tables(item, line, "tolerance") {
            let Some(text) = item.as_str() else {
                self.problem(line, format!("`{pattern}`: expected text, such as \"2%\""));
                continue;
            };
            let mut matched = names.iter().filter(|name| metric::matches(&pattern, name)).peekable();
            if matched.peek().is_none() {
                self.unknown(line, &pattern, names.iter().map(String::as_str));
            }
            let wrong = matched.find_map(|name| Some((name, Tolerance::parse(text, Unit::of(name)).err()?)));
            match wrong {
                Some((name, wrong)) => self.problem(line, format!("tolerance of `{name}`: {wrong}")),
                None => self.tolerances.push((pattern, text.to_owned())),
            }
        }
        // A full name before patterns, and longer patterns before shorter.
        self.tolerances.sort_by_key(|(pattern, _)| (pattern.contains('*'), usize::MAX - pattern.len()));
    }

    fn tolerance_of(&self, name: &str, value: &Value) -> Tolerance {
        let found = self.tolerances.iter().find(|(pattern, _)| metric::matches(pattern, name));
        match found {
            Some((_, text)) if value.number().is_some() => {
                // It was parsed for every field that the pattern fits when the table was read.
                Tolerance::parse(text, Unit::of(name)).unwrap_or(Tolerance::EXACT)
            }
            _ => Tolerance::EXACT,
        }
    }

    fn rules(&mut self, item: &Item, line: usize, parts: &[Part]) -> Vec<Rule> {
        let Some(array) = item.as_array() else {
            self.problem(line, "rules: expected a list, such as [\"max spurious_rate 0.1%\"]");
            return Vec::new();
        };
        let mut rules = Vec::new();
        for value in array {
            let line = value.span().map_or(line, |span| self.lines.at(&span));
            let Some(text) = value.as_str() else {
                self.problem(line, "rules: expected text, such as \"max spurious_rate 0.1%\"");
                continue;
            };
            match Rule::parse(text, parts, Some(line)) {
                Ok(rule) => rules.push(rule),
                Err(wrong) => self.problem(line, wrong),
            }
        }
        rules
    }

    /// What a table holds, with the line of each key.
    fn tables<'t>(&mut self, item: &'t Item, line: usize, name: &str) -> Vec<(String, &'t Item, usize)> {
        let Some(table) = item.as_table_like() else {
            self.problem(line, format!("`{name}`: expected a table"));
            return Vec::new();
        };
        table.iter().map(|(key, item)| (key.to_owned(), item, self.lines.of_key(table, key))).collect()
    }

    fn unknown<'n>(&mut self, line: usize, key: &str, names: impl Iterator<Item = &'n str>) {
        let near = field::nearest(key, names);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        self.problem(line, format!("unknown key `{key}`{hint}"));
    }

    fn problem(&mut self, line: usize, text: impl Into<String>) {
        self.problems.push(Problem::at(line, text));
    }
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line that a stretch begins in, from 1.
    fn at(&self, span: &Range<usize>) -> usize {
        1 + self.0.partition_point(|end| *end < span.start)
    }

    /// The line of a key; that of what it holds where the key has none of its own.
    fn of_key(&self, table: &dyn TableLike, key: &str) -> usize {
        let key_span = table.key(key).and_then(toml_edit::Key::span);
        let span = key_span.or_else(|| table.get(key).and_then(Item::span));
        span.map_or(1, |span| self.at(&span))
    }
}
