//! A capture as a whole report: what commands do that need the numbers of a capture, not its packets.

use std::path::Path;

use super::args;
use super::console::Console;
use super::progress::Bar;
use crate::capture::{OpenOptions, open_many};
use crate::driver::{self, Options};
use crate::error::CaptureError;
use crate::report::{CaptureReport, ReportSink};

/// Analyses one capture into `sink`; the errors are those that ended it early.
///
/// # Errors
///
/// Where nothing of it can be read; the text names the file.
pub(super) fn analyse(
    path: &Path,
    sink: &mut dyn ReportSink,
    console: Console,
) -> anyhow::Result<(CaptureReport, Vec<CaptureError>)> {
    let options = Options { hash_seed: args::hash_seed(), ..Options::default() };
    let (mut capture, errors) = analyse_trace(&[path], &OpenOptions::default(), &options, sink, console)?;
    capture.path = path.display().to_string();
    capture.truncated = errors.iter().any(CaptureError::is_truncation);
    Ok((capture, errors))
}

/// The same with several captures, which are one trace, and the options of the caller.
pub(super) fn analyse_trace(
    paths: &[impl AsRef<Path>],
    open: &OpenOptions,
    options: &Options,
    sink: &mut dyn ReportSink,
    console: Console,
) -> anyhow::Result<(CaptureReport, Vec<CaptureError>)> {
    args::stdin_once(paths)?;
    let mut source = open_many(paths, open).map_err(|error| anyhow::Error::msg(error.to_string()))?;
    let bar = Bar::new(console, source.total_bytes());
    let (capture, error) = driver::analyze_into(&mut source, options, sink, &mut |state| {
        bar.show(&state);
        true
    });
    drop(bar);
    let errors = error.into_iter().chain(source.take_errors()).collect();
    Ok((capture, errors))
}
