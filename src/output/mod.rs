//! A report to files.

pub mod sink;
#[cfg(feature = "tables")]
pub mod tables;
