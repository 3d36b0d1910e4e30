//! Writes what a capture says into its baseline, and leaves what was written by hand: rules, tolerances, comments, order, the
//! choice of fields, and values that the capture still agrees with.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value as TomlValue};

use super::baseline::{Baseline, Expectations, SCHEMA};
use super::field::{Fields, STOCK_CAPTURE, STOCK_CONNECTION, STOCK_DIRECTION};
use super::result::Problem;
use super::rule::{Ask, Rule};
use super::subject::{Connection, Direction, Subject};
use super::unit::nine_digits;
use super::value::Value;
use crate::report::Dir;

/// A baseline that was written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blessed {
    /// Its text.
    pub text: String,
    /// How many values were changed, added or taken out.
    pub changes: usize,
}

/// Writes the baseline of `name`, from the one there is.
///
/// # Errors
///
/// Everything that is wrong with the one there is: what cannot be read is not overwritten.
pub fn bless(old: Option<&str>, name: &str, subject: &Subject) -> Result<Blessed, Vec<Problem>> {
    let text = old.map_or_else(|| stock(name), str::to_owned);
    let baseline = Baseline::parse(&text)?;
    let mut document: DocumentMut =
        text.parse().map_err(|error| vec![Problem::new(format!("not TOML: {error}"))])?;
    let mut writer = Writer { changes: 0 };
    writer.capture(document.as_table_mut(), subject, &baseline);
    writer.connections(document.as_table_mut(), subject, &baseline);
    Ok(Blessed { text: document.to_string(), changes: writer.changes })
}

/// The beginning of a new baseline.
fn stock(name: &str) -> String {
    format!(
        "# What `tcptrace-rs check` expects of {}. `--bless` writes the numbers anew where they are\n\
         # not met; rules, tolerances, comments and the choice of fields are yours and stay.\n\
         schema = \"{SCHEMA}\"\n\
         rules = [\"verdicts exact\"]\n",
        crate::output::escape(name)
    )
}

struct Writer {
    changes: usize,
}

impl Writer {
    fn capture(&mut self, root: &mut Table, subject: &Subject, baseline: &Baseline) {
        if root.contains_key("capture") {
            self.update(root.get_mut("capture"), &subject.capture, &baseline.capture);
            return;
        }
        let passed_over = subject
            .capture
            .iter()
            .filter(|(name, value)| name.starts_with("skipped") && **value != Some(Value::Int(0)));
        let names: BTreeSet<&str> =
            STOCK_CAPTURE.iter().copied().chain(passed_over.map(|(name, _)| name.as_str())).collect();
        let table = self.new_table(&subject.capture, names);
        root.insert("capture", Item::Table(table));
    }

    fn connections(&mut self, root: &mut Table, subject: &Subject, baseline: &Baseline) {
        if subject.connections.is_empty() && !root.contains_key("connection") {
            return;
        }
        let all = root.entry("connection").or_insert_with(|| Item::Table(implicit()));
        let Some(all) = all.as_table_like_mut() else { return };
        for number in baseline.connections.keys().filter(|number| !subject.connections.contains_key(number)) {
            all.remove(&number.to_string());
            self.changes += 1;
        }
        for (number, connection) in &subject.connections {
            let key = number.to_string();
            let counted = |dir| counts_verdicts(baseline, *number, dir);
            if let (Some(item), Some(expected)) = (all.get_mut(&key), baseline.connections.get(number)) {
                self.update(Some(item), &connection.fields, &expected.whole);
                let Some(table) = item.as_table_like_mut() else { continue };
                for dir in [Dir::C2s, Dir::S2c] {
                    let direction = connection.direction(dir);
                    self.update(table.get_mut(dir.name()), &direction.fields, &expected.direction(dir).own);
                    self.verdicts(table, dir, direction, counted(dir));
                }
            } else {
                let table = self.new_connection(connection, counted);
                all.insert(&key, Item::Table(table));
            }
        }
    }

    fn new_connection(&mut self, connection: &Connection, counted: impl Fn(Dir) -> bool) -> Table {
        let mut table = self.new_table(&connection.fields, STOCK_CONNECTION.iter().copied());
        for dir in [Dir::C2s, Dir::S2c] {
            let direction = connection.direction(dir);
            let own = self.new_table(&direction.fields, STOCK_DIRECTION.iter().copied());
            table.insert(dir.name(), Item::Table(own));
            self.verdicts(&mut table, dir, direction, counted(dir));
        }
        table
    }

