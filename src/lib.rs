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

pub mod capture;
pub mod decode;
pub mod error;
pub mod seq;
pub mod units;
