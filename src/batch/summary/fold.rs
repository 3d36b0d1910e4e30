//! The traces of a dataset, one after another, into the summary.

use std::io;
use std::path::Path;

use super::distribution::Distributions;
use super::group::{self, Groups};
use super::row;
use super::switching::Switching;
use super::symptom::Worst;
use crate::batch::commit::Dataset;
use crate::batch::layout::{self, DONE};
use crate::report::SCHEMA;
use crate::report::batch::Done;
use crate::report::fleet::{FleetDocument, FleetFailure};

/// Failures that are told.
const TOLD: usize = 1_000;

/// Reads every trace that has a record; `folder` is for copies of what is not on this machine.
pub(super) fn fold(dataset: &Dataset, folder: &Path) -> io::Result<FleetDocument> {
    let mut fold = Fold {
        summary: FleetDocument { schema: SCHEMA, ..FleetDocument::default() },
        distributions: Distributions::new(),
        worst: Worst::new(),
        groups: Groups::new(),
        switching: Switching::default(),
    };
    for entry in dataset.store().list(DONE, false)? {
        let Some(content) = dataset.store().read(&entry.name)? else { continue };
        let Ok(done) = serde_json::from_slice::<Done>(&content) else { continue };
        fold.add(dataset, &done, folder)?;
    }
    Ok(fold.finish())
}

struct Fold {
    summary: FleetDocument,
    distributions: Distributions,
    worst: Worst,
    groups: Groups,
    switching: Switching,
}

impl Fold {
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
            let (rows, last) = row::directions(&connections, &directions)?;
            summary.last_ns = summary.last_ns.max(last);
            for row in &rows {
                summary.first_ns = summary.first_ns.into_iter().chain(row.first_ns).min();
                group::add(&mut summary.totals, row);
                self.distributions.add(row);
                self.worst.add(&done.trace, row);
                self.groups.add(row);
            }
        }
        if let Some(predictions) = part("predictions")? {
            self.switching.add(&row::predictions(&predictions)?);
        }
        Ok(())
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
