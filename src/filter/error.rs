//! What is wrong with a filter expression, and where.

use std::fmt;

/// A filter that could not be read. `Display` shows the expression with a caret below the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FilterError {
    message: String,
    expression: String,
    column: usize,
}

impl FilterError {
    /// `offset` is the byte of `expression` at which `message` applies.
    pub(super) fn new(expression: &str, offset: usize, message: impl Into<String>) -> Self {
        let column = expression.char_indices().take_while(|(at, _)| *at < offset).count();
        // One column per character, and nothing that a terminal would act on.
        let expression = expression.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { message: message.into(), expression, column }
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where, as a count of characters from 1.
    pub const fn column(&self) -> usize {
        self.column + 1
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "filter, column {}: {}", self.column(), self.message)?;
        writeln!(f, "  {}", self.expression)?;
        write!(f, "  {:>width$}", '^', width = self.column + 1)
    }
}
