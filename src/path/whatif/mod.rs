//! What every algorithm would have got on a path, in the time that the transfer took.
//!
//! Each is simulated on several paths that the model allows ([`draw`]) within a budget ([`play`]). The algorithm that was
//! really used is simulated too, and by how much it misses what was measured corrects the others and widens their
//! intervals ([`anchor`]).

// Counts of segments, and where a float becomes a count `as` saturates, which is wanted.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod anchor;
mod draw;
mod play;

pub use anchor::Anchor;

use super::PathModel;
use super::estimate::TENTH;
use crate::cc::Algorithm;
use crate::sim::{HEADER, Profile};

/// What is asked.
#[derive(Clone)]
pub struct Question {
    /// The algorithms.
    pub algorithms: Vec<&'static dyn Algorithm>,
    /// Name of the one that was really used, or of one that acts like it.
    pub used: Option<String>,
    /// It is known that it was this one.
    pub known: bool,
    /// The sender's stack.
    pub profile: &'static Profile,
    /// Ticks a second of its clock, if they are known; else the stack's default.
    pub clock_hz: Option<u32>,
    /// Seed of all runs.
    pub seed: u64,
    /// Most runs of an algorithm.
    pub draws: u32,
    /// Part of the usual number of segments that all runs together may send, 0 to 1.
    pub effort: f64,
    /// Threads.
    pub threads: usize,
}

/// What one algorithm would have got.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Its name.
    pub algorithm: &'static str,
    /// Payload bits a second: 10th percentile, median, 90th percentile.
    pub goodput: [f64; 3],
    /// The median before it was corrected by the anchor.
    pub simulated: f64,
    /// Retransmitted segments over all sent.
    pub retransmit_rate: f64,
    /// Mean queueing delay, seconds.
    pub mean_queue: f64,
    /// Its 95th percentile.
    pub p95_queue: f64,
    /// Seconds until 90 % of the steady rate was reached, if that can be told.
    pub time_to_steady: Option<f64>,
    /// It is the one that was used.
    pub used: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// One for each algorithm, best first.
    pub outcomes: Vec<Outcome>,
    /// How the algorithm that was used fared in simulation.
    pub anchor: Option<Anchor>,
}

/// Standard deviation of the logarithm of what a simulated algorithm misses on a known path where it sets the rate; where the
/// link does, a fraction of a percent.
const MODEL_ERROR: f64 = 0.12;

/// The same where the link sets the rate.
const LINK_ERROR: f64 = 0.01;

/// Predicts. An empty list of algorithms has an empty answer.
pub fn what_if(model: &PathModel, question: &Question) -> Answer {
    let link = model.rate.value * f64::from(model.mss) / f64::from(model.mss + HEADER);
    let all = play::all(model, question);
    let used = all.iter().find(|runs| question.used.as_deref() == Some(runs.algorithm.name()));
    // What an application or a receiver held back says nothing of the algorithm.
    let limited = model.application_limited || model.receive_window.is_some();
    let anchor =
        used.filter(|_| !limited).map(|runs| Anchor::of(model.goodput, runs.logarithm(), MODEL_ERROR, link));
    let mut outcomes: Vec<Outcome> = all
        .iter()
        .map(|runs| {
            let (mean, deviation) = runs.logarithm();
            let simulated = mean.exp();
            let free = (1.0 - simulated / link).clamp(0.0, 1.0);
            let is_used = question.used.as_deref() == Some(runs.algorithm.name());
            let (shift, missed) = anchor.map_or((0.0, 0.0), |anchor| anchor.applied(is_used, free));
            let model_error = LINK_ERROR + (MODEL_ERROR - LINK_ERROR) * free;
            let width = TENTH * deviation.hypot(model_error).hypot(missed);
            let middle = (simulated * shift.exp()).min(link);
            let sum = |figure: &dyn Fn(&crate::sim::FlowResult) -> f64| -> f64 {
                runs.runs.iter().map(|(_, run)| figure(run)).sum()
            };
            Outcome {
                algorithm: runs.algorithm.name(),
                goodput: [middle * (-width).exp(), middle, (middle * width.exp()).min(link.max(middle))],
                simulated,
                retransmit_rate: sum(&|run| run.retransmitted as f64) / sum(&|run| run.sent as f64).max(1.0),
                mean_queue: sum(&|run| run.mean_queue.as_secs_f64()) / runs.runs.len().max(1) as f64,
                p95_queue: sum(&|run| run.p95_queue.as_secs_f64()) / runs.runs.len().max(1) as f64,
                time_to_steady: runs.time_to_steady(),
                used: is_used && question.known,
            }
        })
        .collect();
    outcomes.sort_by(|a, b| b.goodput[1].total_cmp(&a.goodput[1]));
    Answer { outcomes, anchor }
}
