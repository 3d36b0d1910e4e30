//! A path and the senders on it, simulated packet by packet on a virtual clock.
//!
//! [`Path`] says what the network does, [`Profile`] how a stack recovers from loss, [`crate::cc`] how the
//! window moves. [`run`] plays flows over a path; [`predict`] plays every algorithm with several seeds. The
//! random streams are split by flow, algorithm, draw and process, so that adding an algorithm changes no
//! other's numbers. [`closed_form`] holds the formulas that a prediction is checked against.

// Segment counts stay far below 2^32, and where a float becomes a count `as` saturates, which is wanted.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap)]

mod batch;
pub mod closed_form;
mod coalesce;
mod delay;
pub mod effort;
mod flow;
mod loss;
mod measure;
mod path;
pub mod predict;
mod profile;
mod queue;
mod random;
mod ranges;
mod receiver;
mod run;
mod schedule;
mod sender;

pub use measure::FlowResult;
pub use path::{Aqm, Buffer, Jitter, LossModel, Path};
pub use profile::{Detector, PROFILES, Profile, Undoes, profile};
pub use run::{FlowSpec, HEADER, RunSpec, run, run_batched};
