//! `predict`: what each algorithm would get on a path that is stated, not captured.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::args;
use super::console::{self, Console};
use super::exit::Outcome;
use super::picture::{Picture, PictureFile};
use super::predict_limits;
use super::prediction_args::algorithms;
use super::quantity::{self, LooseShare, RateLimit};
use super::sweep::{Parameter, Sweep};
use crate::cc::Algorithm;
use crate::output::sink::Spared;
use crate::plot::{PredictionView, Subject, figures};
use crate::report::SCHEMA;
use crate::report::prediction::{
    PathReport, PredictionDocument, PredictionRow, SweepDocument, SweepPoint, aqm_name,
};
use crate::sim::predict::{PredictSpec, Prediction, predict};
use crate::sim::{Aqm, Buffer, Jitter, LossModel, PROFILES, Path, Profile, profile};
use crate::units::{Bytes, Rate, Span};

/// Jitter forgets within this time: a few packets of a wireless or virtual link.
const JITTER_MEMORY: Span = Span::from_millis(5);
/// A connection without data offers full Ethernet segments less IPv4 and TCP headers with timestamps.
const DEFAULT_MSS: u32 = 1448;
const DEFAULT_DURATION: Span = Span::from_secs(30);

/// Predicts the throughput of each congestion-control algorithm on a stated path
#[derive(Args, Clone, Debug)]
pub(super) struct PredictArgs {
    /// Round-trip time of the empty path
    #[arg(long, value_name = "TIME", value_parser = quantity::positive_span, help_heading = "Path")]
    rtt: Span,
    /// Rate of the bottleneck, or `unlimited`
    ///
    /// Whole IP packets count: each segment has 52 bytes of headers.
    #[arg(long, value_name = "RATE", value_parser = quantity::rate, help_heading = "Path")]
    rate: RateLimit,
    /// Random loss of data packets
    ///
    /// It happens behind the bottleneck, whatever the load. Where it is known from one figure to another only, such as `0.02%..0.1%`, each of
    /// the runs takes one between, in equal steps of the logarithm.
    #[arg(long, value_name = "PERCENT", value_parser = quantity::loose_share, default_value = "0%", help_heading = "Path")]
    loss: LooseShare,
    /// Mean packets lost in one event
    #[arg(long, value_name = "PACKETS", default_value_t = 1.0, help_heading = "Path")]
    loss_burst: f64,
    /// Lose every n-th packet, not at random
    ///
    /// This is the path of the response functions of the RFCs: one run, an ACK for each segment, no buffer
    /// limits of the hosts, CUBIC as RFC 9438 computes it, and a loss costs nothing but the reduction, not even
    /// a round trip to repair it. The goodput is that of the second half of the run, which
    /// lasts hundreds of periods of the sawtooth.
    #[arg(long, help_heading = "Path")]
    deterministic_loss: bool,
    /// Random loss of ACKs
    #[arg(long, value_name = "PERCENT", value_parser = quantity::share, default_value = "0%", help_heading = "Path")]
    ack_loss: f64,
    /// Mean delay variation
    ///
    /// Packets keep their order.
    #[arg(long, value_name = "TIME", value_parser = quantity::span, default_value = "0ms", help_heading = "Path")]
    jitter: Span,
    /// Share of packets that come late
    ///
    /// Each is half a round-trip time late and is overtaken.
    #[arg(long, value_name = "PERCENT", value_parser = quantity::share, default_value = "0%", help_heading = "Path")]
    reordering: f64,
    /// Least time between interrupts of the hosts' cards
    ///
    /// What arrives in between is handed up together: one ACK answers it, and it is lost as one. By default 65 us (re(4)) on a LAN with a
    /// FreeBSD sender, that is below 1 ms, and none elsewhere.
    #[arg(long, value_name = "TIME", value_parser = quantity::span, help_heading = "Path")]
    coalesce: Option<Span>,
    /// Buffer of the bottleneck
    ///
    /// Bytes, bandwidth-delay products such as `2bdp`, or `unlimited`.
    #[arg(long, value_name = "SIZE", value_parser = quantity::buffer, default_value = "1bdp", help_heading = "Path")]
    buffer: Buffer,
    /// Queue management of the bottleneck
    #[arg(long, value_enum, hide_possible_values = true, default_value_t = AqmArg::None, help_heading = "Path")]
    aqm: AqmArg,
    /// Payload of a full segment in bytes
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=65_000), default_value_t = DEFAULT_MSS, help_heading = "Sender")]
    mss: u32,
    /// Most unacknowledged bytes, or `unlimited`
    ///
    /// By default the limit of the stack's socket buffers: 4 MiB on Linux, 2 MiB on FreeBSD.
    #[arg(long, value_name = "SIZE", value_parser = quantity::limit, help_heading = "Sender")]
    rwnd: Option<Bytes>,
    /// Segments acknowledged together
    ///
    /// By default as the stack does, or 1 with --deterministic-loss.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Sender")]
    ack_every: Option<u32>,
    /// Rate at which the application writes
    #[arg(long, value_name = "RATE", value_parser = quantity::rate, help_heading = "Sender")]
    app_rate: Option<RateLimit>,
    /// How long to send [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = quantity::positive_span, help_heading = "Sender")]
    duration: Option<Span>,
    /// How much to send, in place of a duration
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, help_heading = "Sender")]
    bytes: Option<Bytes>,
    /// Flows that share the path
    ///
    /// All use the same algorithm, and the goodput is their sum.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000), default_value_t = 1, help_heading = "Sender")]
    flows: u32,
    /// Stack of the sender
    ///
    /// It decides loss recovery, timers, the clock and the version of each algorithm: linux-6, linux-4,
    /// freebsd-14, freebsd-15 or freebsd-14-rack.
    #[arg(long, value_name = "PROFILE", value_parser = clap::builder::PossibleValuesParser::new(PROFILES.iter().map(|p| p.name)), hide_possible_values = true,
        default_value = "linux-6", help_heading = "Sender")]
    sender: String,
    /// Ticks a second of the sender's clock
    ///
    /// `kern.hz` on FreeBSD; virtual machines often have 100.
    #[arg(long, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Sender")]
    hz: Option<u32>,
    /// Algorithms, or `all`
    ///
    /// Names separated by commas.
    #[arg(long, value_name = "LIST", default_value = "all", help_heading = "Prediction")]
    cc: String,
    /// Seed of the simulation
    #[arg(long, value_name = "NUMBER", default_value_t = 1, help_heading = "Prediction")]
    seed: u64,
    /// Runs of each algorithm
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000), default_value_t = 8, help_heading = "Prediction")]
    runs: u32,
    /// Curve over a range of loss or RTT
    ///
    /// `loss=0.001%..10%` or `rtt=1ms..300ms`, in four steps a decade.
    #[arg(long, value_name = "NAME=FROM..TO", value_parser = super::sweep::parse, help_heading = "Prediction")]
    sweep: Option<Sweep>,
    /// text, json or csv
    #[arg(long, value_enum, hide_possible_values = true, default_value_t = PredictFormat::Text, help_heading = "Output")]
    format: PredictFormat,
    /// Draw it into this file: .svg, .png or .xpl
    ///
    /// A bar for each algorithm with its interval, or with --sweep a line for each over the range.
    #[arg(long, value_name = "FILE", value_parser = super::picture::file, help_heading = "Output")]
    plot: Option<PictureFile>,
}

