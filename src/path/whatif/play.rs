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

/// Segments that all runs together may send, for each segment of the transfer, and at least; the least draws may take more.
const BUDGET: (u64, u64) = (100, 2_400_000);

/// What one run may send at least, for each segment of the transfer. What is faster than that is seen for a shorter time, but for no shorter
/// one than its algorithm's part of the budget gives: a slow start must not be taken for the whole.
const LONGEST_RUN: u64 = 3;

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
    let most_segments = Some(share.max(transfer.saturating_mul(LONGEST_RUN)));
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
        clock_hz: question.clock_hz,
        mss: model.mss,
        receive_window: model.receive_window.map(Bytes::new),
        ack_every: every,
        bytes: None,
        application: None,
        start: Span::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::ALGORITHMS;
    use crate::path::Estimate;
    use crate::sim::PROFILES;

    fn surely(value: f64) -> Estimate {
        Estimate::within(value, value, value)
    }

    /// Reno got 10,000 segments in half a minute through a link that carries 300 times as many, 1 % of which are lost.
    fn mostly_empty() -> PathModel {
        PathModel {
            base_rtt: surely(0.054),
            jitter: surely(1e-4),
            rate: surely(200e6),
            rate_is_bound: false,
            buffer: surely(1.3e6),
            buffer_is_bound: true,
            random_loss: Estimate::within(0.008, 0.01, 0.012),
            random_losses: 100.0,
            packets: 10_000.0,
            congestive_losses: surely(0.0),
            bursts: None,
            loss_spread: 1.0,
            reordering: 0.0,
            ack_ratio: 0.5,
            ack_losses: None,
            marked: 0.0,
            marking: None,
            receive_window: None,
            application_limited: false,
            mss: 1448,
            duration: Span::from_secs(30),
            goodput: 10_000.0 * 1448.0 * 8.0 / 30.0,
            regime: 1.0,
        }
    }

    // Five to six million segments a second: a transfer of 10,000 is to cost less than a second, whatever the algorithms do.
    #[test]
    fn the_work_is_bounded_where_some_algorithms_are_far_faster() {
        let question = Question {
            algorithms: ALGORITHMS.to_vec(),
            used: None,
            known: false,
            profile: &PROFILES[0],
            clock_hz: None,
            seed: 1,
            draws: 16,
            effort: 1.0,
            threads: 2,
        };
        let played = all(&mostly_empty(), &question);
        let sent: u64 = played.iter().flat_map(|runs| &runs.runs).map(|(_, run)| run.sent).sum();
        assert!(sent < 2 * BUDGET.1, "{sent}");
        assert!(played.iter().all(|runs| runs.runs.len() >= LEAST_DRAWS as usize));
        // Though seen for a few seconds only, BBR keeps the link full, and Reno gets what the square root gives.
        let mbit = |name| {
            let runs = played.iter().find(|runs| runs.algorithm.name() == name).unwrap();
            runs.logarithm().0.exp() / 1e6
        };
        assert!(mbit("bbr") > 100.0, "{}", mbit("bbr"));
        assert!((1.8..3.6).contains(&mbit("reno")), "{}", mbit("reno"));
    }
}
