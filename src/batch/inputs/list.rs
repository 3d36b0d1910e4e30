//! A list of captures: a path, pattern or URL a line, or separated by NUL as `find -print0` does it.

use std::borrow::Cow;

/// The entries. Blank lines and, in lists with lines, those that begin with `#` are none.
pub(super) fn entries(text: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    let by_nul = text.contains(&0);
    let end = if by_nul { 0 } else { b'\n' };
    text.split(move |byte| *byte == end)
        .map(move |entry| {
            let entry = if by_nul { entry } else { entry.strip_suffix(b"\r").unwrap_or(entry) };
            String::from_utf8_lossy(entry)
        })
        .filter(move |entry| {
            !entry.is_empty() && (by_nul || !(entry.starts_with('#') || entry.trim().is_empty()))
        })
}
