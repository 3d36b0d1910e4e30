//! From arguments to traces, and the run over them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::watch::Watching;
use super::{BatchArgs, LogAs};
use crate::batch::commit::Dataset;
use crate::batch::inputs::{self, Finder, Found, Objects, Place, is_url};
use crate::batch::layout::DONE;
use crate::batch::memory::{self, BASE, Budget};
use crate::batch::run::{self, Limits};
use crate::batch::shard::Shard;
use crate::batch::store::{self, LocalStore, Store};
use crate::batch::summary;
use crate::batch::trace::{GroupBy, Trace, traces};
use crate::batch::work::{Settings, Traces};
use crate::cli::analysis_args;
use crate::cli::args::processors;
use crate::cli::console::{self, Console};
use crate::cli::exit::Outcome;
use crate::cli::progress::Bar;
use crate::report::batch::{TaskFile, TaskLine};

/// Finds the captures and works through them.
pub(super) fn run(args: &BatchArgs, console: Console) -> anyhow::Result<Outcome> {
    let jobs = args.jobs.map_or_else(processors, usize::from);
    if args.summarize {
        return summarize(args.out.as_deref().context("--out is missing")?, jobs, args.bar(console), console);
    }
    let budget = memory::budget(args.memory, jobs).map_err(anyhow::Error::msg)?;
    let shard =
        args.shard.as_deref().map(Shard::parse).transpose().map_err(anyhow::Error::msg).context("--shard")?;
    let objects = inputs::objects()?;
    let mut traces = match &args.task {
        Some(file) => tasks(file)?,
        None => find(args, objects.as_ref(), console)?,
    };
    if let Some(shard) = shard {
        traces.retain(|trace| shard.has(&trace.name));
    }
    if args.plan {
        return plan(&traces, &budget);
    }
    let out = args.out.as_deref().context("--out is missing")?;
    let store = open_store(out).context("--out")?;
    let dataset = Dataset::new(Arc::clone(&store));
    // The traces share the cores; where there are few of them, each has several.
    let threads = (jobs / traces.len().max(1)).max(1);
    let options = analysis_args::options(None, threads, &args.selection, &args.analysis, &args.prediction)?;
    let settings = Settings {
        options,
        open: args.input.open(),
        objects,
        allow_truncated: args.input.allow_truncated,
        budget,
        again: args.again,
    };
    let work = Arc::new(Traces::new(traces, dataset.clone(), settings));
    let timeout = args.timeout.map(|span| Duration::from_secs_f64(span.as_secs_f64()));
    let limits = Limits { jobs, memory: budget.total, timeout };
    let mut watching = Watching::new(Arc::clone(&work), console, args.log == Some(LogAs::Json), timeout);
    run::run(&work, limits, &mut watching);
    let counts = watching.finish();
    // A part of the traces has no summary of its own; one that is half there would be mistaken for the whole.
    let is_whole = args.shard.is_none() && args.task.is_none();
    let summary = (is_whole && counts.is_ok()).then(|| summed_up(&dataset, jobs, args.bar(console)));
    store.close();
    let (counts, summary) = (counts.context("--out")?, summary.transpose().context("--out")?);
    let mut text = format!(
        "{} traces: {} done, {} done before, {} failed\n",
        counts.done + counts.skipped,
        counts.done,
        counts.skipped,
        counts.failed
    );
    let mut lacks = false;
    if let Some(summary) = summary {
        text.push('\n');
        text.push_str(&summary.text);
        lacks = lacks_traces(&summary, console);
    }
    print(&text)?;
    Ok(if counts.failed > 0 || lacks { Outcome::Incomplete } else { Outcome::Done })
}

/// The summary of what is in a dataset, by whomever it was put there.
fn summarize(out: &str, jobs: usize, bar: Bar, console: Console) -> anyhow::Result<Outcome> {
    if !is_url(out) {
        // To be written to it would be made, and a mistyped name be an empty dataset.
        LocalStore::open(Path::new(out)).context("--out")?;
    }
    let store = open_store(out).context("--out")?;
    // A store has no directory that could be missing.
    if is_url(out) && store.list(DONE, false).context("--out")?.is_empty() {
        store.close();
        bail!("--out: {out}: no dataset");
    }
    let written = summed_up(&Dataset::new(Arc::clone(&store)), jobs, bar);
    store.close();
    let summary = written.context("--out")?;
    let lacks = lacks_traces(&summary, console);
    print(&summary.text)?;
    Ok(if summary.failed_traces > 0 || lacks { Outcome::Incomplete } else { Outcome::Done })
}

