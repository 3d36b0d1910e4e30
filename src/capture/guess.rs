//! What a file is that is no capture, from its first bytes: for the error message only.

use std::fmt::Write as _;

/// First bytes and what they are those of.
const KNOWN: [(&[u8], &str); 27] = [
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\x89PNG", "a PNG image"),
    (b"GIF8", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (b"Rar!", "a RAR archive: unpack it first"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
    (b"GMBU", "a Network Monitor capture: editcap turns it into pcapng"),
    (b"RTSS", "a Network Monitor 1 capture: editcap turns it into pcapng"),
    (b"TRSNIFF data", "a Sniffer capture: editcap turns it into pcapng"),
    (b"XCP\0", "a NetXRay capture: editcap turns it into pcapng"),
    (b"\x0a\x0a\x0a\x0a", "perhaps a pcapng file that was transferred as text"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"#!", "a script"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<", "XML or HTML"),
    (b"{", "JSON, or other text"),
    (b"[", "JSON, or other text"),
];

/// Bytes that are shown.
const SHOWN: usize = 8;

/// "it begins with 7f 45 4c 46 02 01 01 00 (an ELF program)".
pub(super) fn describe(head: &[u8]) -> String {
    let mut text = format!("it begins with {}", hex(&head[..head.len().min(SHOWN)]));
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let known = KNOWN.iter().find(|(first, _)| head.starts_with(first)).map(|row| row.1);
    let tar = head.get(257..262) == Some(b"ustar");
    let what = known
        .or_else(|| tar.then_some("a tar archive: unpack it first"))
        .or_else(|| (!head.is_empty() && head.iter().take(256).all(is_text)).then_some("text"));
    if let Some(what) = what {
        let _ = write!(text, " ({what})");
    }
    text
}

/// Bytes as pairs of hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_files_are_named() {
        assert_eq!(
            describe(b"\x7fELF\x02\x01\x01\0\0\0\0"),
            "it begins with 7f 45 4c 46 02 01 01 00 (an ELF program)"
        );
        assert_eq!(describe(b"{\"a\": 1}"), "it begins with 7b 22 61 22 3a 20 31 7d (JSON, or other text)");
        assert_eq!(describe(b"No."), "it begins with 4e 6f 2e (text)");
        assert_eq!(describe(&[1, 2, 3]), "it begins with 01 02 03");
    }
}
