//! The traces of a dataset into the summary: some at a time on each thread, put together in order of their names as they come.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::distribution::Distributions;
use super::group::{self, Groups};
use super::row::{self, AT_ONCE};
use super::switching::Switching;
use super::symptom::Worst;
use super::turns;
use crate::batch::commit::Dataset;
use crate::batch::layout::{self, DONE};
use crate::batch::store::{Entry, Scratch};
use crate::report::SCHEMA;
use crate::report::batch::Done;
use crate::report::fleet::{FleetDocument, FleetFailure};

/// Failures that are told.
const TOLD: usize = 1_000;

/// Traces that a thread takes at a time. A constant, since sums of fractions follow from what is added first.
const TOGETHER: usize = 32;

/// Reads every trace that has a record; `folder` is for copies of what is not on this machine. `progress` is told how many traces were read, of how many,
/// on any thread. Gives the records that could not be read as well.
pub(super) fn fold(
    dataset: &Dataset,
    folder: &Path,
    threads: usize,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> io::Result<(FleetDocument, u64)> {
    let records = dataset.store().list(DONE, false)?;
    let (read, of) = (AtomicU64::new(0), records.len() as u64);
    progress(0, of);
    let shares: Vec<&[Entry]> = records.chunks(TOGETHER).collect();
    let work = |number: usize| {
        let copies = folder.join(number.to_string());
        let fold = Fold::of(dataset, shares[number], &copies, &|| {
            progress(read.fetch_add(1, Ordering::Relaxed) + 1, of);
        });
        Scratch::discard(&copies);
        fold
    };
    let mut whole = Fold::new();
    turns::in_turn(shares.len(), threads, work, |fold| whole.append(fold))?;
    Ok(whole.finish())
}

/// How the names of records end.
const RECORD: &str = ".json";

struct Fold {
    /// Records that are none.
    unreadable: u64,
    summary: FleetDocument,
    distributions: Distributions,
    worst: Worst,
    groups: Groups,
    switching: Switching,
}

impl Fold {
    fn new() -> Self {
        Self {
            unreadable: 0,
            summary: FleetDocument { schema: SCHEMA, ..FleetDocument::default() },
            distributions: Distributions::new(),
            worst: Worst::new(),
            groups: Groups::new(),
            switching: Switching::default(),
        }
    }

    fn of(dataset: &Dataset, records: &[Entry], folder: &Path, read: &dyn Fn()) -> io::Result<Self> {
        let mut fold = Self::new();
        for entry in records {
            if let Some(content) = dataset.store().read(&entry.name)? {
                match serde_json::from_slice::<Done>(&content) {
                    Ok(done) => fold.add(dataset, &done, folder)?,
                    Err(_) => fold.unreadable += u64::from(entry.name.ends_with(RECORD)),
                }
            }
            read();
        }
        Ok(fold)
    }

    fn add(&mut self, dataset: &Dataset, done: &Done, folder: &Path) -> io::Result<()> {
        let summary = &mut self.summary;
        summary.traces += 1;
        summary.failed_traces += u64::from(!done.failures.is_empty());
        // A record that somebody changed may say anything.
        for file in &done.files {
            summary.file_bytes = summary.file_bytes.saturating_add(file.bytes);
        }
        summary.frames = summary.frames.saturating_add(done.frames.unwrap_or_default());
        summary.connections = summary.connections.saturating_add(done.connections.unwrap_or_default());
        for failure in &done.failures {
            if summary.failures.len() < TOLD {
                summary.failures.push(FleetFailure {
                    source: done.trace.clone(),
                    kind: failure.kind.name(),
                    reason: failure.reason.clone(),
                });
            }
        }
        let part = |table: &str| -> io::Result<Option<std::path::PathBuf>> {
            if !done.parts.iter().any(|part| part.table == table) {
                return Ok(None);
            }
            dataset.store().local(&layout::part(table, &done.trace, &done.hash), folder).map(Some)
        };
        if let (Some(connections), Some(directions)) = (part("connections")?, part("directions")?) {
            row::directions(&connections, &directions, AT_ONCE, |rows, last_ns| {
                summary.last_ns = summary.last_ns.max(last_ns);
                for row in rows {
                    summary.first_ns = summary.first_ns.into_iter().chain(row.first_ns).min();
                    group::add(&mut summary.totals, row);
                    self.distributions.add(row);
                    self.worst.add(&done.trace, row);
                    self.groups.add(row);
                }
            })?;
        }
        if let Some(predictions) = part("predictions")? {
            self.switching.add(&row::predictions(&predictions)?);
        }
        Ok(())
    }

    /// Adds what was read of the traces that come next.
    fn append(&mut self, other: Self) {
        self.unreadable += other.unreadable;
        let (summary, more) = (&mut self.summary, other.summary);
        summary.traces += more.traces;
        summary.failed_traces += more.failed_traces;
        summary.file_bytes = summary.file_bytes.saturating_add(more.file_bytes);
        summary.frames = summary.frames.saturating_add(more.frames);
        summary.connections = summary.connections.saturating_add(more.connections);
        summary.first_ns = summary.first_ns.into_iter().chain(more.first_ns).min();
        summary.last_ns = summary.last_ns.max(more.last_ns);
        group::sum(&mut summary.totals, more.totals);
        let room = TOLD - summary.failures.len();
        summary.failures.extend(more.failures.into_iter().take(room));
        self.distributions.append(&other.distributions);
        self.worst.append(other.worst);
        self.groups.append(other.groups);
        self.switching.append(other.switching);
    }

    fn finish(self) -> (FleetDocument, u64) {
        let summary = FleetDocument {
            distributions: self.distributions.finish(),
            worst: self.worst.finish(),
            groups: self.groups.finish(),
            switching: self.switching.finish(),
            ..self.summary
        };
        (summary, self.unreadable)
    }
}
