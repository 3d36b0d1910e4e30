//! Tells from a packet capture what happened to each TCP connection, and why.
//!
//! # Layers
//!
//! Each layer uses only those before it.
//!
//! 1. [`units`], [`seq`]: time, sizes, rates and sequence numbers as types.
//! 2. [`capture`]: bytes of a pcap or pcapng file (plain or compressed) to [`capture::Frame`]s in order of time.
//! 3. [`decode`]: a frame to a [`decode::Segment`], through link layers, tunnels and fragments, or to a counted
//!    [`decode::SkipReason`]; never an error.
//! 4. [`filter`]: which segments are looked at.
//! 5. [`report`]: the public contract, plain structs that serialize.
//! 6. [`flow`]: segments to connections: the table, its bounds, opening and closing.
//! 7. [`analysis`]: what happened on each connection, one segment at a time.
//! 8. [`driver`]: wires the layers: [`driver::analyze`].
//! 9. [`output`]: a report to text, JSON, JSON lines or tables.
//! 10. [`compare`]: before and after a change, from reports and what other programs print.
//! 11. [`mod@explain`]: one frame: what it was, how its verdict came about, what other programs call it.

pub mod analysis;
pub mod capture;
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
pub mod output;
pub mod report;
pub mod seq;
pub mod units;
pub mod warning;
