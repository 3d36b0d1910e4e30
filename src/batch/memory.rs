//! How much memory the analysis of a trace may need, so that `--memory` bounds how many run at once, and each one's own bounds.
//!
//! What a trace really needs follows from the connections that are live at a time, which nobody knows before it is read. Its
//! size bounds that for small ones; for the others the bound of live connections does.

use super::trace::Trace;

/// Bytes that the program itself needs, libraries included.
pub const BASE: u64 = 48 << 20;

/// Bytes that a trace is given if `--memory` says nothing.
pub const USUAL_TRACE: u64 = 192 << 20;

/// Bytes of a trace that holds nothing: windows, column buffers, writers.
const EMPTY_TRACE: u64 = 16 << 20;

/// Bytes that a live connection keeps on average; its lists are bounded one by one.
const CONNECTION: u64 = 6 << 10;

/// Bytes in memory for each byte of a capture that is short: all of its rows, held as columns before they are written.
const EACH_BYTE: u64 = 4;

/// How much a compressed capture may grow.
const EXPANDED: u64 = 10;

/// Bounds of the analysis of one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes for all traces that run at once.
    pub total: u64,
    /// Bytes for one.
    pub trace: u64,
    /// Most live connections of one.
    pub connections: usize,
}

/// The budget of `--memory`, for so many traces at once.
///
/// A trace's own bounds change rows where they are met, so they are the same whatever the machine, unless `--memory` is too little for a
/// single one.
///
/// # Errors
/// Where it is too little for anything.
pub fn budget(memory: Option<u64>, jobs: usize) -> Result<Budget, String> {
    let total = match memory {
        Some(memory) => {
            memory.checked_sub(BASE).filter(|left| *left >= 2 * EMPTY_TRACE).ok_or_else(|| {
                format!("--memory: at least {} MB are needed", (BASE + 2 * EMPTY_TRACE) / 1_000_000 + 1)
            })?
        }
        None => USUAL_TRACE.saturating_mul(jobs as u64),
    };
    let trace = total.min(USUAL_TRACE);
    let connections = usize::try_from((trace - EMPTY_TRACE) / CONNECTION).unwrap_or(usize::MAX);
    Ok(Budget { total, trace, connections })
}

impl Budget {
    /// Bytes to reserve for a trace.
    pub fn need(&self, trace: &Trace) -> u64 {
        let bytes = trace.files.iter().all(|file| file.bytes.is_some()).then(|| expanded(trace));
        bytes.map_or(self.trace, |bytes| {
            EMPTY_TRACE.saturating_add(bytes.saturating_mul(EACH_BYTE)).min(self.trace)
        })
    }
}

/// Bytes of a trace's captures as they are read, as far as their sizes are known: a compressed one counts as much as it may grow to.
pub fn expanded(trace: &Trace) -> u64 {
    let known = trace.files.iter().filter_map(|file| Some((file.bytes?, is_compressed(&file.name))));
    known.fold(0, |sum, (bytes, compressed)| {
        sum.saturating_add(bytes.saturating_mul(if compressed { EXPANDED } else { 1 }))
    })
}

fn is_compressed(name: &str) -> bool {
    [".gz", ".zst", ".lz4", ".xz", ".bz2"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::inputs::{Found, Place};

    fn trace(name: &str, bytes: Option<u64>) -> Trace {
        let file = Found { place: Place::of(name), name: name.to_owned(), bytes };
        Trace { name: name.to_owned(), files: vec![file], lost: None }
    }

    #[test]
    fn small_traces_need_little_and_none_more_than_its_share() {
        let budget = budget(Some(512_000_000), 2).unwrap();
        assert_eq!(budget.trace, USUAL_TRACE);
        assert!(budget.need(&trace("a.pcap", Some(100_000))) < 17 << 20);
        assert_eq!(budget.need(&trace("a.pcap", Some(1 << 40))), budget.trace);
        assert_eq!(budget.need(&trace("a.pcap", None)), budget.trace);
        let plain = budget.need(&trace("a.pcap", Some(1 << 20)));
        assert!(budget.need(&trace("a.pcap.gz", Some(1 << 20))) > plain);
        assert_eq!(expanded(&trace("a.pcap.gz", Some(1 << 20))), 10 << 20);
    }

    #[test]
    fn the_bounds_of_a_trace_do_not_follow_the_machine() {
        let of = |memory, jobs| budget(memory, jobs).unwrap().connections;
        assert_eq!(of(None, 1), of(None, 64));
        assert_eq!(of(None, 1), of(Some(1 << 40), 2));
        assert!(of(Some(120 << 20), 2) < of(None, 2));
        assert!(budget(Some(10 << 20), 1).is_err());
    }
}
