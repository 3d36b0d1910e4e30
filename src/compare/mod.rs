//! Before and after a change: is there a difference, how large is it, and is it proven?
//!
//! Values come from many formats ([`input`]), are sorted by metric and group ([`engine`]), and judged by one of [`test::TESTS`].
//! Nothing here opens a file; what is compared is text and numbers that the caller brings.

pub mod assumption;
pub mod confidence;
pub mod dot_plot;
pub mod effect;
pub mod engine;
pub mod error;
pub mod gate;
pub mod general;
pub mod group;
pub mod holm;
pub mod input;
pub mod metric;
pub mod power;
pub mod sample;
pub mod summary;
pub mod test;
pub mod text;

#[cfg(test)]
mod tests;
