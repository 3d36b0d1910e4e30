//! One path from several transfers.
//!
//! What was counted (losses, packets) adds up. Estimates that agree are weighted by how sure they are. Where they do not, one transfer saw
//! less of the path than the other: a rate or a queue can be seen that is smaller than the path's, hardly a larger one. So the surer one is
//! believed, and if it is the smaller, it may be as large as the other. The round trip without a queue is the shortest.

use super::estimate::TENTH;
use super::{Estimate, PathModel, loss};

/// Round trips that differ by more are of different paths.
const SAME: f64 = 1.25;

/// What several transfers miss alike, whatever their number: half of this part of a rate or buffer is an error that they share.
const SHARED: f64 = 0.02;

/// `model` with what `other`, of the same pair of hosts, adds to it.
pub fn pooled(model: &PathModel, other: &PathModel) -> PathModel {
    let (short, long) =
        if model.base_rtt.value < other.base_rtt.value { (model, other) } else { (other, model) };
    if long.base_rtt.value > SAME * short.base_rtt.value {
        return model.clone();
    }
    let (rate, rate_is_bound) =
        weighed((model.rate, model.rate_is_bound), (other.rate, other.rate_is_bound), |model, other| {
            if model.value >= other.value { model } else { other }
        });
    let (buffer, buffer_is_bound) = weighed(
        (model.buffer, model.buffer_is_bound),
        (other.buffer, other.buffer_is_bound),
        |model, other| if model.low >= other.low { model } else { other },
    );
    let random_losses = model.random_losses + other.random_losses;
    let packets = model.packets + other.packets;
    let loss_spread = model.loss_spread.max(other.loss_spread);
    let share = model.packets / packets.max(1.0);
    let mix = |model: f64, other: f64| share * model + (1.0 - share) * other;
    PathModel {
        base_rtt: shortest(short.base_rtt, long.base_rtt),
        rate,
        rate_is_bound,
        buffer,
        buffer_is_bound,
        random_loss: loss::rate(random_losses, packets, loss_spread),
        random_losses,
        packets,
        bursts: model.bursts.or(other.bursts),
        loss_spread,
        ack_losses: either(model.ack_losses, other.ack_losses, super::AckLosses::with),
        marking: either(model.marking, other.marking, mean),
        reordering: mix(model.reordering, other.reordering),
        ..model.clone()
    }
}

/// Both together, or the one that is known.
fn either<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// Each transfer had round trips of at least the base, so that none lets it be longer than its own upper end.
fn shortest(short: Estimate, long: Estimate) -> Estimate {
    Estimate::within(short.low, short.value, short.high.min(long.high))
}

/// Two estimates of one thing, each perhaps only a lower bound; `of_bounds` chooses between two of those.
fn weighed(
    (one, one_is_bound): (Estimate, bool),
    (other, other_is_bound): (Estimate, bool),
    of_bounds: impl Fn(Estimate, Estimate) -> Estimate,
) -> (Estimate, bool) {
    match (one_is_bound, other_is_bound) {
        (true, true) => (of_bounds(one, other), true),
        (true, false) => (above(other, one), false),
        (false, true) => (above(one, other), false),
        (false, false) => (mean(one, other), false),
    }
}

/// An estimate that a lower bound may contradict: then it may be as high as that.
fn above(known: Estimate, bound: Estimate) -> Estimate {
    Estimate { high: known.high.max(bound.low), ..known }
}

/// Of logarithms, weighted by the inverse squares of their widths.
fn mean(one: Estimate, other: Estimate) -> Estimate {
    let (sure, unsure) = if one.width() <= other.width() { (one, other) } else { (other, one) };
    if sure.low > unsure.high || sure.low <= 0.0 || unsure.low <= 0.0 {
        return sure;
    }
    if unsure.low > sure.high {
        return Estimate { high: unsure.value, ..sure };
    }
    let deviation = |estimate: Estimate| (estimate.width().ln() / 2.0 / TENTH).max(1e-4);
    let own = |estimate: Estimate| (deviation(estimate).powi(2) - SHARED.powi(2) / 4.0).max(1e-6);
    let (sure_weight, unsure_weight) = (1.0 / own(sure), 1.0 / own(unsure));
    let weight = unsure_weight / (sure_weight + unsure_weight);
    let value = sure.value * (unsure.value / sure.value).powf(weight);
    // The sides of the surer one, narrowed as much as the variance is.
    let narrower = (1.0 / (sure_weight + unsure_weight) + SHARED.powi(2) / 4.0).sqrt() / deviation(sure);
    let narrower = narrower.min(1.0);
    Estimate::within(
        value * (sure.low / sure.value).powf(narrower),
        value,
        value * (sure.high / sure.value).powf(narrower),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    // Two equal independent estimates: the error is 1 / sqrt(2) of the one's, but for the part that both share.
    #[test]
    fn two_that_agree_are_surer_than_one() {
        let one = Estimate::give_or_take(100.0, 0.2);
        let both = mean(one, one);
        assert!((both.value - 100.0).abs() < 1e-9);
        let expected = ((0.04 - 0.000_1) / 2.0 + 0.000_1_f64).sqrt();
        assert!((both.width().ln() / 2.0 / TENTH - expected).abs() < 1e-3, "{both:?}");
        // However many, never surer than what they miss alike.
        let many = (0..1_000).fold(one, |so_far, _| mean(so_far, one));
        assert!(many.width().ln() / 2.0 / TENTH >= SHARED / 2.0 - 1e-6, "{many:?}");
    }

    // Weights 1 / 0.1^2 and 1 / 0.2^2: four to one.
    #[test]
    fn the_surer_one_counts_more() {
        let both = mean(Estimate::give_or_take(100.0, 0.1), Estimate::give_or_take(120.0, 0.2));
        let expected = 100.0 * 1.2_f64.powf(0.2);
        assert!((both.value / expected - 1.0).abs() < 0.002, "{both:?}");
    }

    #[test]
    fn who_saw_less_of_the_path_does_not_count_unless_surer() {
        let (sharp, blurred) = (Estimate::give_or_take(20.0, 0.02), Estimate::give_or_take(12.0, 0.05));
        assert_eq!(mean(sharp, blurred), sharp);
        assert_eq!(mean(blurred, sharp), sharp);
        let (sharp, blurred) = (Estimate::give_or_take(12.0, 0.02), Estimate::give_or_take(20.0, 0.05));
        assert_eq!(mean(sharp, blurred), Estimate { high: blurred.value, ..sharp });
    }

    #[test]
    fn a_lower_bound_gives_way_to_an_estimate_and_may_raise_its_upper_end() {
        let known = Estimate::give_or_take(20.0, 0.02);
        let bound = Estimate::within(30.0, 30.0, 30.0);
        let first = |one: Estimate, _: Estimate| one;
        assert_eq!(weighed((bound, true), (known, false), first), (Estimate { high: 30.0, ..known }, false));
        assert_eq!(weighed((known, false), (Estimate::within(5.0, 5.0, 5.0), true), first), (known, false));
    }
}
