//! A filter expression to words and signs.

use super::FilterError;

/// What a token is; words keep their text in [`Token::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword, number or address.
    Word,
    /// `and` or `&&`.
    And,
    /// `or` or `||`.
    Or,
    /// `not` or `!`.
    Not,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `/`, before a prefix length.
    Slash,
    /// `>`, `>=`, `<`, `<=`, `=`, `==` or `!=`.
    Relation,
}

/// One token and the byte it begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

/// Signs, the longer before the shorter that begin them.
const SIGNS: &[(&str, Kind)] = &[
    ("&&", Kind::And),
    ("||", Kind::Or),
    (">=", Kind::Relation),
    ("<=", Kind::Relation),
    ("==", Kind::Relation),
    ("!=", Kind::Relation),
    (">", Kind::Relation),
    ("<", Kind::Relation),
    ("=", Kind::Relation),
    ("!", Kind::Not),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("/", Kind::Slash),
];

/// Splits `expression`; the rest of the work is linear in the number of tokens.
pub(super) fn tokens(expression: &str) -> Result<Vec<Token<'_>>, FilterError> {
    let mut found = Vec::new();
    let mut offset = 0;
    while let Some(c) = expression[offset..].chars().next() {
        let rest = &expression[offset..];
        if c.is_ascii_whitespace() {
            offset += 1;
            continue;
        }
        let (kind, text) = if let Some((sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (*kind, &rest[..sign.len()])
        } else {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            match word {
                "" => return Err(FilterError::new(expression, offset, unexpected(c))),
                "and" => (Kind::And, word),
                "or" => (Kind::Or, word),
                "not" => (Kind::Not, word),
                _ => (Kind::Word, word),
            }
        };
        found.push(Token { kind, text, offset });
        offset += text.len();
    }
    Ok(found)
}

/// Characters of keywords, numbers, host names, IPv4 and IPv6 addresses and port ranges.
const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_')
}

fn unexpected(c: char) -> String {
    match c {
        '[' | ']' => "byte offsets such as tcp[13] are not understood".to_owned(),
        '&' | '|' => format!("a single `{c}` is not understood; \"and\" is &&, \"or\" is ||"),
        '+' | '*' | '%' | '^' => format!("arithmetic (`{c}`) is not understood"),
        _ => format!("unexpected character `{}`", c.escape_default()),
    }
}
