//! One trace after another: found out whether it is done, analysed, put into the dataset.

use std::collections::BTreeMap;
use std::fs::{File, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::commit::Dataset;
use super::failure;
use super::fingerprint::{self, VERSION};
use super::inputs::{Objects, Place};
use super::memory::{Budget, expanded};
use super::run::{Ticket, Work};
use super::store::Scratch;
use super::trace::Trace;
use crate::capture::{Files, OpenOptions, open_many};
use crate::driver::{self, Options};
use crate::error::CaptureError;
use crate::output::sink::DirSink;
use crate::output::tables::{CaptureRow, Finding, PartWriter};
use crate::report::batch::{Done, DoneFile, Failure, FailureKind};
use crate::report::{CaptureReport, SCHEMA};

/// How traces are analysed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The analysis.
    pub options: Options,
    /// How captures are opened.
    pub open: OpenOptions,
    /// What reads those that are objects of a store.
    pub objects: Arc<dyn Objects>,
    /// A capture that ends inside a record is no failure.
    pub allow_truncated: bool,
    /// Bounds.
    pub budget: Budget,
    /// Do again what is done.
    pub again: bool,
}

/// What became of a trace.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is in the dataset, as its record says.
    Done(Done),
    /// It had been done before.
    Skipped(Done),
    /// It was asked to stop.
    Stopped,
}

/// The traces and where their rows go.
pub struct Traces {
    list: Vec<Trace>,
    dataset: Dataset,
    settings: Settings,
    words: String,
    scratch: PathBuf,
    read: AtomicU64,
}

/// Where a capture is, the path or the URL that it is opened by, its name below the input, and its size.
struct Local {
    path: PathBuf,
    name: String,
    bytes: u64,
}

impl Traces {
    /// Of these traces, the largest first: the last to end then ends soon after the others.
    pub fn new(mut traces: Vec<Trace>, dataset: Dataset, mut settings: Settings) -> Self {
        traces.sort_by_key(|trace| std::cmp::Reverse(expanded(trace)));
        let options = &mut settings.options;
        options.max_connections = options.max_connections.min(settings.budget.connections);
        let words = format!(
            "{} {}",
            fingerprint::settings(options, settings.open.max_expand),
            settings.allow_truncated
        );
        settings.open.opener = Some(Arc::clone(&settings.objects) as _);
        let scratch = dataset.store().scratch().to_owned();
        Self { list: traces, dataset, settings, words, scratch, read: AtomicU64::new(0) }
    }

    /// A trace by its number.
    pub fn trace(&self, job: usize) -> &Trace {
        &self.list[job]
    }

    /// Bytes of captures that were read or passed over so far.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Bytes of all captures.
    pub fn bytes(&self) -> u64 {
        self.list.iter().map(Trace::bytes).sum()
    }

    /// Records that a trace was given up.
    pub fn give_up(&self, job: usize, kind: FailureKind, reason: String) -> io::Result<Done> {
        let trace = self.trace(job);
        let failure = failure::of_trace(kind, reason, &trace.files[0].name);
        // Nobody knows its content; that nothing else has this hash is enough.
        let hash = fingerprint::of_trace(&self.words, &[(trace.name.clone(), kind.name().to_owned())]);
        let folder = self.scratch.join(format!("f{job}"));
        let mut writer = PartWriter::new(DirSink::new(&folder)?);
        writer.take(Finding::Failure(&failure));
        let (_, parts) = writer.finish()?;
        let done = Done { failures: vec![failure], ..record(trace, hash, Vec::new()) };
        self.dataset.commit(&folder, &parts, done)
    }

    fn analyse(&self, job: usize, ticket: &Ticket) -> io::Result<Outcome> {
        let trace = self.trace(job);
        let folder = self.scratch.join(format!("j{job}"));
        let mut failures = Vec::new();
        let mut files = Vec::new();
        let mut contents = Vec::new();
        for found in &trace.files {
            let (path, content) = match &found.place {
                Place::File(path) => (path.clone(), content(path)),
                Place::Url(url) => (PathBuf::from(url), self.settings.objects.content(url)),
            };
            let content =
                content.map_err(|source| CaptureError::Io { path: path.display().to_string(), source });
            match content {
                Ok((content, bytes)) => {
                    files.push(Local { path, name: found.name.clone(), bytes });
                    contents.push(DoneFile { name: found.name.clone(), bytes, content });
                }
                Err(error) => failures.push(failure::of_error(&error, &found.name)),
            }
        }
        let hashed: Vec<(String, String)> =
            contents.iter().map(|file| (file.name.clone(), file.content.clone())).collect();
        let hash = fingerprint::of_trace(&self.words, &hashed);
        // What a try has put there after all is not lost.
        let again = self.settings.again && trace.lost.is_none();
        if failures.is_empty()
            && !again
            && let Some(done) = self.dataset.done(&trace.name, &hash)?
        {
            return Ok(Outcome::Skipped(done));
        }
        if let Some(reason) = &trace.lost {
            return self.give_up(job, FailureKind::Lost, reason.clone()).map(Outcome::Done);
        }
        let mut writer = PartWriter::new(DirSink::new(&folder)?);
        let mut done = record(trace, hash, contents);
        if let Some((source, files)) = self.open(files, &mut failures) {
            let Some(capture) = self.read(source, &files, ticket, &mut writer, &mut failures) else {
                return Ok(Outcome::Stopped);
            };
            done.frames = Some(capture.report.frames);
            done.connections = Some(capture.report.connections);
            writer.take(Finding::Capture(&capture));
        }
        for failure in &failures {
            writer.take(Finding::Failure(failure));
        }
        let (_, parts) = writer.finish()?;
        if !ticket.may_commit() {
            return Ok(Outcome::Stopped);
        }
        done.failures = failures;
        let done = self.dataset.commit(&folder, &parts, done)?;
        Ok(Outcome::Done(done))
    }

