//! What names of captures end in. What a file is, its first bytes tell; its name only, whether it is worth a look.

use super::compression::COMPRESSIONS;
use super::format::FORMATS;

/// Whether the name of a file, of a compressed one too, ends as those of captures do.
pub fn has_capture_name(file: &str) -> bool {
    match without_compression(file) {
        plain if plain.len() < file.len() => has_capture_name(plain),
        plain => plain.rsplit_once('.').is_some_and(|(_, end)| is_capture_ending(end)),
    }
}

/// Whether names of captures end in `.end`.
pub fn is_capture_ending(end: &str) -> bool {
    FORMATS.iter().flat_map(|row| row.endings).any(|ending| ending.eq_ignore_ascii_case(end))
}

/// The name without the ending of a compression.
pub fn without_compression(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((plain, end)) if COMPRESSIONS.iter().any(|row| row.ending.eq_ignore_ascii_case(end)) => plain,
        _ => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_known_by_their_ends() {
        for name in
            ["a.pcap", "a.b.PCAPNG", "a.pcap.zst", "a.cap.GZ", "a.snoop", "a.erf.xz", "a.dmp", "a.pcap.gz.xz"]
        {
            assert!(has_capture_name(name), "{name}");
        }
        for name in
            ["pcap", "a.pcap.baseline.toml", "a.txt", "a.zst", "a.pcap.txt.gz", "README.md", "", ".gz"]
        {
            assert!(!has_capture_name(name), "{name}");
        }
    }
}