/// Values of `--aqm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AqmArg {
    /// Drop-tail
    None,
    /// Fair queueing with controlled delay (RFC 8290)
    #[value(name = "fq_codel", alias = "fq-codel")]
    FqCodel,
    /// Random early detection that marks; all flows use ECN
    RedEcn,
}

/// Values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PredictFormat {
    /// A table
    Text,
    /// One document
    Json,
    /// One row for each algorithm (and point of a sweep)
    Csv,
}

/// Runs the command.
pub(super) fn run(args: &PredictArgs, console: Console) -> anyhow::Result<Outcome> {
    let algorithms = args.algorithms()?;
    let points = args.points()?;
    let runs = algorithms.len() * points.first().map_or(0, |spec| spec.draws as usize);
    predict_limits::check(&points, runs)?;
    let picture = args
        .plot
        .as_ref()
        .map(|file| Picture::open(file, Spared::default()))
        .transpose()
        .context("--plot")?;
    let output = match &args.sweep {
        Some(sweep) => sweep_output(args, console, &points, &algorithms, sweep, picture)?,
        None => single_output(args, console, &points[0], &algorithms, picture)?,
    };
    let (mut stdout, _) = console::stdout();
    stdout.write_all(output.as_bytes()).and_then(|()| stdout.flush()).context("standard output")?;
    Ok(Outcome::Done)
}

