//! Simulates every algorithm over the draws, within a budget.

use super::Question;
use super::draw;
use crate::cc::Algorithm;
use crate::path::PathModel;
use crate::sim::predict::play;
use crate::sim::{FlowResult, FlowSpec, RunSpec};
use crate::units::{Bytes, Span};

/// And at least, whatever they cost.
const LEAST_DRAWS: u32 = 3;

/// Segments that all runs together may send, for each segment of the transfer, and at least.
const BUDGET: (u64, u64) = (100, 2_400_000);

/// Two runs whose goodput differs by less, as a logarithm, need no third.
const SETTLED: f64 = 0.02;

/// A transfer is predicted for as long as it took, up to this.
const LONGEST: Span = Span::from_secs(60);

/// The runs of one algorithm.
pub(super) struct Runs {
    pub(super) algorithm: &'static dyn Algorithm,
    /// Goodput over the whole time in bits a second, and the run it is of.
    pub(super) runs: Vec<(f64, FlowResult)>,
}

impl Runs {
    /// Mean and standard deviation of the logarithm of the goodput.
    pub(super) fn logarithm(&self) -> (f64, f64) {
        let logs: Vec<f64> = self.runs.iter().map(|(goodput, _)| goodput.max(1.0).ln()).collect();
        let count = logs.len().max(1) as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        (mean, if logs.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
    }

    /// Median time to the steady rate, seconds.
    pub(super) fn time_to_steady(&self) -> Option<f64> {
        let mut times: Vec<f64> =
            self.runs.iter().filter_map(|(_, run)| run.time_to_steady).map(Span::as_secs_f64).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    fn wants(&self, draw: u32, share: u64) -> bool {
        if draw < LEAST_DRAWS {
            return true;
        }
        let spent: u64 = self.runs.iter().map(|(_, run)| run.sent).sum();
        let each = spent / self.runs.len().max(1) as u64;
        self.logarithm().1 > SETTLED && spent + each <= share
    }
}

/// Plays all; the same for any number of threads.
pub(super) fn all(model: &PathModel, question: &Question) -> Vec<Runs> {
    let time = model.duration.min(LONGEST);
    let transfer = (model.goodput * model.duration.as_secs_f64() / 8.0 / f64::from(model.mss.max(1))) as u64;
    let budget = (transfer.saturating_mul(BUDGET.0).max(BUDGET.1) as f64 * question.effort) as u64;
    let share = budget / question.algorithms.len().max(1) as u64;
    let most_segments = Some(share.max(transfer.saturating_mul(3)));
    let mut all: Vec<Runs> =
        question.algorithms.iter().map(|&algorithm| Runs { algorithm, runs: Vec::new() }).collect();
    for draw in 0..question.draws.max(1) {
        let path = draw::path(model, draw);
        let wanted: Vec<usize> = (0..all.len()).filter(|&at| all[at].wants(draw, share)).collect();
        let spec = |&at: &usize| RunSpec {
            path: path.clone(),
            flows: vec![flow(model, question, all[at].algorithm)],
            duration: time,
            seed: question.seed,
            draw,
            most_segments,
        };
        let specs: Vec<RunSpec> = wanted.iter().map(spec).collect();
        if specs.is_empty() {
            break;
        }
        for (at, run) in wanted.into_iter().zip(play(&specs, question.threads)) {
            all[at].runs.push((whole(&run, time), run));
        }
    }
    all
}

/// Goodput over the whole time of a run that may have ended before: it goes on as it was in its second half.
fn whole(run: &FlowResult, time: Span) -> f64 {
    let (played, time) = (run.span.as_secs_f64(), time.as_secs_f64().max(1e-9));
    let left = (time - played).max(0.0);
    (run.goodput.as_bits_per_sec() * played + run.steady.as_bits_per_sec() * left) / time.max(played)
}

fn flow(model: &PathModel, question: &Question, algorithm: &'static dyn Algorithm) -> FlowSpec {
    let arrive = 1.0 - model.ack_losses.map_or(0.0, |losses| losses.rate().value);
    // An ACK for each second segment is what the receiver does anyway.
    let every =
        (model.ack_ratio > 0.0).then(|| (arrive / model.ack_ratio).round() as u32).filter(|every| *every > 2);
    FlowSpec {
        algorithm,
        profile: question.profile,
        clock_hz: None,
        mss: model.mss,
        receive_window: model.receive_window.map(Bytes::new),
        ack_every: every,
        bytes: None,
        application: None,
        start: Span::ZERO,
    }
}
