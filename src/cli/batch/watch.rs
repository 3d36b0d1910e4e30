//! What is told of a run while it goes on: a bar, or a line of JSON for each trace.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::batch::run::{End, Ended, Watch};
use crate::batch::work::{Outcome, Traces, took_too_long};
use crate::cli::console::{self, Console};
use crate::cli::progress::Bar;
use crate::human;
use crate::report::batch::{Done, Failure, FailureKind, LogLine};

/// Counts of traces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Put into the dataset now, those that failed included.
    pub(super) done: u64,
    /// Before.
    pub(super) skipped: u64,
    /// Missing or cut, now or before.
    pub(super) failed: u64,
}

impl Counts {
    const fn finished(&self) -> u64 {
        self.done + self.skipped
    }
}

/// Listens to a run.
pub(super) struct Watching {
    work: Arc<Traces>,
    bar: Bar,
    log_json: bool,
    timeout: Option<Duration>,
    traces: u64,
    counts: Counts,
    /// The dataset cannot be written to.
    broken: io::Result<()>,
}

impl Watching {
    pub(super) fn new(
        work: Arc<Traces>,
        console: Console,
        log_json: bool,
        timeout: Option<Duration>,
    ) -> Self {
        use crate::batch::run::Work;
        let bar = if log_json { Bar::none() } else { Bar::new(console, Some(work.bytes())) };
        let traces = work.jobs() as u64;
        Self { work, bar, log_json, timeout, traces, counts: Counts::default(), broken: Ok(()) }
    }

    /// What came out.
    pub(super) fn finish(self) -> io::Result<Counts> {
        self.broken.map(|()| self.counts)
    }

    /// The record of what ended; `None` if that was stopped and there is none.
    fn record(&self, job: usize, end: End<io::Result<Outcome>>) -> io::Result<Option<(Done, &'static str)>> {
        let limit = self.timeout.unwrap_or_default();
        let late = || self.work.give_up(job, FailureKind::Timeout, took_too_long(limit));
        Ok(Some(match end {
            End::Done(outcome) => match outcome? {
                Outcome::Done(done) => (done, "done"),
                Outcome::Skipped(done) => (done, "skipped"),
                Outcome::Stopped if self.broken.is_err() => return Ok(None),
                Outcome::Stopped => (late()?, "done"),
            },
            End::TimedOut if self.broken.is_err() => return Ok(None),
            End::TimedOut => (late()?, "done"),
            End::Panicked(text) => {
                let reason = format!("the analysis panicked, which is a bug worth a report: {text}");
                (self.work.give_up(job, FailureKind::Panic, reason)?, "done")
            }
        }))
    }

    fn tell(&mut self, done: &Done, status: &'static str, took: Duration) {
        if self.log_json {
            let line = LogLine {
                trace: &done.trace,
                status: if done.failures.is_empty() { status } else { "failed" },
                failures: &done.failures,
                bytes: done.files.iter().map(|file| file.bytes).sum(),
                frames: done.frames,
                connections: done.connections,
                seconds: took.as_secs_f64(),
                finished: self.counts.finished(),
                traces: self.traces,
            };
            if let Ok(text) = serde_json::to_string(&line) {
                // Whoever does not read the log does not stop the run.
                let _ = writeln!(io::stderr().lock(), "{}", crate::output::escape(&text));
            }
            return;
        }
        for Failure { reason, file, .. } in &done.failures {
            let named = reason.contains(file.as_str());
            let text = if named { reason.clone() } else { format!("{file}: {reason}") };
            self.bar.aside(|| console::error(&text));
        }
    }
}

impl Watch<io::Result<Outcome>> for Watching {
    fn ended(&mut self, ended: Ended<io::Result<Outcome>>) -> bool {
        match self.record(ended.job, ended.end) {
            Ok(Some((done, status))) => {
                if status == "skipped" {
                    self.counts.skipped += 1;
                } else {
                    self.counts.done += 1;
                }
                self.counts.failed += u64::from(!done.failures.is_empty());
                self.tell(&done, status, ended.took);
            }
            // The first reason is the one to tell.
            Err(error) if self.broken.is_ok() => self.broken = Err(error),
            Ok(None) | Err(_) => {}
        }
        self.broken.is_ok()
    }

    fn tick(&mut self) {
        let failed = if self.counts.failed > 0 {
            format!(", {} failed", human::count(self.counts.failed))
        } else {
            String::new()
        };
        let finished = human::count(self.counts.finished());
        let message = format!("{finished} of {} traces{failed}", human::count(self.traces));
        self.bar.at(self.work.bytes_read(), message);
    }
}
