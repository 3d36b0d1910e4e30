//! What happened on each connection. Sans-I/O: one segment at a time, and its stamp is the only clock.
//!
//! [`Pipeline`] is the only place that orders the stages; each stage is a file.

mod ack;
mod clean;
mod connection;
mod counters;
mod coverage;
mod diagnosis;
mod direction;
mod distribution;
mod facts;
mod findings;
mod grounds;
mod handover;
mod lone;
mod loss;
mod moves;
mod multipath;
mod observed;
mod opening;
mod pipeline;
mod plain;
pub mod ranges;
pub mod reassembly;
mod recent;
mod rest;
mod roles;
mod sender;
mod series;
mod summary;
mod system;
mod transactions;
mod twin;
mod watch;
mod window;

pub use facts::{Facts, Purpose};
pub(crate) use grounds::TWO_TAPS;
pub use grounds::evidence;
pub use loss::trail::{Saw, SenderView, Step, Trail};
pub use loss::{Vantages, loss_rules};
pub use observed::Observed;
pub use pipeline::{Pipeline, PipelineOptions, Totals};
pub use summary::EncapNames;
pub use twin::lanes::{Job, Lanes};
pub use watch::Sighting;

/// Most separate blocks of selectively acknowledged bytes of one direction, of each list of them; the lowest are forgotten beyond it.
const MOST_BLOCKS: usize = 1 << 14;

#[cfg(test)]
mod tests;
