//! All integration tests in one binary.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it inside test functions only, not in their helpers"
)]

mod capture;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod compare;
mod decode;
mod explain;
#[cfg(feature = "cli")]
mod help;
