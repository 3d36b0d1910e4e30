//! What values are compared with what: by algorithm, connection, file, or any column of the input.

use std::fmt;
use std::str::FromStr;

use super::error::CompareError;
use super::sample::Sample;

/// One thing to group by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The name it goes by in reports.
    name: String,
    /// The labels that hold it; the first that a value has counts.
    labels: Vec<String>,
}

/// The names with a meaning of their own, and the labels that they read.
pub const NAMED: &[(&str, &[&str])] = &[
    ("cc", &["cc", "cc_identified"]),
    ("connection", &["connection"]),
    ("file", &["file"]),
    ("dir", &["dir"]),
];

impl By {
    /// The name it goes by in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What group a value falls into; `None` where the input does not say.
    ///
    /// A file goes by its last part, so that `before/a.json` meets `after/a.json`.
    pub fn of<'a>(&self, sample: &'a Sample) -> Option<&'a str> {
        let value = self.labels.iter().find_map(|label| sample.label(label))?;
        Some(if self.name == "file" { value.rsplit(['/', '\\']).next().unwrap_or(value) } else { value })
    }
}

impl FromStr for By {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Self, CompareError> {
        if let Some(column) = text.strip_prefix("column:").filter(|column| !column.is_empty()) {
            return Ok(Self { name: column.into(), labels: vec![column.into()] });
        }
        let row = NAMED.iter().find(|(name, _)| *name == text);
        row.map(|(name, labels)| Self {
            name: (*name).into(),
            labels: labels.iter().map(|label| (*label).into()).collect(),
        })
        .ok_or_else(|| {
            let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
            CompareError::Argument(format!(
                "cannot group by {text:?}: expected {} or column:NAME",
                names.join(", ")
            ))
        })
    }
}

/// Which rows of an input count: `column=value`, all of them to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(Vec<(String, String)>);

impl Selection {
    /// Whether a value's row is selected.
    pub fn takes(&self, sample: &Sample) -> bool {
        self.0.iter().all(|(column, value)| sample.label(column) == Some(value))
    }
}

impl Selection {
    /// The columns it looks at.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(column, _)| column.as_str())
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (column, value)) in self.0.iter().enumerate() {
            write!(f, "{}{column}={value}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl FromStr for Selection {
    type Err = CompareError;

    fn from_str(text: &str) -> Result<Self, CompareError> {
        let pair = |part: &str| match part.split_once('=') {
            Some((column, value)) if !column.is_empty() => Ok((column.to_owned(), value.to_owned())),
            _ => Err(CompareError::Argument(format!("selection {part:?}: expected column=value"))),
        };
        text.split(',').map(pair).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compare::sample::{Kind, Labels, Observation};

    fn sample() -> Sample {
        let labels: Labels =
            [("cc_identified", "cubic"), ("queues", "4")].map(|(k, v)| (k.into(), v.into())).into();
        Sample {
            metric: "x".into(),
            observation: Observation::Value(1.0),
            kind: Kind::Run,
            file: "before/a.json".into(),
            source: "before/a.json:queues=4".into(),
            labels: Arc::new(labels),
        }
    }

    #[test]
    fn values_are_grouped_by_what_the_input_says() {
        let of = |by: &str| by.parse::<By>().unwrap().of(&sample()).map(str::to_owned);
        assert_eq!(of("cc").as_deref(), Some("cubic"));
        assert_eq!(of("file").as_deref(), Some("a.json"));
        assert_eq!(of("column:queues").as_deref(), Some("4"));
        assert_eq!(of("column:absent"), None);
        assert!("colour".parse::<By>().is_err());
        assert!("column:".parse::<By>().is_err());
    }

    #[test]
    fn a_selection_takes_rows_that_say_all_of_it() {
        let takes = |text: &str| text.parse::<Selection>().unwrap().takes(&sample());
        assert!(takes("queues=4"));
        assert!(takes("queues=4,cc_identified=cubic"));
        assert!(!takes("queues=4,cc_identified=reno"));
        assert!("queues".parse::<Selection>().is_err());
    }
}
