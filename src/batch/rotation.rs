//! The name of a ring of files: what its files have in common, as tcpdump, dumpcap and logrotate number them.
//!
//! `name_00007_20260302091407.pcapng` and `name_20260302091407_00007.pcapng` (dumpcap), `name_00007.pcap`, `name.pcap7` (tcpdump -C),
//! `name.pcap.7.gz` (logrotate), and `name-2026-03-02_09:14:07.pcap`, `name-20260302T091407Z.pcap`, `name_1772442847.pcap` (tcpdump -G).

use crate::capture::{has_capture_name, is_capture_ending, without_compression};

/// Whether a file has the name of a capture: if it is none, that is worth to be told.
pub(super) fn is_capture_name(file: &str) -> bool {
    has_capture_name(file) || behind_the_ending(without_compression(file)).is_some()
}

/// The name of the ring that a file is of; a file of none has its own name.
pub(super) fn ring(file: &str) -> String {
    let plain = without_compression(file);
    // What is rotated is compressed later than it is named, so the compression is no part of a ring's name.
    if let Some(numbered) = behind_the_ending(plain) {
        return numbered.to_owned();
    }
    let ending = plain.rsplit_once('.').filter(|(_, end)| is_capture_ending(end));
    match ending.and_then(|(stem, end)| Some((before_the_ending(stem)?, end))) {
        Some(("", end)) => format!("ring.{end}"),
        Some((kept, end)) => format!("{kept}.{end}"),
        None => file.to_owned(),
    }
}

/// `a.pcap` of `a.pcap7` and of `a.pcap.7`.
fn behind_the_ending(name: &str) -> Option<&str> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - bare.len();
    let bare = bare.strip_suffix('.').unwrap_or(bare);
    let is_capture = bare.rsplit_once('.').is_some_and(|(_, end)| is_capture_ending(end));
    ((1..=6).contains(&digits) && is_capture).then_some(bare)
}

/// What stands before the number or time at the end of a name; `None` without either.
fn before_the_ending(stem: &str) -> Option<&str> {
    let zone = stem.strip_suffix('Z').unwrap_or(stem);
    SHAPES.iter().find_map(|shape| {
        let kept = before(zone, shape)?;
        Some(kept.strip_suffix(['-', '_', '.']).unwrap_or(kept))
    })
}

/// Ends of names: `9` is a digit, `-` one of `-_.:T` or nothing, anything else itself. The longest first.
const SHAPES: &[&str] = &[
    "_99999_99999999999999",
    "_99999999999999_99999",
    "9999=99=99-99-99-99",
    "99999999-999999",
    "99999999999999",
    "9999=99=99-99-99",
    "99999999=9999",
    "_1999999999",
    "-1999999999",
    "_99999",
];

/// The text before an end of that shape.
fn before<'a>(text: &'a str, shape: &str) -> Option<&'a str> {
    let mut rest = text;
    for (at, wanted) in shape.char_indices().rev() {
        let last = rest.chars().next_back();
        rest = match wanted {
            '9' => rest.strip_suffix(|c: char| c.is_ascii_digit())?,
            '=' => rest.strip_suffix(['-', '_', '.', 'T'])?,
            '-' if at > 0 => match last {
                Some('-' | '_' | '.' | ':' | 'T') => &rest[..rest.len() - 1],
                _ => rest,
            },
            exact => rest.strip_suffix(exact)?,
        };
    }
    // A longer number is another thing.
    (!rest.ends_with(|c: char| c.is_ascii_digit()) || shape.starts_with(['_', '-'])).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_write_is_one_ring() {
        for (file, name) in [
            ("eth0_00001_20260302091407.pcapng", "eth0.pcapng"),
            ("eth0_00123_20260302101407.pcapng.gz", "eth0.pcapng"),
            ("eth0_20260302091407_00001.pcapng", "eth0.pcapng"),
            ("ring_00007.pcapng", "ring.pcapng"),
            ("dump.pcap", "dump.pcap"),
            ("dump.pcap1", "dump.pcap"),
            ("dump.pcap00", "dump.pcap"),
            ("dump.pcap.3", "dump.pcap"),
            ("dump.pcap.12.gz", "dump.pcap"),
            ("web1-2026-03-02_09:14:07.pcap", "web1.pcap"),
            ("web1-2026-03-02-091407.pcap.zst", "web1.pcap"),
            ("web1_20260302-091407.pcap", "web1.pcap"),
            ("web1.20260302T091407Z.pcap", "web1.pcap"),
            ("web1_1772442847.pcap", "web1.pcap"),
            ("20260302091407.pcap", "ring.pcap"),
            ("20260302-0914.pcap", "ring.pcap"),
        ] {
            assert_eq!(ring(file), name, "{file}");
        }
    }

    #[test]
    fn other_numbers_are_part_of_the_name() {
        for file in [
            "latency1.pcapng",
            "be_test002.pcapng",
            "geneve-47101.pcap",
            "bug-5437-02_input.pcap",
            "SF20_Trace1.pcapng",
            "10.0.0.1.pcap",
            "loss-rate-0.05.pcap.gz",
            "host-2026.pcap",
            "http.pcap.gz",
            "capture1234567890.pcap",
            "tcp-ethereal-file1.trace",
        ] {
            assert_eq!(ring(file), file);
        }
    }
}
