//! The traces of a dataset into the summary: some at a time on each thread, put together in order of their names.

use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::distribution::Distributions;
use super::group::{self, Groups};
use super::row::{self, AT_ONCE};
use super::switching::Switching;
use super::symptom::Worst;
use crate::batch::commit::Dataset;
use crate::batch::layout::{self, DONE};
use crate::batch::store::Entry;
use crate::report::SCHEMA;
use crate::report::batch::Done;
use crate::report::fleet::{FleetDocument, FleetFailure};

/// Failures that are told.
const TOLD: usize = 1_000;

/// Traces that a thread takes at a time. A constant, since sums of fractions follow from what is added first.
const TOGETHER: usize = 32;

/// How often a thread does that, on average, before it waits for the others: one that has large traces does it less often. What they have read
/// is held until then.
const TURNS: usize = 4;

/// Reads every trace that has a record; `folder` is for copies of what is not on this machine.
pub(super) fn fold(dataset: &Dataset, folder: &Path, threads: usize) -> io::Result<FleetDocument> {
    let records = dataset.store().list(DONE, false)?;
    let shares: Vec<&[Entry]> = records.chunks(TOGETHER).collect();
    let mut whole = Fold::new();
    for shares in shares.chunks(threads.max(1) * TURNS) {
        for fold in side_by_side(dataset, shares, folder, threads) {
            whole.append(fold?);
        }
    }
    Ok(whole.finish())
}

/// What each share says, in their order.
fn side_by_side(
    dataset: &Dataset,
    shares: &[&[Entry]],
    folder: &Path,
    threads: usize,
) -> impl Iterator<Item = io::Result<Fold>> {
    let folds: Vec<OnceLock<io::Result<Fold>>> = shares.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let (Some(share), Some(fold)) = (shares.get(place), folds.get(place)) else { return };
            fold.get_or_init(|| Fold::of(dataset, share, &folder.join(place.to_string())));
        }
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads.clamp(1, shares.len().max(1))).map(|_| scope.spawn(work)).collect();
        // One that panicked has left its share unread.
        for one in running {
            _ = one.join();
        }
    });
    folds
        .into_iter()
        .map(|fold| fold.into_inner().unwrap_or_else(|| Err(io::Error::other("the summary panicked"))))
}

struct Fold {
    summary: FleetDocument,
    distributions: Distributions,
    worst: Worst,
    groups: Groups,
    switching: Switching,
}

impl Fold {
    fn new() -> Self {
        Self {
            summary: FleetDocument { schema: SCHEMA, ..FleetDocument::default() },
            distributions: Distributions::new(),
            worst: Worst::new(),
            groups: Groups::new(),
            switching: Switching::default(),
        }
    }

    fn of(dataset: &Dataset, records: &[Entry], folder: &Path) -> io::Result<Self> {
        let mut fold = Self::new();
        for entry in records {
            let Some(content) = dataset.store().read(&entry.name)? else { continue };
            let Ok(done) = serde_json::from_slice::<Done>(&content) else { continue };
            fold.add(dataset, &done, folder)?;
        }
        Ok(fold)
    }

    fn add(&mut self, dataset: &Dataset, done: &Done, folder: &Path) -> io::Result<()> {
        let summary = &mut self.summary;
        summary.traces += 1;
        summary.failed_traces += u64::from(!done.failures.is_empty());
        summary.file_bytes += done.files.iter().map(|file| file.bytes).sum::<u64>();
        summary.frames += done.frames.unwrap_or_default();
        summary.connections += done.connections.unwrap_or_default();
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
        let (summary, more) = (&mut self.summary, other.summary);
        summary.traces += more.traces;
        summary.failed_traces += more.failed_traces;
        summary.file_bytes += more.file_bytes;
        summary.frames += more.frames;
        summary.connections += more.connections;
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

    fn finish(self) -> FleetDocument {
        FleetDocument {
            distributions: self.distributions.finish(),
            worst: self.worst.finish(),
            groups: self.groups.finish(),
            switching: self.switching.finish(),
            ..self.summary
        }
    }
}
