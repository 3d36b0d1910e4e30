//! What every algorithm would get on a path: several simulated runs of each, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::closed_form::Conditions;
use super::measure::FlowResult;
use super::path::{LossModel, Path};
use super::profile::Profile;
use super::run::{FlowSpec, HEADER, RunSpec, run};
use crate::cc::Algorithm;
use crate::units::{Bytes, Rate, Span};

/// What to predict.
#[derive(Clone)]
pub struct PredictSpec {
    /// The path.
    pub path: Path,
    /// Within which factor its random loss is known: the runs take it from the rate over this to the rate times this, in equal steps of
    /// the logarithm. 1 if it is known.
    pub loss_factor: f64,
    /// The sender's stack.
    pub profile: &'static Profile,
    /// Kernel clock, if not the profile's.
    pub clock_hz: Option<u32>,
    /// Payload of a full segment.
    pub mss: u32,
    /// Most unacknowledged bytes, if not the stack's default buffers.
    pub receive_window: Option<Bytes>,
    /// Segments acknowledged together, if not as the stack does.
    pub ack_every: Option<u32>,
    /// How long a run lasts at most.
    pub duration: Span,
    /// Bytes to transfer in each flow, if not for the whole duration.
    pub bytes: Option<Bytes>,
    /// Rate at which the application writes, if it is the limit.
    pub application: Option<Rate>,
    /// Flows of the same algorithm that share the path.
    pub flows: u32,
    /// Seed of all runs.
    pub seed: u64,
    /// Runs of each algorithm.
    pub draws: u32,
}

/// The middle and the spread of one figure over the runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// 10th percentile.
    pub p10: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
}

/// How a prediction was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By simulation.
    Simulated,
}

/// The outcome for one algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Its name.
    pub algorithm: &'static str,
    /// Payload bits per second of all flows together.
    pub goodput: Spread,
    /// How it was found.
    pub method: Method,
    /// Retransmitted segments over all sent.
    pub retransmit_rate: f64,
    /// Mean queueing delay.
    pub mean_queue: Span,
    /// 95th percentile of the queueing delay.
    pub p95_queue: Span,
    /// Median time to 90 % of the steady rate.
    pub time_to_steady: Option<Span>,
    /// What to know about it.
    pub notes: Vec<String>,
}

/// Percentile `share` of sorted values, linear between neighbours.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let rank = share * last as f64;
    let low = rank.floor() as usize;
    let high = (low + 1).min(last);
    sorted[low] + (sorted[high] - sorted[low]) * (rank - low as f64)
}

impl Spread {
    /// Of these values.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Self { p10: percentile(&sorted, 0.1), p50: percentile(&sorted, 0.5), p90: percentile(&sorted, 0.9) }
    }
}

