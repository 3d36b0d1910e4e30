//! `check`: finds captures and their baselines, analyses, judges, and tells.

mod inputs;
mod outputs;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use inputs::Job;
use outputs::Output;

use super::Outcome;
use super::analysed::analyse;
use super::args;
use super::console::{self, Console};
use crate::check::baseline::Baseline;
use crate::check::bless::{Blessed, bless};
use crate::check::field::Part;
use crate::check::judge::judge;
use crate::check::report::{self, REPORTS};
use crate::check::result::{CaptureCheck, CheckRun, Problem, Status};
use crate::check::rule::Rule;
use crate::check::subject::Subject;
use crate::check::value::Value;
use crate::error::CaptureError;
use crate::output::sink::Spared;

/// The largest baseline that is read.
const MAX_BASELINE: u64 = 64 << 20;

/// The arguments of `check`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct CheckArgs {
    /// Capture, or directory of captures
    ///
    /// Each is checked against the baseline beside it, CAPTURE.baseline.toml. In a directory, also below it, captures are
    /// known by their names' ends (.pcap, .pcapng, .cap, .snoop, .erf, also compressed) or by a baseline beside them; those
    /// without one are named and passed over.
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,

    /// Baseline, or directory of baselines
    ///
    /// A file holds for every capture; in a directory the baseline of NAME is NAME.baseline.toml.
    #[arg(long, value_name = "FILE|DIR", help_heading = "Input")]
    baseline: Option<PathBuf>,

    /// Exit with 0 even if a capture ends inside a record
    ///
    /// A baseline that says `truncated = true` allows it as well.
    #[arg(long, help_heading = "Input")]
    allow_truncated: bool,

    /// Rule for each connection: 'min goodput 1gbit'
    ///
    /// Besides those of the baseline: `min` or `max`, optionally c2s, s2c or both, a field and a bound. Without a direction
    /// it is about the one that carries more data. May be given several times, and without any baseline.
    #[arg(long, value_name = "RULE", value_parser = rule, help_heading = "Checks")]
    rule: Vec<Rule>,

    /// Write what the captures say into the baselines
    ///
    /// Values that the capture still agrees with, tolerances, rules, comments and the choice of fields stay as they are. A
    /// baseline that is missing is written with a stock of fields.
    #[arg(long, help_heading = "Checks")]
    bless: bool,

    /// As text (the default), json, junit, github, sarif
    ///
    /// junit is the XML that CI servers read; github are workflow commands, which become annotations; sarif is SARIF 2.1.0.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = report_names(), hide_possible_values = true, hide_default_value = true, help_heading = "Output")]
    format: String,

    /// Write such a report into a file as well
    ///
    /// Such as junit=check.xml. May be given several times.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = outputs::parse, help_heading = "Output")]
    report: Vec<outputs::Wanted>,
}

const EXAMPLES: &str = "\
Examples:
  Write a baseline beside each capture of a directory:
    tcptrace-rs check --bless fixtures/
  Check them all, in CI on GitHub, with a JUnit file besides:
    tcptrace-rs check fixtures/ --format github --report junit=check.xml
  No baseline, only rules:
    tcptrace-rs check run.pcap --rule 'min goodput 900mbit' --rule 'max spurious_rate 0.1%'";

/// Checks everything and tells; fails on what cannot even be looked for.
pub(super) fn run(args: &CheckArgs, console: Console) -> anyhow::Result<Outcome> {
    let format = report::find(&args.format).with_context(|| format!("no format {:?}", args.format))?;
    args::stdin_once(&args.captures)?;
    let jobs = inputs::find(&args.captures, args.baseline.as_deref(), args.bless)?;
    let mut spared = Spared::reading(jobs.iter().map(|job| &job.capture));
    for job in &jobs {
        spared.add(&job.baseline, "which is a baseline");
    }
    let outputs = args.report.iter().map(|wanted| Output::open(wanted, &mut spared));
    let outputs = outputs.collect::<anyhow::Result<Vec<_>>>()?;
    let captures = jobs.iter().map(|job| args.check(job, console)).collect::<anyhow::Result<_>>()?;
    let run = CheckRun { captures };
    let (mut stdout, _) = console::stdout();
    stdout
        .write_all(format.write(&run).as_bytes())
        .and_then(|()| stdout.flush())
        .context("standard output")?;
    for output in outputs {
        output.write(&run)?;
    }
    if run.count(Status::Error) > 0 {
        return Ok(Outcome::Incomplete);
    }
    if run.failed() > 0 {
        if !args.bless {
            console.hint("where the new values are right, --bless writes them into the baselines");
        }
        return Ok(Outcome::Breach);
    }
    ensure!(
        run.checked() > 0 || args.bless,
        "nothing was checked: no capture has a baseline (--bless writes one)"
    );
    Ok(Outcome::Done)
}

