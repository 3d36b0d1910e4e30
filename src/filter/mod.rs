//! The everyday words of pcap-filter(7), applied to segments.
//!
//! Understood: `host`, `net` (prefix length, `mask`, or the short forms `10` and `192.168`), `port`, `portrange`, each
//! with `src`, `dst`, `src or dst`, `src and dst` and with `tcp`, `ip` or `ip6` before it; `len`, `less`, `greater`;
//! `and`, `or`, `not` (`&&`, `||`, `!`), parentheses, and value lists such as `port 80 or 443`. As in pcap-filter,
//! `not` binds tightest and `and` and `or` are equal and taken from left to right. A bare address means `host`.
//!
//! Names are not looked up, and link-layer words and byte offsets are not understood; the error says so.

mod error;
mod expr;
mod lexer;
mod parser;
mod value;

pub use error::FilterError;

use crate::decode::Segment;

/// A parsed filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// `None` for the empty expression, which passes everything.
    root: Option<expr::Expr>,
}

impl Filter {
    /// Reads an expression; an empty one passes everything, as in pcap-filter.
    ///
    /// # Errors
    /// With the column, if the expression is malformed or uses a word that is not understood here.
    pub fn parse(expression: &str) -> Result<Self, FilterError> {
        let tokens = lexer::tokens(expression)?;
        let root = parser::Parser::new(expression, &tokens).parse()?;
        Ok(Self { root })
    }

    /// Whether the segment passes.
    pub fn matches(&self, segment: &Segment<'_>) -> bool {
        self.root.as_ref().is_none_or(|root| root.matches(segment))
    }
}

#[cfg(test)]
mod tests;