/// Simulates every algorithm `spec.draws` times on `threads` threads. The result does not depend on their
/// number. `progress` is called after each run with the runs done and the runs in all.
pub fn predict(
    spec: &PredictSpec,
    algorithms: &[&'static dyn Algorithm],
    threads: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Prediction> {
    let draws = spec.draws.max(1) as usize;
    let jobs = algorithms.len() * draws;
    let play = |job: usize| repetition(spec, algorithms[job / draws], (job % draws) as u32);
    let runs = on_threads(jobs, threads, &play, progress);
    algorithms
        .iter()
        .zip(runs.chunks(draws))
        .map(|(algorithm, runs)| {
            let mut prediction = summarize(algorithm.name(), runs, &spec.path);
            prediction.goodput = widen(prediction.goodput, spec);
            if runs.iter().any(|run| run.batched) {
                prediction.notes.push("long run, simulated in batches".to_owned());
            }
            prediction.notes.extend(cross_check(spec, algorithm.name(), prediction.goodput.p50));
            prediction
        })
        .collect()
}

/// Plays several runs of one flow each; results in their order, whatever the number of threads.
pub fn play(runs: &[RunSpec], threads: usize) -> Vec<FlowResult> {
    on_threads(runs.len(), threads, &|job| sum(&run(&runs[job])), &|_, _| ())
}

fn on_threads(
    jobs: usize,
    threads: usize,
    play: &(dyn Fn(usize) -> FlowResult + Sync),
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<FlowResult> {
    let (taken, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Mutex<Vec<Option<FlowResult>>> = Mutex::new(vec![None; jobs]);
    let work = || {
        loop {
            let job = taken.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                break;
            }
            let result = play(job);
            results.lock().unwrap_or_else(PoisonError::into_inner)[job] = Some(result);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, jobs.max(1)) {
            scope.spawn(work);
        }
        work();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

/// Standard deviation of the logarithm of measured over predicted goodput where the algorithm sets the rate.
/// Repeated tests of one stack on one emulated path differ by a fifth (median coefficient of variation 21 %),
/// and a single one is what is predicted.
const ALGORITHM_ERROR: f64 = 0.2;
/// The same where the link does: whether a rate counts headers, and which, is 2 to 6 %.
const LINK_ERROR: f64 = 0.05;
/// From the 10th to the 50th percentile of a normal distribution in standard deviations.
const TENTH: f64 = 1.2816;

/// Adds the error of the model itself to the spread over the runs. Nothing exceeds the link.
fn widen(spread: Spread, spec: &PredictSpec) -> Spread {
    let link = spec.path.rate.map_or(f64::INFINITY, Rate::as_bits_per_sec);
    let payload = link * f64::from(spec.mss) / f64::from(spec.mss + HEADER);
    let spread =
        Spread { p10: spread.p10.min(payload), p50: spread.p50.min(payload), p90: spread.p90.min(payload) };
    if spread.p10 <= 0.0 || matches!(spec.path.loss, LossModel::Periodic(_)) {
        return spread;
    }
    // How far what is sure (link, application, window) sets the rate, and not the algorithm.
    let flows = f64::from(spec.flows.max(1));
    let window = spec.receive_window.unwrap_or(spec.profile.buffer_limit).get() as f64;
    let by_window = flows * window * 8.0 / spec.path.rtt.as_secs_f64().max(1e-9);
    let by_application = spec.application.map_or(f64::INFINITY, |rate| flows * rate.as_bits_per_sec());
    let used = (spread.p50 / payload.min(by_window).min(by_application)).min(1.0);
    let error = TENTH * (LINK_ERROR + (ALGORITHM_ERROR - LINK_ERROR) * (1.0 - used));
    let down = (spread.p50 / spread.p10).ln().hypot(error);
    let up = (spread.p90 / spread.p50).ln().hypot(error);
    Spread { p10: spread.p50 * (-down).exp(), p90: (spread.p50 * up.exp()).min(link), ..spread }
}

/// A remark if the prediction is far from the closed forms that apply. They describe long transfers.
fn cross_check(spec: &PredictSpec, algorithm: &str, goodput: f64) -> Option<String> {
    if spec.bytes.is_some() || spec.application.is_some() {
        return None;
    }
    let mss = f64::from(spec.mss);
    let window = spec.receive_window.unwrap_or(spec.profile.buffer_limit).get() as f64 / mss;
    let conditions = Conditions::of(&spec.path, spec.mss, window, spec.flows)?;
    conditions.check(algorithm, goodput / 8.0 / mss / f64::from(spec.flows.max(1)))
}

impl PredictSpec {
    /// One of its flows.
    pub(super) const fn flow(&self, algorithm: &'static dyn Algorithm) -> FlowSpec {
        FlowSpec {
            algorithm,
            profile: self.profile,
            clock_hz: self.clock_hz,
            mss: self.mss,
            receive_window: self.receive_window,
            ack_every: self.ack_every,
            bytes: self.bytes,
            application: self.application,
            start: Span::ZERO,
        }
    }
}

/// One run; the flows' results are added up.
fn repetition(spec: &PredictSpec, algorithm: &'static dyn Algorithm, draw: u32) -> FlowResult {
    let flows = vec![spec.flow(algorithm); spec.flows.max(1) as usize];
    let mut path = spec.path.clone();
    if spec.loss_factor > 1.0 {
        let place = (2.0 * f64::from(draw) + 1.0) / f64::from(spec.draws.max(1)) - 1.0;
        path.loss = path.loss.scaled(spec.loss_factor.powf(place));
    }
    let duration = spec.duration;
    sum(&run(&RunSpec { path, flows, duration, seed: spec.seed, draw, most_segments: None }))
}

fn sum(results: &[FlowResult]) -> FlowResult {
    let count = results.len().max(1) as f64;
    let total = |f: fn(&FlowResult) -> u64| results.iter().map(f).sum();
    let mean = |f: fn(&FlowResult) -> Span| {
        Span::from_secs_f64(results.iter().map(|r| f(r).as_secs_f64()).sum::<f64>() / count)
    };
    FlowResult {
        goodput: Rate::from_bits_per_sec(results.iter().map(|r| r.goodput.as_bits_per_sec()).sum()),
        delivered: Bytes::new(total(|r| r.delivered.get())),
        sent: total(|r| r.sent),
        retransmitted: total(|r| r.retransmitted),
        lost: total(|r| r.lost),
        timeouts: results.iter().map(|r| r.timeouts).sum(),
        mean_queue: mean(|r| r.mean_queue),
        p95_queue: mean(|r| r.p95_queue),
        time_to_steady: results.iter().filter_map(|r| r.time_to_steady).max(),
        steady: Rate::from_bits_per_sec(results.iter().map(|r| r.steady.as_bits_per_sec()).sum()),
        batched: results.iter().any(|r| r.batched),
        events: results.iter().map(|r| r.events).max().unwrap_or(0),
        span: results.iter().map(|r| r.span).max().unwrap_or_default(),
    }
}

/// With periodic loss the steady state is what is asked for: the run's second half.
fn summarize(algorithm: &'static str, runs: &[FlowResult], path: &Path) -> Prediction {
    let steady = matches!(path.loss, LossModel::Periodic(_));
    let goodput = |run: &FlowResult| if steady { run.steady } else { run.goodput };
    let (sent, again) = runs.iter().fold((0, 0), |(s, r), run| (s + run.sent, r + run.retransmitted));
    let mean = |f: fn(&FlowResult) -> Span| {
        let sum: f64 = runs.iter().map(|run| f(run).as_secs_f64()).sum();
        Span::from_secs_f64(sum / runs.len().max(1) as f64)
    };
    let times = Spread::of(runs.iter().filter_map(|run| run.time_to_steady).map(Span::as_secs_f64));
    Prediction {
        algorithm,
        goodput: Spread::of(runs.iter().map(|run| goodput(run).as_bits_per_sec())),
        method: Method::Simulated,
        retransmit_rate: again as f64 / (sent.max(1)) as f64,
        mean_queue: mean(|run| run.mean_queue),
        p95_queue: mean(|run| run.p95_queue),
        time_to_steady: (!times.p50.is_nan()).then(|| Span::from_secs_f64(times.p50)),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Reno's goodput goes with the inverse root of the loss: from a fourth of it to four times, twice to half as much.
    #[test]
    fn a_loss_that_is_hardly_known_widens_the_interval() {
        let mut path = Path::new(Span::from_millis(20), Some(Rate::from_bits_per_sec(1e9)));
        path.loss = LossModel::Independent(0.002);
        let spec = |loss_factor| PredictSpec {
            path: path.clone(),
            loss_factor,
            profile: crate::sim::profile("linux-6").unwrap(),
            clock_hz: None,
            mss: 1448,
            receive_window: None,
            ack_every: None,
            duration: Span::from_secs(10),
            bytes: None,
            application: None,
            flows: 1,
            seed: 1,
            draws: 8,
        };
        let reno = [crate::cc::algorithm("reno").unwrap()];
        let run = |factor| predict(&spec(factor), &reno, 1, &|_, _| ())[0].goodput;
        let (known, loose) = (run(1.0), run(4.0));
        assert!((loose.p50 / known.p50).ln().abs() < 0.3, "{} {}", loose.p50, known.p50);
        let ratio = loose.p90 / loose.p10;
        assert!(ratio > 2.4 && ratio < 6.0 && known.p90 / known.p10 < 2.0, "{ratio}");
    }

    // Of five values the 10th percentile lies 0.4 of the way from the first to the second (rank 0.1 * 4).
    #[test]
    fn percentiles_are_linear_between_neighbours() {
        let spread = Spread::of([30.0, 10.0, 50.0, 20.0, 40.0].into_iter());
        assert!((spread.p10 - 14.0).abs() < 1e-9);
        assert!((spread.p50 - 30.0).abs() < 1e-9);
        assert!((spread.p90 - 46.0).abs() < 1e-9);
    }
}
