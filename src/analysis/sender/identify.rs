//! Which congestion control the sender runs: the replica that its packets contradict least.

use super::replica::Replicas;
use crate::cc::Prevalence;

/// Rounds that must have been compared; a reduction counts for several.
const ENOUGH: u32 = 12;
const REDUCTION_ROUNDS: u32 = 4;
/// Mean error above which no replica fits.
const MISFIT: f64 = 0.1;
/// Mean error of the true algorithm's replica where nothing disturbs it.
const NOISE: f64 = 0.004;
/// How many times the error of the best the second must have.
const FACTOR: f64 = 1.45;

/// What an algorithm must explain better to be believed: few senders run it.
const fn rarity(prevalence: Option<Prevalence>) -> f64 {
    match prevalence {
        Some(Prevalence::Usual) => 0.0,
        Some(Prevalence::Known) => 0.008,
        Some(Prevalence::Rare) | None => 0.02,
    }
}

/// The name and how sure it is, 0 to 1; `None` where nothing fits, too little was seen or two fit alike.
pub(super) fn identify(replicas: &Replicas) -> Option<(&'static str, f64)> {
    let (rounds, reductions) = replicas.evidence();
    let weight = rounds + REDUCTION_ROUNDS * reductions;
    if weight < ENOUGH {
        return None;
    }
    let mut ranking = replicas.ranking();
    for (name, error) in &mut ranking {
        *error += rarity(replicas.prevalence(name));
    }
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (&(name, best), &(_, second)) = (ranking.first()?, ranking.get(1)?);
    let factor = (second + NOISE) / (best + NOISE);
    // Without a reduction only those differ that space their segments.
    let shown = reductions > 0 || replicas.paces(name);
    if best > MISFIT || factor < FACTOR || !shown {
        return None;
    }
    let certainty = (1.0 - 1.0 / factor) * f64::from(weight) / f64::from(weight + ENOUGH);
    Some((name, (0.5 + certainty / 2.0).min(0.99)))
}
