//! A subject against its baseline: what was checked, what is not as it must be, and what the baseline is wrong about.

use super::baseline::{Baseline, ConnectionBaseline, DirectionBaseline, Expectations, Expected};
use super::field::{Fields, IDENTITY, Part};
use super::look;
use super::result::{Breach, CheckedPart, Look, Problem};
use super::rule::{Ask, Bound, Rule, Which};
use super::subject::{Connection, Direction, Subject};
use super::unit::Unit;
use super::value::Value;
use crate::report::Dir;

/// What came out of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// What was checked, in order: the capture, then connection by connection.
    pub parts: Vec<CheckedPart>,
    /// Where the baseline is about what is not there.
    pub problems: Vec<Problem>,
}

/// Compares; `rules` hold besides those of the baseline.
pub fn judge(subject: &Subject, baseline: &Baseline, rules: &[Rule]) -> Judgement {
    let mut judge = Judge { out: Judgement::default(), common: baseline.rules.iter().chain(rules).collect() };
    judge.capture(subject, &baseline.capture);
    for (number, expected) in &baseline.connections {
        match subject.connections.get(number) {
            Some(connection) => judge.identity(*number, connection, expected),
            None => judge.stale(
                expected.whole.line,
                &format!(
                    "connection {number} is not in the capture, which has {}",
                    subject.connections.len()
                ),
            ),
        }
    }
    let unlisted = ConnectionBaseline::default();
    for (number, connection) in &subject.connections {
        let expected = baseline.connections.get(number).unwrap_or(&unlisted);
        judge.connection(*number, connection, expected);
    }
    judge.untested(subject);
    judge.out
}

struct Judge<'a> {
    out: Judgement,
    /// Rules for each connection.
    common: Vec<&'a Rule>,
}

impl Judge<'_> {
    fn stale(&mut self, line: Option<usize>, what: &str) {
        self.out.problems.push(Problem { line, text: format!("stale: {what}; --bless writes it anew") });
    }

    fn push(&mut self, part: CheckedPart) {
        if part.checked > 0 {
            self.out.parts.push(part);
        }
    }

    fn capture(&mut self, subject: &Subject, expected: &Expectations) {
        let mut part = CheckedPart::default();
        let look = |_: &str| Look::Capture;
        values(&mut part, &subject.capture, &expected.values, look);
        for rule in &expected.rules {
            if let Ask::Bound(bound) = &rule.ask {
                self::bound(&mut part, rule, bound, &subject.capture, look);
            }
        }
        self.push(part);
    }

    /// A connection between others is another connection, whatever its number.
    fn identity(&mut self, number: u64, connection: &Connection, expected: &ConnectionBaseline) {
        let differs = IDENTITY.iter().find(|name| {
            let wanted = expected.whole.values.get(**name).map(|expected| &expected.value);
            let got = connection.fields.get(**name).and_then(Option::as_ref);
            wanted.is_some_and(|wanted| Some(wanted) != got)
        });
        if let Some(name) = differs {
            let wanted = &expected.whole.values[*name];
            self.stale(
                Some(wanted.line),
                &format!(
                    "connection {number} is {} now, its {name} is not {}",
                    connection.ends(),
                    wanted.value
                ),
            );
        }
    }

    fn connection(&mut self, number: u64, connection: &Connection, expected: &ConnectionBaseline) {
        let ends = connection.ends();
        let part =
            |dir| CheckedPart { connection: Some(number), ends: ends.clone(), dir, ..CheckedPart::default() };
        let rules: Vec<&Rule> = self.common.iter().copied().chain(&expected.whole.rules).collect();
        let mut whole = part(None);
        let look = |_: &str| look::at_connection(number, connection.fields.get("first_frame"));
        let own = expected.whole.values.iter().filter(|(name, _)| !IDENTITY.contains(&name.as_str()));
        values(&mut whole, &connection.fields, own, look);
        for rule in &rules {
            match &rule.ask {
                Ask::Bound(bound) if bound.part == Part::Connection => {
                    self::bound(&mut whole, rule, bound, &connection.fields, look);
                }
                _ => {}
            }
        }
        self.push(whole);
        let main = connection.main();
        for dir in [Dir::C2s, Dir::S2c] {
            let mut part = part(Some(dir));
            direction(&mut part, number, connection.direction(dir), expected.direction(dir));
            for rule in &rules {
                direction_rule(&mut part, rule, (number, dir, main == Some(dir)), connection, expected);
            }
            for rule in &expected.direction(dir).own.rules {
                direction_rule(&mut part, rule, (number, dir, true), connection, expected);
            }
            self.push(part);
        }
    }

    /// A rule that no connection was fit for has proven nothing, which must not pass for success.
    fn untested(&mut self, subject: &Subject) {
        let carries_data = subject.connections.values().any(|connection| connection.main().is_some());
        let mut part = CheckedPart::default();
        for rule in &self.common {
            let Ask::Bound(bound) = &rule.ask else { continue };
            let fit = match (bound.part, bound.which) {
                (Part::Direction, Which::Main) => carries_data,
                _ => !subject.connections.is_empty(),
            };
            if !fit {
                part.checked += 1;
                part.breaches.push(broken(
                    rule,
                    bound,
                    None,
                    "nothing: no connection carries data",
                    Look::Capture,
                ));
            }
        }
        self.push(part);
    }
}

