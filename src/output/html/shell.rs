//! The frame of a page: one file with its style and its scripts in it, which fetches nothing.

use std::io::{self, Write};

use super::markup::html;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");

/// What every page can do, each a file that stands alone: the colours, and tables that are sorted and filtered.
const SCRIPTS: &[&str] = &[include_str!("theme.js"), include_str!("table.js")];

/// A page that is being written: its frame up to the body is out, the rest comes with [`Page::finish`].
pub struct Page<'a> {
    out: &'a mut dyn Write,
    rest: String,
}

impl<'a> Page<'a> {
    /// Begins a page. `scripts` are those beside what every page has.
    pub fn start(out: &'a mut dyn Write, title: &str, scripts: &[&str]) -> io::Result<Self> {
        let title = html(title);
        let script: String = SCRIPTS.iter().chain(scripts).copied().collect();
        let (before, after) = PAGE.split_once("{{body}}").unwrap_or((PAGE, ""));
        // The title last: what it says is not looked at again.
        let before = before.replace("{{style}}", STYLE).replace("{{heading}}", "{{title}}");
        out.write_all(before.replace("{{title}}", &title).as_bytes())?;
        Ok(Self { out, rest: after.replace("{{script}}", &script) })
    }

    /// The body, to be written to; what is no markup goes through [`html`].
    pub fn body(&mut self) -> &mut dyn Write {
        self.out
    }

    /// Ends the page.
    pub fn finish(self) -> io::Result<()> {
        self.out.write_all(self.rest.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_its_title_is_text() {
        let mut out = Vec::new();
        let mut page =
            Page::start(&mut out, "</title><script>alert(1)</script>{{body}}", &["own();"]).unwrap();
        page.body().write_all(b"<p>here</p>").unwrap();
        page.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"));
        assert!(text.contains("&lt;/title&gt;&lt;script&gt;alert(1)") && !text.contains("<script>alert"));
        assert!(text.find("<p>here</p>").unwrap() < text.find("own();").unwrap());
        assert!(!text.contains("{{style}}") && !text.contains("{{script}}") && !text.contains("{{heading}}"));
    }

    #[test]
    fn no_page_fetches_anything() {
        for part in [PAGE, STYLE].iter().chain(SCRIPTS) {
            for word in ["http:", "https:", "@import", "url(", "fetch(", "XMLHttpRequest", "import(", "src="]
            {
                assert!(!part.contains(word), "{word}");
            }
        }
    }
}
