//! `batch` as a user runs it: datasets of small captures.

mod cluster;
mod dataset;
mod interrupted;
mod output;
mod parts;
#[cfg(feature = "query")]
mod query;
mod summary;
mod support;
