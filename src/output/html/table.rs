//! A table that the page's script sorts and filters; without a script it is a table all the same.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::markup::html;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name in filters, such as `lost`.
    pub key: &'static str,
    /// Its heading.
    pub heading: &'static str,
    /// What it says, where the pointer rests.
    pub about: &'static str,
    /// Numbers stand to the right and are sorted by size, the largest first.
    pub number: bool,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What is shown, no markup yet.
    pub text: String,
    /// What it is sorted by, if it is a number; `None` for unknown, which is last in either order.
    pub value: Option<f64>,
    /// A link's target, for the cell that leads on; it is written by the program and no text of a capture.
    pub link: Option<String>,
}

impl Cell {
    /// A word.
    pub fn word(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None, link: None }
    }

    /// A number as it is shown; `–` where there is none.
    pub fn number(value: Option<f64>, show: impl FnOnce(f64) -> String) -> Self {
        let value = value.filter(|value| value.is_finite());
        Self { text: value.map_or_else(|| "–".to_owned(), show), value, link: None }
    }
}

/// Writes a table's head. The rows come in order of the column `sorted`: numbers the largest first, words from A on.
pub fn begin(out: &mut dyn Write, caption: &str, columns: &[Column], sorted: &str) -> io::Result<()> {
    write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table class=\"sortable\">\n\
         <caption>{0}</caption>\n<thead><tr>",
        html(caption)
    )?;
    for column in columns {
        let class = if column.number { " class=\"n\"" } else { "" };
        let sort = match (column.key == sorted, column.number) {
            (true, true) => " aria-sort=\"descending\"",
            (true, false) => " aria-sort=\"ascending\"",
            (false, _) => "",
        };
        write!(
            out,
            "<th scope=\"col\" data-key=\"{}\"{class}{sort} title=\"{}\">{}</th>",
            html(column.key),
            html(column.about),
            html(column.heading)
        )?;
    }
    writeln!(out, "</tr></thead>\n<tbody>")
}

/// One row as markup, the first cell its head.
pub fn row(columns: &[Column], cells: &[Cell]) -> String {
    let mut out = String::from("<tr>");
    for (place, (column, cell)) in columns.iter().zip(cells).enumerate() {
        let text = html(&cell.text);
        let text = match &cell.link {
            Some(link) => format!("<a href=\"{}\">{text}</a>", html(link)),
            None => text,
        };
        let tag = if place == 0 { "th scope=\"row\"" } else { "td" };
        let _ = match (column.number, cell.value) {
            (true, Some(value)) => write!(out, "<{tag} class=\"n\" data-v=\"{value}\">{text}"),
            (true, None) => write!(out, "<{tag} class=\"n\" data-v=\"\">{text}"),
            (false, _) => write!(out, "<{tag}>{text}"),
        };
        out.push_str(if place == 0 { "</th>" } else { "</td>" });
    }
    out.push_str("</tr>\n");
    out
}

/// Ends it.
pub fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</tbody>\n</table>\n</div>")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column { key: "name", heading: "name", about: "whose", number: false },
        Column { key: "lost", heading: "lost", about: "packets", number: true },
    ];

    #[test]
    fn numbers_carry_what_they_are_sorted_by_and_words_are_no_markup() {
        let cells = [Cell::word("<b>eth0</b>"), Cell::number(Some(1_234.5), |v| format!("{v:.0}"))];
        assert_eq!(
            row(COLUMNS, &cells),
            "<tr><th scope=\"row\">&lt;b&gt;eth0&lt;/b&gt;</th><td class=\"n\" data-v=\"1234.5\">1234</td></tr>\n"
        );
        assert!(
            row(COLUMNS, &[Cell::word("a"), Cell::number(None, |v| v.to_string())])
                .contains("data-v=\"\">–<")
        );
        assert_eq!(Cell::number(Some(f64::NAN), |v| v.to_string()).value, None);
    }
}
