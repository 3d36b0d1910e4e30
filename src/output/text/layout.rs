//! Lines of at most 100 columns.

use std::io::{self, Write};

/// Width of the report.
pub(crate) const WIDTH: usize = 100;
/// Where values begin, and so the width of a label with its indent.
pub(super) const LABEL: usize = 28;
/// Width of the column of one direction.
const COLUMN: usize = (WIDTH - LABEL) / 2;
/// Indent of a label.
const INDENT: usize = 4;

/// A label and one value, which is wrapped at words.
pub(super) fn field(out: &mut dyn Write, label: &str, value: &str) -> io::Result<()> {
    let mut label = label;
    for line in wrap(value, WIDTH - LABEL) {
        let gap = LABEL - INDENT;
        writeln!(out, "{:INDENT$}{label:gap$}{line}", "")?;
        label = "";
    }
    Ok(())
}

/// A label and the two directions side by side.
pub(super) fn columns(out: &mut dyn Write, label: &str, left: &str, right: &str) -> io::Result<()> {
    let gap = LABEL - INDENT;
    // A cell that is too long pushes the other, so that no digit is ever lost.
    let line = format!("{:INDENT$}{label:gap$}{left:width$} {right}", "", width = COLUMN - 1);
    writeln!(out, "{}", line.trim_end())
}

/// Text wrapped at words, each line indented, the following ones by two more.
pub(super) fn paragraph(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    let mut hanging = indent;
    for line in wrap(text, WIDTH - indent - 2) {
        writeln!(out, "{:hanging$}{line}", "")?;
        hanging = indent + 2;
    }
    Ok(())
}

/// Lines of at most `width` characters, broken at spaces; a longer word is broken where it must be.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if used > 0 && used + 1 + len > width {
            lines.push(String::new());
            used = 0;
        }
        if used > 0 {
            last(&mut lines).push(' ');
            used += 1;
        }
        for c in word.chars() {
            if used == width {
                lines.push(String::new());
                used = 0;
            }
            last(&mut lines).push(c);
            used += 1;
        }
    }
    lines
}

fn last(lines: &mut [String]) -> &mut String {
    lines.last_mut().expect("begins with one line and only grows")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_kept_whole_where_they_fit() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("", 4), [""]);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_character_lost(text in "[a-z ]{0,200}", width in 1_usize..50) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
            let letters = |text: &str| text.replace(' ', "");
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
