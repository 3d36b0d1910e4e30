//! What a dataset says as a whole: `summary.txt`, `summary.json`, `summary.html`.
//!
//! Read from the records and parts, trace by trace in order of their names, so that it says the same however the dataset came about.

mod distribution;
mod fold;
mod group;
mod html;
mod plot;
mod rough;
mod row;
mod switching;
mod symptom;
mod text;
mod turns;

use std::io;

use super::commit::Dataset;
use super::store::Scratch;
use crate::output::json::to_json;
use crate::report::fleet::FleetDocument;

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// `summary.txt`.
    pub text: String,
    /// Traces in it that are missing or cut.
    pub failed_traces: u64,
    /// Records of the dataset that are none: it says nothing of their traces.
    pub unreadable_records: u64,
}

/// Writes the summary, read by so many threads; it is the same for any number. `progress` is told how many traces were read, of how many, on any of them.
///
/// # Errors
/// Where the dataset cannot be read or written.
pub fn write(dataset: &Dataset, threads: usize, progress: &(dyn Fn(u64, u64) + Sync)) -> io::Result<Written> {
    let folder = dataset.store().scratch().join("summary");
    let (summary, unreadable_records) = fold::fold(dataset, &folder, threads, progress)?;
    Scratch::discard(&folder);
    let text = text::text(&summary);
    let store = dataset.store();
    store.write("summary.txt", text.as_bytes())?;
    store.write("summary.json", format!("{}\n", to_json(&summary)?).as_bytes())?;
    store.write("summary.html", &page(&summary)?)?;
    Ok(Written { text, failed_traces: summary.failed_traces, unreadable_records })
}

fn page(summary: &FleetDocument) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    html::write(&mut page, summary)?;
    Ok(page)
}
