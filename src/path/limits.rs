//! What held the transfer back besides the path: the receive window, the application.

use crate::report::RoundRecord;

/// What binds in this part of the time or more is the limit.
const MOSTLY: f64 = 0.5;

pub(super) struct Limits {
    pub(super) receive_window: Option<u64>,
    pub(super) application: bool,
}

/// Parts of the time of `rounds` in which it was so.
fn part(rounds: &[RoundRecord], so: impl Fn(&RoundRecord) -> bool) -> f64 {
    let time = |round: &RoundRecord| round.end.since(round.start).as_secs_f64();
    let all: f64 = rounds.iter().map(time).sum();
    let some: f64 = rounds.iter().filter(|round| so(round)).map(time).sum();
    if all > 0.0 { some / all } else { 0.0 }
}

/// `application` is the share of the time that the analysis charged to the application.
pub(super) fn limits(rounds: &[RoundRecord], application: Option<f64>) -> Limits {
    let shut = part(rounds, |round| round.shut);
    let idle = part(rounds, |round| round.idle && !round.shut && !round.disturbed);
    let mut windows: Vec<u64> =
        rounds.iter().filter(|round| round.shut).filter_map(|round| round.receive).collect();
    windows.sort_unstable();
    Limits {
        receive_window: (shut >= MOSTLY).then(|| windows.get(windows.len() / 2).copied()).flatten(),
        application: idle.max(application.unwrap_or(0.0)) >= MOSTLY && shut < MOSTLY,
    }
}
