//! A list of captures: a path, pattern or URL a line, or separated by NUL as `find -print0` does it.

use std::borrow::Cow;
use std::ffi::OsStr;

/// The entries. Blank lines and, in lists with lines, those that begin with `#` are none.
pub(super) fn entries(text: &[u8]) -> impl Iterator<Item = Cow<'_, OsStr>> {
    let by_nul = text.contains(&0);
    let end = if by_nul { 0 } else { b'\n' };
    text.split(move |byte| *byte == end)
        .map(move |entry| if by_nul { entry } else { entry.strip_suffix(b"\r").unwrap_or(entry) })
        .filter(move |entry| {
            !entry.is_empty() && (by_nul || !(entry.starts_with(b"#") || entry.trim_ascii().is_empty()))
        })
        .map(name)
}

/// Names are bytes of any coding.
#[cfg(unix)]
fn name(entry: &[u8]) -> Cow<'_, OsStr> {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(entry).into()
}

/// Names are text.
#[cfg(not(unix))]
fn name(entry: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(entry) {
        Cow::Borrowed(text) => OsStr::new(text).into(),
        Cow::Owned(text) => std::ffi::OsString::from(text).into(),
    }
}