    /// Opens the captures as one; what cannot be opened is left out and told.
    fn open(&self, mut files: Vec<Local>, failures: &mut Vec<Failure>) -> Option<(Files, Vec<Local>)> {
        while !files.is_empty() {
            let paths: Vec<&PathBuf> = files.iter().map(|file| &file.path).collect();
            match open_many(&paths, &self.settings.open) {
                Ok(source) => return Some((source, files)),
                Err(error) => {
                    let place = files.iter().position(|file| file.path.display().to_string() == error.path());
                    let file = files.remove(place.unwrap_or(0));
                    failures.push(failure::of_error(&error, &file.name));
                }
            }
        }
        None
    }

    /// Analyses them; `None` if that was stopped.
    fn read(
        &self,
        mut source: Files,
        files: &[Local],
        ticket: &Ticket,
        writer: &mut PartWriter<DirSink>,
        failures: &mut Vec<Failure>,
    ) -> Option<CaptureRow> {
        let mut told = 0;
        let (mut report, error) =
            driver::analyze_into(&mut source, &self.settings.options, writer, &mut |progress| {
                self.read.fetch_add(progress.bytes_read.saturating_sub(told), Ordering::Relaxed);
                told = told.max(progress.bytes_read);
                !ticket.is_cancelled()
            });
        self.read.fetch_sub(told, Ordering::Relaxed);
        if ticket.is_cancelled() {
            return None;
        }
        let names: BTreeMap<String, &str> =
            files.iter().map(|file| (file.path.display().to_string(), file.name.as_str())).collect();
        let errors: Vec<CaptureError> = error.into_iter().chain(source.take_errors()).collect();
        report.truncated = errors.iter().any(CaptureError::is_truncation);
        for error in errors {
            if !(self.settings.allow_truncated && error.is_truncation()) {
                let name = names.get(error.path()).copied().unwrap_or_else(|| error.path());
                failures.push(failure::of_error(&error, name));
            }
        }
        let first = source.paths().first().map(|path| path.display().to_string()).unwrap_or_default();
        names.get(&first).copied().unwrap_or_default().clone_into(&mut report.path);
        Some(row(report, files))
    }
}

impl Work for Traces {
    type Result = io::Result<Outcome>;

    fn jobs(&self) -> usize {
        self.list.len()
    }

    fn need(&self, job: usize) -> u64 {
        self.settings.budget.need(self.trace(job))
    }

    fn run(&self, job: usize, ticket: &Ticket) -> Self::Result {
        let outcome = self.analyse(job, ticket);
        self.read.fetch_add(self.trace(job).bytes(), Ordering::Relaxed);
        Scratch::discard(&self.scratch.join(format!("j{job}")));
        outcome
    }
}

fn row(report: CaptureReport, files: &[Local]) -> CaptureRow {
    let mut ids: Vec<&str> = report.warnings.iter().map(|warning| warning.id).collect();
    ids.dedup();
    let warnings = (!ids.is_empty()).then(|| ids.join(" "));
    let file_bytes = files.iter().map(|file| file.bytes).sum();
    CaptureRow { files: files.len() as u64, file_bytes, warnings, report }
}

/// The hash of a file's content, and its size.
fn content(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let data = file.metadata()?;
    if is_device(data.file_type()) {
        return Err(io::Error::other("a device, not a file"));
    }
    let size = data.len();
    Ok((fingerprint::content(&mut file, size)?, size))
}

/// What need not have an end.
#[cfg(unix)]
fn is_device(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

/// There are none among files.
#[cfg(not(unix))]
const fn is_device(_: FileType) -> bool {
    false
}

fn record(trace: &Trace, hash: String, files: Vec<DoneFile>) -> Done {
    Done {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        trace: trace.name.clone(),
        hash,
        files,
        parts: Vec::new(),
        frames: None,
        connections: None,
        failures: Vec::new(),
    }
}

/// The text of a trace that took too long.
pub fn took_too_long(limit: Duration) -> String {
    format!("not done within {limit:?}, the limit that was set: nothing of it is in the dataset")
}
