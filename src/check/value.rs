//! What a field of a report or a baseline says.

use std::fmt;

/// One value. What is not known is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count, or a time in whole units.
    Int(i64),
    /// A measure in the unit of its field's name.
    Float(f64),
    /// A word, such as a state.
    Text(String),
    /// Yes or no.
    Bool(bool),
}

impl Value {
    /// As a number; `None` for words.
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            Self::Text(_) | Self::Bool(_) => None,
        }
    }

    /// From JSON; `None` for null and what is more than one value.
    pub fn from_json(json: &serde_json::Value) -> Option<Self> {
        match json {
            serde_json::Value::Number(number) => number
                .as_i64()
                .map(Self::Int)
                .or_else(|| number.as_f64().filter(|number| number.is_finite()).map(Self::Float)),
            serde_json::Value::String(text) => Some(Self::Text(text.clone())),
            serde_json::Value::Bool(bool) => Some(Self::Bool(*bool)),
            _ => None,
        }
    }

    /// Its type in words, for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::Bool(_) => "true or false",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Bool(bool) => write!(f, "{bool}"),
        }
    }
}
