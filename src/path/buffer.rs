//! The buffer before the bottleneck, from the round trip at which it overflowed.

use super::loss::Losses;
use super::{Delay, Estimate, delay};

/// Where it never overflowed it may be so many bandwidth-delay products, 10th to 90th percentile, median 1: what is common.
const USUAL: (f64, f64) = (0.4, 3.0);

/// Part of it that the error of the rate makes.
const MISSED: f64 = 0.04;

/// In bytes of IP packets of `packet` bytes at `rate` bytes a second, and whether it is a lower bound. `flight` is the most that was
/// under way.
pub(super) fn buffer(
    losses: &Losses,
    delay: &Delay,
    rate: f64,
    packet: f64,
    flight: f64,
) -> (Estimate, bool) {
    let base = delay.base.value;
    // What was lost was as lucky as most, and the base is of the luckiest.
    let usual = delay::BELOW * delay.jitter.value;
    let bytes = |rtt: f64| (rtt - base).max(0.0) * rate + packet;
    // Bins of the delay are half a percent wide, and the base is missed by the jitter.
    let blur = (base * 0.005).max(delay.jitter.value) * rate;
    if let Some(full_at) = losses.full_at {
        let value = bytes((full_at - usual).max(base));
        // The rate by which it is multiplied is missed by some, too.
        let blur = blur + MISSED * value;
        return (
            Estimate::within((value - blur).max(packet), value, value.max(bytes(losses.longest)) + blur),
            false,
        );
    }
    let product = rate * base;
    // What is held up elsewhere is late too; but no more can wait than is under way, and of that the path itself holds its part.
    let seen = bytes(losses.longest).min((flight - product).max(packet));
    let low = (USUAL.0 * product).max(seen);
    let value = product.max(seen * 1.2);
    (Estimate::within(low, value, (USUAL.1 * product).max(value * 2.0)), true)
}
