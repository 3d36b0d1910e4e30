//! Tells from a packet capture what happened to each TCP connection, and why.
//!
//! # Layers
//!
//! Each layer uses only those before it.
//!
//! 1. [`units`], [`seq`]: time, sizes, rates and sequence numbers as types.
//! 2. [`capture`]: bytes of a pcap or pcapng file (plain or compressed) to [`capture::Frame`]s in order of
//! time.
//! 3. [`decode`]: a frame to a [`decode::Segment`], through link layers, tunnels and fragments, or to a
//! counted
//!    [`decode::SkipReason`]; never an error.
//! 4. [`filter`]: which segments are looked at.
//! 5. [`cc`]: congestion-control algorithms, events in and a window out.
//! 6. [`sim`]: a path and its flows, packet by packet, on a virtual clock.
//! 7. [`report`]: the public contract, plain structs that serialize.
//! 8. [`flow`]: segments to connections: the table, its bounds, opening and closing.
//! 9. [`analysis`]: what happened on each connection, one segment at a time.
//! 10. [`driver`]: wires the layers: [`driver::analyze`].
//! 11. [`output`]: a report to text, JSON, JSON lines or tables.
//! 12. [`compare`]: before and after a change, from reports and what other programs print.

pub mod analysis;
pub mod capture;
pub mod cc;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod decode;
pub mod driver;
pub mod error;
pub mod filter;
pub mod flow;
pub mod output;
pub mod report;
pub mod seq;
pub mod sim;
pub mod units;
pub mod warning;