impl PredictArgs {
    fn algorithms(&self) -> anyhow::Result<Vec<&'static dyn Algorithm>> {
        algorithms(&self.cc)
    }

    fn profile(&self) -> anyhow::Result<&'static Profile> {
        profile(&self.sender).with_context(|| format!("--sender {}: no such profile", self.sender))
    }

    fn loss_model(&self) -> anyhow::Result<LossModel> {
        let burst = predict_limits::burst(self.loss_burst)?;
        if self.deterministic_loss && self.loss.factor > 1.0 {
            bail!("--loss: every n-th packet is one share, not a range");
        }
        Ok(match (self.loss.middle, self.deterministic_loss) {
            (0.0, _) => LossModel::None,
            (loss, true) => LossModel::Periodic(loss),
            (rate, false) if burst > 1.0 => LossModel::Trains { rate, mean_length: burst },
            (loss, false) => LossModel::Independent(loss),
        })
    }

    /// What to predict, at each point of a sweep if there is one.
    fn points(&self) -> anyhow::Result<Vec<PredictSpec>> {
        let Some(sweep) = &self.sweep else { return Ok(vec![self.spec()?]) };
        let at = |value| {
            let mut here = self.clone();
            match sweep.parameter {
                Parameter::Loss => here.loss = LooseShare { middle: value, factor: 1.0 },
                Parameter::Rtt => here.rtt = Span::from_secs_f64(value),
            }
            here.spec()
        };
        sweep.values().into_iter().map(at).collect()
    }

    fn spec(&self) -> anyhow::Result<PredictSpec> {
        let mut path = Path::new(self.rtt, self.rate.0);
        path.buffer = self.buffer;
        path.aqm = match self.aqm {
            AqmArg::None => Aqm::None,
            AqmArg::FqCodel => Aqm::FqCodel,
            AqmArg::RedEcn => Aqm::RedEcn,
        };
        path.loss = self.loss_model()?;
        path.ack_loss = self.ack_loss;
        path.jitter = (self.jitter > Span::ZERO).then_some(Jitter {
            mean: self.jitter,
            deviation: None,
            memory: JITTER_MEMORY,
        });
        path.coalescing = match self.coalesce {
            Some(apart) => apart,
            None if self.deterministic_loss => Span::ZERO,
            None => self.profile()?.coalescing(self.rtt),
        };
        path.reordering = self.reordering;
        path.reordering_delay = self.rtt.scale(0.5);
        // The derivations that periodic loss is for know no host buffers.
        let unlimited = Some(Bytes::new(u64::MAX));
        Ok(PredictSpec {
            receive_window: if self.deterministic_loss { self.rwnd.or(unlimited) } else { self.rwnd },
            path,
            loss_factor: self.loss.factor,
            profile: self.profile()?,
            clock_hz: self.hz,
            mss: self.mss,
            ack_every: self.ack_every.or_else(|| self.deterministic_loss.then_some(1)),
            duration: self.duration.unwrap_or_else(|| self.default_duration()),
            bytes: self.bytes,
            application: self.app_rate.and_then(|limit| limit.0),
            flows: self.flows,
            seed: self.seed,
            draws: if self.deterministic_loss { 1 } else { self.runs },
        })
    }

    /// A transfer of given size takes as long as it takes, within a day. Periodic loss needs many periods to
    /// become steady: a hundred of Reno's, each 0.8 RTT / sqrt(p), and 800 of CUBIC's, each cbrt(0.3 W / 0.4)
    /// seconds long (RFC 9438 section 4.2) with W = 1.05 (RTT / p)^(3/4) (section 5.1), or 0.92 (RTT / p)^(1/4): from
    /// above the window comes down by 0.7 e^3 of itself a period, if it is e of itself too large.
    fn default_duration(&self) -> Span {
        if self.bytes.is_some() {
            Span::from_secs(86_400)
        } else if self.deterministic_loss && self.loss.middle > 0.0 {
            let cubic = 740.0 * (self.rtt.as_secs_f64() / self.loss.middle).powf(0.25);
            DEFAULT_DURATION
                .max(self.rtt.scale(80.0 / self.loss.middle.sqrt()))
                .max(Span::from_secs_f64(cubic))
        } else {
            DEFAULT_DURATION
        }
    }

    fn path_report(&self, spec: &PredictSpec) -> PathReport {
        PathReport {
            base_rtt_us: spec.path.rtt.as_micros_f64(),
            rate_bps: spec.path.rate.map(Rate::as_bits_per_sec),
            buffer_bytes: spec.path.buffer_bytes().map(Bytes::get),
            aqm: aqm_name(&spec.path),
            random_loss: spec.path.loss.rate(),
            random_loss_low: spec.path.loss.rate() / spec.loss_factor,
            random_loss_high: spec.path.loss.rate() * spec.loss_factor,
            loss_burst: self.loss_burst,
            ack_loss: spec.path.ack_loss,
            jitter_us: self.jitter.as_micros_f64(),
            coalesce_us: spec.path.coalescing.as_micros_f64(),
            rwnd_limit_bytes: match spec.receive_window {
                None => Some(spec.profile.buffer_limit.get()),
                Some(bytes) => (bytes.get() != u64::MAX).then_some(bytes.get()),
            },
            mss: spec.mss,
            sender: spec.profile.name,
            clock_hz: spec.clock_hz.unwrap_or(spec.profile.clock_hz),
            duration_s: spec.duration.as_secs_f64(),
            transfer_bytes: spec.bytes.map(Bytes::get),
            flows: spec.flows,
            draws: spec.draws,
            seed: spec.seed,
        }
    }
}

