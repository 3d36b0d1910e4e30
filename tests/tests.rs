//! All integration tests in one binary.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it inside test functions only, not in their helpers"
)]

mod algorithms;
#[cfg(feature = "cli")]
mod annotate;
mod architecture;
#[cfg(all(feature = "cli", feature = "tables"))]
mod batch;
mod capture;
mod cc_conformance;
#[cfg(feature = "cli")]
mod check;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod compare;
mod decode;
mod documents;
mod endless;
mod explain;
mod fixtures;
#[cfg(feature = "cli")]
mod follow;
#[cfg(feature = "compression")]
mod gold;
#[cfg(feature = "cli")]
mod help;
mod hostile;
mod join;
mod netsim;
mod oracle;
#[cfg(feature = "cli")]
mod outputs;
mod path;
mod peers;
mod plot;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "compression")]
mod sender;
#[cfg(feature = "cli")]
mod streams;
