//! What a trace's rows follow from, as one hash: content of the captures, version of the program, options.

use std::fmt::Write as _;
use std::io::{self, Read, Seek, SeekFrom};

use xxhash_rust::xxh3::Xxh3;

use crate::driver::{Options, PredictOptions};
use crate::report::SCHEMA;

/// The program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What of a content is hashed.
struct Sample {
    /// All of it up to this size.
    whole: u64,
    /// Of a larger one this many blocks, evenly spread, the first and the last among them.
    blocks: u64,
    /// Their size.
    block: u64,
}

const SAMPLE: Sample = Sample { whole: 16 << 20, blocks: 64, block: 64 << 10 };

/// The hash of a capture's content of `size` bytes: of all of it, or of blocks of it and its size where it is large. A file that is
/// written in another place, or moved, has the same.
pub fn content(source: &mut (impl Read + Seek), size: u64) -> io::Result<String> {
    sampled(source, size, &SAMPLE)
}

fn sampled(source: &mut (impl Read + Seek), size: u64, sample: &Sample) -> io::Result<String> {
    let mut hash = Xxh3::new();
    hash.update(&size.to_le_bytes());
    let mut block = vec![0; usize::try_from(sample.block).unwrap_or(usize::MAX)];
    if size <= sample.whole {
        loop {
            match source.read(&mut block) {
                Ok(0) => break,
                Ok(count) => hash.update(&block[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    } else {
        for place in 0..sample.blocks {
            let at = u128::from(size - sample.block) * u128::from(place) / u128::from(sample.blocks - 1);
            source.seek(SeekFrom::Start(u64::try_from(at).unwrap_or(u64::MAX)))?;
            source.read_exact(&mut block)?;
            hash.update(&block);
        }
    }
    Ok(hex(&hash))
}

/// The hash that is in the names of a trace's parts: of the version, the options and what [`content`] says of each file.
pub fn of_trace(settings: &str, files: &[(String, String)]) -> String {
    let mut hash = Xxh3::new();
    let mut add = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(SCHEMA);
    add(VERSION);
    add(settings);
    for (name, content) in files {
        add(name);
        add(content);
    }
    hex(&hash)
}

fn hex(hash: &Xxh3) -> String {
    // 64 bits: in a million traces the chance that two are the same is one in thirty million, and only the same trace's are compared.
    format!("{:016x}", hash.digest())
}

/// The options that rows follow from, in words.
pub fn settings(options: &Options, max_expand: Option<u64>) -> String {
    // Taken apart, so that a new option cannot be forgotten here.
    let Options {
        filter,
        from,
        to,
        connection,
        ignore_encap,
        vantages,
        max_connections,
        idle_timeout,
        interval,
        // These change no row.
        hash_seed: _,
        threads: _,
        report_every: _,
        predict,
    } = options;
    let mut text = format!(
        "{filter:?} {from:?} {to:?} {connection:?} {ignore_encap} {vantages:?} {max_connections} {idle_timeout:?} {interval:?} {max_expand:?}"
    );
    if let Some(predict) = predict {
        let PredictOptions { algorithms, used, profile, least_bytes, draws, pool, seed, threads: _ } =
            predict;
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
        let used = used.map(crate::cc::Algorithm::name);
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            " {names:?} {used:?} {:?} {least_bytes:?} {draws} {pool} {seed}",
            profile.map(|profile| profile.name)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn content_is_told_by_every_byte_of_small_and_by_both_ends_of_large_files() {
        let sample = Sample { whole: 1_000, blocks: 4, block: 100 };
        let hashed = |bytes: &[u8]| sampled(&mut Cursor::new(bytes), bytes.len() as u64, &sample).unwrap();
        let mut small = vec![7; 1_000];
        let before = hashed(&small);
        small[600] ^= 1;
        assert_ne!(hashed(&small), before);
        let mut large = vec![7; 10_000];
        let before = hashed(&large);
        // Blocks begin at 0, 3300, 6600 and 9900.
        for at in [0, 99, 3_300, 6_699, 9_999] {
            large[at] ^= 1;
            assert_ne!(hashed(&large), before);
            large[at] ^= 1;
        }
        large[100] ^= 1;
        assert_eq!(hashed(&large), before);
        large.push(7);
        assert_ne!(hashed(&large), before);
    }

    #[test]
    fn options_that_change_rows_change_the_hash_and_others_do_not() {
        let of = |options: &Options| of_trace(&settings(options, None), &[("a".into(), "b".into())]);
        let plain = of(&Options::default());
        assert_eq!(of(&Options { hash_seed: 9, ..Options::default() }), plain);
        assert_ne!(of(&Options { ignore_encap: true, ..Options::default() }), plain);
        assert_ne!(of_trace(&settings(&Options::default(), None), &[("ab".into(), String::new())]), plain);
    }
}
