//! `--shard I/N`: which traces are this one's, by their names alone, so that no machine needs to know of another.

use xxhash_rust::xxh3::xxh3_64;

/// A part of all traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// Of `I/N`. I counts from 0 or from 1, as array jobs do either: N/N is the same as 0/N.
    ///
    /// # Errors
    /// Where it is not of that form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers: Option<(u64, u64)> =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if of > 0 && index <= of => Ok(Self { index: index % of, of }),
            _ => Err("a shard is I/N, such as 3/16, with I from 1 to N or from 0 to N-1".to_owned()),
        }
    }

    /// Whether the trace of that name is of this shard.
    pub fn has(self, trace: &str) -> bool {
        xxh3_64(trace.as_bytes()) % self.of == self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trace_is_of_exactly_one_shard_however_they_are_counted() {
        for first in [0, 1] {
            let shards: Vec<Shard> =
                (first..first + 16).map(|index| Shard::parse(&format!("{index}/16")).unwrap()).collect();
            for trace in 0..1_000 {
                let name = format!("host{trace}/eth0.pcap");
                assert_eq!(shards.iter().filter(|shard| shard.has(&name)).count(), 1);
            }
            for shard in shards {
                let share = (0..1_600).filter(|trace| shard.has(&format!("host{trace}/eth0.pcap"))).count();
                assert!((50..=150).contains(&share), "{share}");
            }
        }
        for wrong in ["", "3", "17/16", "1/0", "-1/4", "a/b"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }
}