impl CheckArgs {
    fn check(&self, job: &Job, console: Console) -> anyhow::Result<CaptureCheck> {
        let mut check = CaptureCheck { path: job.capture.display().to_string(), ..CaptureCheck::default() };
        if job.is_gone {
            check.baseline = Some(job.baseline.display().to_string());
            check
                .problems
                .push(Problem::new(format!("stale: {} is about it, and it is gone", job.baseline.display())));
            return Ok(check);
        }
        let old = read(&job.baseline)?;
        if old.is_none() && !self.bless {
            if job.must_have_baseline && self.rule.is_empty() {
                let missing = job.baseline.display();
                check
                    .problems
                    .push(Problem::new(format!("there is no baseline {missing}; --bless writes one")));
                return Ok(check);
            }
            if self.rule.is_empty() {
                return Ok(check);
            }
        } else {
            check.baseline = Some(job.baseline.display().to_string());
        }
        let mut subject = Subject::default();
        let errors = match analyse(&job.capture, &mut subject, console) {
            Ok((capture, errors)) => {
                subject.finish(&capture);
                errors
            }
            Err(error) => {
                check.problems.push(Problem::new(error.to_string()));
                return Ok(check);
            }
        };
        let text = if self.bless { Self::bless(job, old, &subject, &errors, &mut check)? } else { old };
        let baseline = match text.as_deref().map(Baseline::parse).transpose() {
            Ok(baseline) => baseline.unwrap_or_default(),
            Err(problems) => {
                check.problems.extend(problems);
                return Ok(check);
            }
        };
        self.tell(&errors, &baseline, &mut check, console);
        let judgement = judge(&subject, &baseline, &self.rule);
        check.parts = judgement.parts;
        check.problems.extend(judgement.problems);
        Ok(check)
    }

    /// Writes the baseline anew, and gives its text; nothing of a capture that is broken.
    fn bless(
        job: &Job,
        old: Option<String>,
        subject: &Subject,
        errors: &[CaptureError],
        check: &mut CaptureCheck,
    ) -> anyhow::Result<Option<String>> {
        if errors.iter().any(|error| !error.is_truncation()) {
            return Ok(old);
        }
        let name =
            job.capture.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match bless(old.as_deref(), &name, subject) {
            Ok(Blessed { text, changes }) => {
                check.blessed = Some(changes);
                if old.as_deref() != Some(text.as_str()) {
                    outputs::replace(&job.baseline, text.as_bytes(), &job.capture)?;
                }
                Ok(Some(text))
            }
            // They are told when the text is read once more.
            Err(_) => Ok(old),
        }
    }

    /// What was wrong with the capture is a problem, unless it was only cut and that is known.
    fn tell(&self, errors: &[CaptureError], baseline: &Baseline, check: &mut CaptureCheck, console: Console) {
        let is_known =
            baseline.capture.values.get("truncated").is_some_and(|it| it.value == Value::Bool(true));
        for error in errors {
            if error.is_truncation() && (self.allow_truncated || is_known) {
                if !is_known {
                    console.warning(&error.to_string());
                }
            } else {
                check.problems.push(Problem::new(error.to_string()));
            }
        }
    }
}

/// The text of a baseline; `None` where there is none.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    let name = || path.display().to_string();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(name),
    };
    let mut text = String::new();
    file.take(MAX_BASELINE + 1).read_to_string(&mut text).with_context(name)?;
    if text.len() as u64 > MAX_BASELINE {
        bail!("{}: larger than {} MiB", path.display(), MAX_BASELINE >> 20);
    }
    Ok(Some(text))
}

fn rule(text: &str) -> Result<Rule, String> {
    Rule::parse(text, &[Part::Direction, Part::Connection], None)
}

fn report_names() -> PossibleValuesParser {
    REPORTS.iter().map(|row| PossibleValue::new(row.name()).help(row.about())).collect::<Vec<_>>().into()
}