fn values<'e>(
    part: &mut CheckedPart,
    fields: &Fields,
    expected: impl IntoIterator<Item = (&'e String, &'e Expected)>,
    look: impl Fn(&str) -> Look,
) {
    for (name, expected) in expected {
        part.checked += 1;
        let got = match fields.get(name) {
            Some(got) => got.as_ref(),
            // A record that was not passed over was passed over no times.
            None => Some(&Value::Int(0)),
        };
        if got.is_some_and(|got| expected.tolerance.allows(&expected.value, got)) {
            continue;
        }
        let unit = Unit::of(name);
        part.breaches.push(Breach {
            field: name.clone(),
            expected_words: format!("{} {}", unit.show_value(&expected.value), expected.tolerance),
            got_words: got.map_or_else(|| "unknown".to_owned(), |got| unit.show_value(got)),
            expected: Some(expected.value.clone()),
            got: got.cloned(),
            tolerance: expected.tolerance.to_string(),
            rule: None,
            line: Some(expected.line),
            look: look(name),
        });
    }
}

fn direction(part: &mut CheckedPart, number: u64, direction: &Direction, expected: &DirectionBaseline) {
    values(part, &direction.fields, &expected.own.values, |name| look::at_field(name, number, direction));
    if expected.verdicts.is_some() {
        verdicts(part, number, direction, expected, None);
    }
}

/// A rule on one direction; `place` is connection, direction, and whether a rule that names no direction is about it.
fn direction_rule(
    part: &mut CheckedPart,
    rule: &Rule,
    place: (u64, Dir, bool),
    connection: &Connection,
    expected: &ConnectionBaseline,
) {
    let (number, dir, is_meant) = place;
    let direction = connection.direction(dir);
    match &rule.ask {
        Ask::Verdicts if expected.direction(dir).verdicts.is_none() => {
            verdicts(part, number, direction, expected.direction(dir), Some(rule));
        }
        Ask::Bound(bound) if bound.part == Part::Direction => {
            let applies = match bound.which {
                Which::Main => is_meant,
                Which::Only(only) => only == dir,
                Which::Both => true,
            };
            if applies {
                self::bound(part, rule, bound, &direction.fields, |name| {
                    look::at_field(name, number, direction)
                });
            }
        }
        // A table of counts was compared already, and a connection's rule is about no direction.
        Ask::Verdicts | Ask::Bound(_) => {}
    }
}

/// The counts of every sort; those that the baseline does not list are 0.
fn verdicts(
    part: &mut CheckedPart,
    number: u64,
    direction: &Direction,
    expected: &DirectionBaseline,
    rule: Option<&Rule>,
) {
    let none = std::collections::BTreeMap::new();
    let listed = expected.verdicts.as_ref().unwrap_or(&none);
    let line = rule.map_or(expected.own.line, |rule| rule.line);
    let got = |name: &str| {
        direction.verdicts.iter().find(|(sort, _)| sort.name == name).map_or(0, |(_, tally)| tally.count)
    };
    let seen = direction.verdicts.keys().map(|sort| sort.name.as_str());
    let names: std::collections::BTreeSet<&str> = listed.keys().map(String::as_str).chain(seen).collect();
    // That there are none is checked too.
    part.checked += names.len().max(1);
    for name in names {
        let (wanted, line) = listed.get(name).map_or((0, line), |(count, line)| (*count, Some(*line)));
        let got = got(name);
        if wanted == got {
            continue;
        }
        let value = |count: u64| i64::try_from(count).ok().map(Value::Int);
        part.breaches.push(Breach {
            field: format!("verdicts.{name}"),
            expected_words: format!("{} exactly", crate::human::count(wanted)),
            got_words: crate::human::count(got),
            expected: value(wanted),
            got: value(got),
            tolerance: "exactly".to_owned(),
            rule: rule.map(|rule| rule.text.clone()),
            line,
            look: look::at_sort(name, number, direction),
        });
    }
}

fn bound(part: &mut CheckedPart, rule: &Rule, bound: &Bound, fields: &Fields, look: impl Fn(&str) -> Look) {
    part.checked += 1;
    let got = fields.get(&bound.field).and_then(Option::as_ref);
    match got.and_then(Value::number) {
        Some(number) if !bound.is_broken_by(number) => {}
        Some(_) => {
            let words = got.map(|got| Unit::of(&bound.field).show_value(got)).unwrap_or_default();
            part.breaches.push(broken(rule, bound, got, &words, look(&bound.field)));
        }
        None => part.breaches.push(broken(rule, bound, None, "unknown", look(&bound.field))),
    }
}

fn broken(rule: &Rule, bound: &Bound, got: Option<&Value>, got_words: &str, look: Look) -> Breach {
    Breach {
        field: bound.field.clone(),
        expected_words: bound.words(),
        got_words: got_words.to_owned(),
        expected: Some(Value::Float(bound.limit)),
        got: got.cloned(),
        tolerance: if bound.is_max { "at most".to_owned() } else { "at least".to_owned() },
        rule: Some(rule.text.clone()),
        line: rule.line,
        look,
    }
}
