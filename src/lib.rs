//! Tells from a packet capture what happened to each TCP connection, and why.
//!
//! ```
//! use tcptrace_rs::{capture, driver};
//!
//! let mut source = capture::open("fixtures/small/drop.pcap")?;
//! let (report, error) = driver::analyze(&mut source, &driver::Options::default());
//! assert!(error.is_none());
//!
//! let upload = &report.connections[0].c2s;
//! assert_eq!((upload.data_packets, upload.unique_bytes), (18, 26_064));
//! // Two more were acknowledged but are not in the file: lost by the capture, not by the network.
//! assert_eq!(upload.unseen_bytes, 2_896);
//! assert_eq!(report.warnings()[0].id, "capture_drops");
//! # Ok::<(), tcptrace_rs::error::CaptureError>(())
//! ```
//!
//! `examples/analyze.rs` takes the same steps one by one, and pushes segments itself.
//!
//! # Layers
//!
//! Each layer uses only those before it.
//!
//! 1. [`units`], [`seq`]: time, sizes, rates and sequence numbers as types. Times are nanoseconds from the capture,
//!    stream offsets 64 bits wide; no other module computes with sequence numbers.
//! 2. [`error`], [`warning`]: what stops a run, and what must be known to trust its numbers; [`tree`]: files below a folder.
//! 3. [`capture`]: bytes of a capture (plain or compressed) to [`capture::Frame`]s in order of time.
//! 4. [`decode`]: a frame to a [`decode::Segment`], through link layers, tunnels and fragments, or to a counted
//!    [`decode::SkipReason`]; never an error.
//! 5. [`filter`]: which segments are looked at.
//! 6. [`cc`]: congestion-control algorithms, events in and a window out.
//! 7. [`sim`]: a path and its flows, packet by packet, on a virtual clock.
//! 8. [`report`]: the public contract, plain structs that serialize.
//! 9. [`flow`]: segments to connections: the table, its bounds, opening and closing.
//! 10. [`analysis`]: what happened on each connection, one segment at a time.
//! 11. [`path`]: the path of a transfer, and what every algorithm would get on it.
//! 12. [`driver`]: wires the layers: [`driver::analyze`].
//! 13. [`plot`]: pictures of a report, as data and as files.
//! 14. [`output`]: a report to bytes.
//! 15. [`compare`]: before and after a change, from reports and what other programs print.
//! 16. [`check`]: what a capture says against what it must say.
//! 17. [`mod@explain`]: one frame: what it was, how its verdict came about, what other programs call it.
//! 18. [`mod@join`]: two captures of the same traffic: what became of each packet between them.
//! 19. `batch` (feature `tables`): many captures into one dataset.
//!
//! # What is stable
//!
//! The names and meanings in [`report`] follow [`report::SCHEMA`]. The rest is below version 1: it may change with any
//! minor version, and CHANGELOG.md says how.
//!
//! # Features
//!
//! `cli` (the program), `compression` (gzip, zstd, lz4, xz, bzip2), `plots` (SVG and PNG, through plotters), `tables` (Parquet
//! and CSV, through polars) and `query` (SQL over them) are on by default; the library needs none of them. `cloud` (object stores)
//! and `schema` (JSON Schema of the report) are not.

pub mod analysis;
#[cfg(feature = "tables")]
pub mod batch;
pub mod capture;
pub mod cc;
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod decode;
pub mod driver;
pub mod error;
pub mod explain;
pub mod filter;
pub mod flow;
pub mod human;
pub mod join;
pub mod output;
pub mod path;
pub mod plot;
pub mod report;
pub mod seq;
pub mod sim;
pub mod tree;
pub mod units;
pub mod warning;
