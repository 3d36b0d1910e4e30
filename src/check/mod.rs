//! Regression in CI: what a capture says against what it must say.
//!
//! Without I/O: a [`Subject`](subject::Subject) is made of a report while a capture is analysed, a
//! [`Baseline`](baseline::Baseline) is parsed from text, [`judge`](judge::judge) compares them, [`bless`](bless::bless)
//! writes a baseline anew, and each row of [`report::REPORTS`] tells the result in a format.
//!
//! A field that the report gains can be checked at once: names come from what the report serializes.

pub mod baseline;
pub mod bless;
pub mod derived;
pub mod field;
pub mod judge;
mod look;
pub mod report;
pub mod result;
pub mod rule;
pub mod subject;
pub mod tolerance;
pub mod unit;
pub mod value;

#[cfg(test)]
mod tests;
