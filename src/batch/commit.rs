//! Puts the parts of a trace in place, and knows which traces are.
//!
//! Every file appears under its name when it is whole. What is of another hash goes first, then the parts come, then the record: a run that is
//! killed in between leaves a trace without a record of its hash, which the next run does again, to the same bytes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::layout;
use super::store::Store;
use crate::output::tables::{DATASET_TABLES, Part, PartFile, TABLES};
use crate::report::SCHEMA;
use crate::report::batch::{Done, DonePart};

/// A dataset that is written to.
#[derive(Clone)]
pub struct Dataset {
    store: Arc<dyn Store>,
}

impl Dataset {
    /// In that place.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The place.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The record of a trace, if it is in the dataset as that hash says and nothing of it is missing.
    pub fn done(&self, trace: &str, hash: &str) -> io::Result<Option<Done>> {
        let Some(done) = self.record(trace)? else { return Ok(None) };
        if done.hash != hash || done.failures.iter().any(|failure| failure.kind.may_pass()) {
            return Ok(None);
        }
        for part in &done.parts {
            if !self.store.has(&layout::part(&part.table, trace, hash), part.bytes)? {
                return Ok(None);
            }
        }
        Ok(Some(done))
    }

    /// The record of a trace, whatever it is of; one that cannot be read is none.
    pub fn record(&self, trace: &str) -> io::Result<Option<Done>> {
        let content = self.store.read(&layout::done(trace))?;
        Ok(content
            .and_then(|content| serde_json::from_slice(&content).ok())
            .filter(|done: &Done| done.schema == SCHEMA && done.trace == trace))
    }

    /// Puts the parts of a trace, those in files as `staged/tables/TABLE.parquet`, and its record in place of all that was there of it.
    pub fn commit(&self, staged: &Path, parts: &[Part], mut done: Done) -> io::Result<Done> {
        done.parts = parts.iter().map(|part| described(staged, part)).collect::<io::Result<_>>()?;
        let name = |table: &str| layout::part(table, &done.trace, &done.hash);
        let keep: Vec<String> = parts.iter().map(|part| name(part.table)).collect();
        for table in TABLES.iter().chain(DATASET_TABLES) {
            for old in self.store.list(&layout::folder(table.name(), &done.trace), false)? {
                if !keep.contains(&old.name) {
                    self.store.remove(&old.name)?;
                }
            }
        }
        for (part, name) in parts.iter().zip(&keep) {
            match &part.file {
                PartFile::InSink => self.store.publish(&file(staged, part), name)?,
                PartFile::Bytes(bytes) => self.store.write(name, bytes)?,
            }
        }
        let mut record = serde_json::to_vec(&done).map_err(io::Error::other)?;
        record.push(b'\n');
        self.store.write(&layout::done(&done.trace), &record)?;
        Ok(done)
    }
}

fn file(staged: &Path, part: &Part) -> PathBuf {
    staged.join(format!("tables/{}.parquet", part.table))
}

fn described(staged: &Path, part: &Part) -> io::Result<DonePart> {
    let bytes = match &part.file {
        PartFile::InSink => super::store::size(&file(staged, part))?,
        PartFile::Bytes(bytes) => bytes.len() as u64,
    };
    Ok(DonePart { table: part.table.to_owned(), rows: part.rows, bytes })
}
