//! One path from several transfers.
//!
//! What was lost of how many packets adds up. Of the rest, the transfer that saw most is believed: the shortest round trip,
//! and the surest rate and buffer.

use super::PathModel;
use super::loss;

/// Round trips that differ by more are of different paths.
const SAME: f64 = 1.25;

/// `model` with what `other`, of the same pair of hosts, adds to it.
pub fn pooled(model: &PathModel, other: &PathModel) -> PathModel {
    let (short, long) =
        if model.base_rtt.value < other.base_rtt.value { (model, other) } else { (other, model) };
    if long.base_rtt.value > SAME * short.base_rtt.value {
        return model.clone();
    }
    let width = |model: &PathModel| model.rate.high / model.rate.low.max(1.0);
    let rate_of = match (model.rate_is_bound, other.rate_is_bound) {
        (false, true) => model,
        (true, true) if model.rate.value >= other.rate.value => model,
        (false, false) if width(model) <= width(other) => model,
        _ => other,
    };
    let buffer_of = match (model.buffer_is_bound, other.buffer_is_bound) {
        (true, false) => other,
        (true, true) if other.buffer.low > model.buffer.low => other,
        _ => model,
    };
    let random_losses = model.random_losses + other.random_losses;
    let packets = model.packets + other.packets;
    PathModel {
        base_rtt: short.base_rtt,
        rate: rate_of.rate,
        rate_is_bound: rate_of.rate_is_bound,
        buffer: buffer_of.buffer,
        buffer_is_bound: buffer_of.buffer_is_bound,
        random_loss: loss::rate(random_losses, packets),
        random_losses,
        packets,
        ..model.clone()
    }
}