impl BatchArgs {
    /// Shows how far the summary is; a log of JSON is not mixed with it.
    fn bar(&self, console: Console) -> Bar {
        if self.log == Some(LogAs::Json) { Bar::none() } else { Bar::summary(console) }
    }
}

/// Writes the summary; the bar is gone when it is there.
fn summed_up(dataset: &Dataset, jobs: usize, bar: Bar) -> io::Result<summary::Written> {
    let written = summary::write(dataset, jobs, &|done, all| bar.of(done, all));
    drop(bar);
    written
}

/// The dataset's place.
pub(super) fn open_store(out: &str) -> anyhow::Result<Arc<dyn Store>> {
    #[cfg(feature = "cloud")]
    if is_url(out) {
        // Named after the user, who else could not remove what another's run has left.
        let user = std::env::var("USER").unwrap_or_default().replace(['/', '\\'], "");
        let scratch = std::env::temp_dir().join(format!("tcptrace-rs-batch-{user}"));
        return Ok(Arc::new(store::CloudStore::new(&store::Cloud::new()?, out, &scratch)?));
    }
    #[cfg(not(feature = "cloud"))]
    if is_url(out) {
        bail!(
            "{out}: this build writes datasets to directories only (feature `cloud`); mount the object store or copy the directory there"
        );
    }
    Ok(Arc::new(LocalStore::new(Path::new(out))?))
}

fn find(args: &BatchArgs, objects: &dyn Objects, console: Console) -> anyhow::Result<Vec<Trace>> {
    let group_by = GroupBy::parse(&args.group_by).map_err(anyhow::Error::msg).context("--group-by")?;
    let mut stdin = io::stdin().lock();
    let found = Finder::new(args.root.as_deref(), &mut stdin, objects).find(&args.inputs)?;
    if found.passed_over > 0 && console.shows_progress() {
        console
            .hint(&format!("{} passed over: no captures", crate::human::counted(found.passed_over, "file")));
    }
    Ok(traces(found.found, &group_by)?)
}

/// Prints the traces for `--task`.
fn plan(traces: &[Trace], budget: &Budget) -> anyhow::Result<Outcome> {
    let (mut stdout, _) = console::stdout();
    for trace in traces {
        let mut files = Vec::new();
        for file in &trace.files {
            if let Place::File(path) = &file.place {
                // --task would look for another.
                ensure!(
                    path.to_str().is_some(),
                    "{}: not UTF-8, which JSON cannot hold: rename it, or run without --plan",
                    file.name
                );
            }
            files.push(TaskFile { path: file.place.to_string(), name: file.name.clone() });
        }
        let known = trace.files.iter().all(|file| file.bytes.is_some());
        let line = TaskLine {
            trace: trace.name.clone(),
            files,
            bytes: known.then(|| trace.bytes()),
            memory_bytes: Some(BASE + budget.need(trace)),
            lost: None,
        };
        writeln!(stdout, "{}", serde_json::to_string(&line)?).context("standard output")?;
    }
    stdout.flush().context("standard output")?;
    Ok(Outcome::Done)
}

/// Tells of records that are damaged, whose traces the summary leaves out.
fn lacks_traces(summary: &summary::Written, console: Console) -> bool {
    let count = summary.unreadable_records;
    if count > 0 {
        let records = crate::human::counted(count, "record");
        console.warning(&format!(
            "{records} of the dataset cannot be read: the summary leaves their traces out"
        ));
        console.hint("batch over their captures does again what has no record");
    }
    count > 0
}

fn print(text: &str) -> anyhow::Result<()> {
    let (mut stdout, _) = console::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("standard output")
}

/// The traces of such lines.
fn tasks(file: &Path) -> anyhow::Result<Vec<Trace>> {
    let name = file.display().to_string();
    let source: Box<dyn Read> = if name == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(file).with_context(|| name.clone())?)
    };
    let mut traces = Vec::new();
    for (at, line) in BufReader::new(source).lines().enumerate() {
        let line = line.with_context(|| name.clone())?;
        if line.trim().is_empty() {
            continue;
        }
        let task: TaskLine =
            serde_json::from_str(&line).with_context(|| format!("{name}, line {}", at + 1))?;
        if task.files.is_empty() {
            bail!("{name}, line {}: a trace without files", at + 1);
        }
        let files = task.files.into_iter().map(found).collect();
        traces.push(Trace { name: task.trace, files, lost: task.lost });
    }
    Ok(traces)
}

fn found(file: TaskFile) -> Found {
    let place = Place::of(&file.path);
    let bytes = match &place {
        Place::File(path) => store::size(path).ok(),
        Place::Url(_) => None,
    };
    Found { place, name: file.name, bytes }
}