    /// A table of those fields whose value is known.
    fn new_table<'n>(&mut self, fields: &Fields, names: impl IntoIterator<Item = &'n str>) -> Table {
        let mut table = Table::new();
        for name in names {
            let Some(Some(value)) = fields.get(name) else { continue };
            let (place, key) = match name.split_once('.') {
                Some((object, key)) => {
                    let inside = table.entry(object).or_insert_with(|| {
                        let mut dotted = Table::new();
                        dotted.set_dotted(true);
                        Item::Table(dotted)
                    });
                    let Some(inside) = inside.as_table_mut() else { continue };
                    (inside, key)
                }
                None => (&mut table, name),
            };
            place.insert(key, Item::Value(toml(value)));
            self.changes += 1;
        }
        table
    }

    /// Writes anew what the capture does not agree with.
    fn update(&mut self, item: Option<&mut Item>, fields: &Fields, expected: &Expectations) {
        let Some(table) = item.and_then(Item::as_table_like_mut) else { return };
        for (name, expected) in &expected.values {
            let got = match fields.get(name) {
                Some(got) => got.clone(),
                None => Some(Value::Int(0)),
            };
            if got.as_ref().is_some_and(|got| expected.tolerance.allows(&expected.value, got)) {
                continue;
            }
            self.changes += 1;
            set(table, name, got.as_ref());
        }
    }

    /// The counts of a direction, where they are compared.
    fn verdicts(&mut self, connection: &mut dyn TableLike, dir: Dir, direction: &Direction, counted: bool) {
        let listed = connection.get(dir.name()).and_then(|item| item.get("verdicts")).is_some();
        if !listed && (!counted || direction.verdicts.is_empty()) {
            return;
        }
        let own = connection.entry(dir.name()).or_insert_with(|| Item::Table(implicit()));
        let Some(own) = own.as_table_like_mut() else { return };
        let table = own.entry("verdicts").or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = table.as_table_like_mut() else { return };
        let old: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
        for key in old.iter().filter(|key| !direction.verdicts.keys().any(|sort| sort.name == **key)) {
            // A count of 0 that was written by hand says what must not be.
            if table.get(key).and_then(Item::as_integer) != Some(0) {
                table.remove(key);
                self.changes += 1;
            }
        }
        for (sort, tally) in &direction.verdicts {
            let count = i64::try_from(tally.count).unwrap_or(i64::MAX);
            if table.get(&sort.name).and_then(Item::as_integer) != Some(count) {
                set(table, &sort.name, Some(&Value::Int(count)));
                self.changes += 1;
            }
        }
        if old.is_empty() {
            table.sort_values();
        }
    }
}

/// Whether a rule asks for the counts of a direction.
fn counts_verdicts(baseline: &Baseline, number: u64, dir: Dir) -> bool {
    let asks = |rules: &[Rule]| rules.iter().any(|rule| rule.ask == Ask::Verdicts);
    asks(&baseline.rules)
        || baseline
            .connections
            .get(&number)
            .is_some_and(|one| asks(&one.whole.rules) || asks(&one.direction(dir).own.rules))
}

/// Puts a value in place of another, and leaves its tolerance and the comment behind it; takes it out where it is unknown.
fn set(table: &mut dyn TableLike, name: &str, value: Option<&Value>) {
    if let Some((object, key)) = name.split_once('.')
        && let Some(inside) = table.get_mut(object).and_then(Item::as_table_like_mut)
    {
        set(inside, key, value);
        return;
    }
    let Some(value) = value else {
        table.remove(name);
        return;
    };
    match table.get_mut(name) {
        Some(Item::Value(TomlValue::InlineTable(inline))) => set_inline(inline, value),
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = toml(value);
            *old.decor_mut() = decor;
        }
        Some(Item::Table(inside)) => _ = inside.insert("value", Item::Value(toml(value))),
        _ => _ = table.insert(name, Item::Value(toml(value))),
    }
}

fn set_inline(inline: &mut InlineTable, value: &Value) {
    let decor = inline.get("value").map(|old| old.decor().clone());
    let mut new = toml(value);
    if let Some(decor) = decor {
        *new.decor_mut() = decor;
    }
    inline.insert("value", new);
}

/// A table that has no heading of its own while it holds nothing but tables.
fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn toml(value: &Value) -> TomlValue {
    match value {
        Value::Int(number) => (*number).into(),
        Value::Float(number) => nine_digits(*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Bool(bool) => (*bool).into(),
    }
}
