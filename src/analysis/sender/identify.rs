//! Which congestion control the sender runs: the replica that its packets contradict least.

use super::replica::Replicas;

/// Rounds and reductions that must have been compared, weighed together.
const ENOUGH: u32 = 12;
const REDUCTION_ROUNDS: u32 = 4;
/// Mean error above which no replica fits.
const MISFIT: f64 = 0.15;
/// What the best may have in common with the second: errors this much apart are no proof.
const MARGIN: f64 = 0.004;

/// The name and how sure it is, 0 to 1; `None` where nothing fits, too little was seen or two fit alike.
pub(super) fn identify(replicas: &Replicas) -> Option<(&'static str, f64)> {
    let (rounds, reductions) = replicas.evidence();
    if rounds + REDUCTION_ROUNDS * reductions < ENOUGH || reductions < 2 {
        return None;
    }
    let ranking = replicas.ranking();
    let &(name, best) = ranking.first()?;
    let &(_, second) = ranking.get(1)?;
    if best > MISFIT || second - best < MARGIN {
        return None;
    }
    let lead = 1.0 - (best + MARGIN) / (second + MARGIN);
    let certainty = lead * f64::from(reductions) / (f64::from(reductions) + 2.0);
    (certainty > 0.15).then_some((name, (0.5 + certainty / 2.0).min(0.99)))
}