/// Predicts on all cores, with a progress bar if someone is watching.
fn simulate(console: Console, spec: &PredictSpec, algorithms: &[&'static dyn Algorithm]) -> Vec<Prediction> {
    let threads = args::processors();
    if !console.shows_progress() || !io::stderr().is_terminal() {
        return predict(spec, algorithms, threads, &|_, _| ());
    }
    let bar = indicatif::ProgressBar::new(algorithms.len() as u64 * u64::from(spec.draws));
    let predictions = predict(spec, algorithms, threads, &|done, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    predictions
}

fn single_output(
    args: &PredictArgs,
    console: Console,
    spec: &PredictSpec,
    algorithms: &[&'static dyn Algorithm],
    picture: Option<Picture>,
) -> anyhow::Result<String> {
    let mut predictions = simulate(console, spec, algorithms);
    predictions.sort_by(|a, b| b.goodput.p50.total_cmp(&a.goodput.p50));
    let document = PredictionDocument {
        schema: SCHEMA,
        path: args.path_report(spec),
        predictions: predictions.iter().map(PredictionRow::from).collect(),
    };
    if let Some(picture) = picture {
        picture.draw(figures(&Subject::Predictions(&PredictionView::stated(&document))).next())?;
    }
    Ok(match args.format {
        PredictFormat::Text => super::predict_text::table(&document.path, &predictions),
        PredictFormat::Csv => super::predict_text::csv(&predictions),
        PredictFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
    })
}

fn sweep_output(
    args: &PredictArgs,
    console: Console,
    specs: &[PredictSpec],
    algorithms: &[&'static dyn Algorithm],
    sweep: &Sweep,
    picture: Option<Picture>,
) -> anyhow::Result<String> {
    let points: Vec<_> = sweep
        .values()
        .into_iter()
        .zip(specs)
        .map(|(value, spec)| (value, simulate(console, spec, algorithms)))
        .collect();
    let last = specs.last().context("a sweep has points")?;
    let document = SweepDocument {
        schema: SCHEMA,
        path: args.path_report(last),
        parameter: sweep.parameter.name(),
        points: points
            .iter()
            .map(|(value, predictions)| SweepPoint {
                value: sweep.parameter.in_report(*value),
                predictions: predictions.iter().map(PredictionRow::from).collect(),
            })
            .collect(),
    };
    if let Some(picture) = picture {
        picture.draw(figures(&Subject::Sweep(&document)).next())?;
    }
    Ok(match args.format {
        PredictFormat::Text => super::predict_text::curve(&document.path, sweep, &points),
        PredictFormat::Csv => super::predict_text::sweep_csv(sweep, &points),
        PredictFormat::Json => serde_json::to_string_pretty(&document)? + "\n",
    })
}
