//! Names in a dataset: `TABLE/source=TRACE/part-HASH.parquet` and `_done/TRACE.json`.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

/// The folder of the records.
pub const DONE: &str = "_done";

/// The folder of what is not finished.
pub const SCRATCH: &str = "_tmp";

/// Longest name of a trace as it stands in paths: file systems allow 255 bytes for `source=`, the name and `.json`.
const LONGEST: usize = 200;

/// A trace's name as it stands in paths: letters, digits, `.`, `_` and `-` are themselves, other bytes are `%2F`, as Hive writes them.
/// What is too long ends in a hash of the whole.
pub fn encoded(trace: &str) -> String {
    let mut text = String::with_capacity(trace.len());
    for byte in trace.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') {
            text.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    if text.len() > LONGEST {
        text.truncate(LONGEST - 17);
        let end = text.rfind('%').filter(|at| at + 3 > text.len()).unwrap_or(text.len());
        text.truncate(end);
        let _ = write!(text, "-{:016x}", xxh3_64(trace.as_bytes()));
    }
    text
}

/// The folder of a trace's part of a table.
pub fn folder(table: &str, trace: &str) -> String {
    format!("{table}/source={}", encoded(trace))
}

/// A part.
pub fn part(table: &str, trace: &str, hash: &str) -> String {
    format!("{}/part-{hash}.parquet", folder(table, trace))
}

/// The record of a trace.
pub fn done(trace: &str) -> String {
    format!("{DONE}/{}.json", encoded(trace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_paths_and_stay_different() {
        assert_eq!(part("rtt", "web1/eth0.pcap", "00ff"), "rtt/source=web1%2Feth0.pcap/part-00ff.parquet");
        assert_eq!(encoded("../ü=%"), "..%2F%C3%BC%3D%25");
        let long = encoded(&"ü".repeat(500));
        assert!(long.len() <= LONGEST && long.starts_with("%C3%BC"), "{long}");
        assert_ne!(long, encoded(&"ü".repeat(501)));
    }
}
