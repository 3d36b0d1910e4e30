//! Many captures into one dataset: found, put together to traces, analysed side by side, each committed as a whole.
//!
//! [`inputs`] finds captures and [`trace`] groups them; [`run`] has threads work through the [`work`], within bounds of time and
//! [`memory`]; [`commit`] puts each trace's parts and its record in place in a [`store`]. `query` (feature `query`) asks the dataset.

pub mod commit;
mod failure;
pub mod fingerprint;
pub mod inputs;
pub mod layout;
pub mod memory;
mod pattern;
#[cfg(feature = "query")]
pub mod query;
mod rotation;
pub mod run;
pub mod shard;
pub mod store;
pub mod summary;
pub mod trace;
pub mod work;
