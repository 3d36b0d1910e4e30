//! The queue from which on the bottleneck marks instead of dropping (ECN, RFC 3168).
//!
//! Whatever manages the queue (a threshold, RED, `CoDel`), a sender learns of it by the first echo of a mark, and the round trip at
//! that moment says how much was waiting. What lies between the wait and the mark, an average or a time that `CoDel` leaves it, is
//! taken for a round trip ([`crate::sim::Aqm::StandingQueue`]): so the window of an algorithm that heeds the mark falls at the queue at which
//! it fell, and the bursts of slow start pass.

use super::{Delay, Estimate};
use crate::report::PathSlice;

/// Bytes of IP packets that wait when the bottleneck, of `rate` bytes a second, marks: the median of the echoes, from the 10th to the
/// 90th percentile. `None` without a mark.
pub(super) fn threshold(slice: &PathSlice, delay: &Delay, rate: f64, packet: f64) -> Option<Estimate> {
    let total: u32 = slice.marks.iter().map(|bin| bin.delivered).sum();
    let at = |share: f64| {
        let mut seen = 0;
        slice.marks.iter().find(|bin| {
            seen += bin.delivered;
            f64::from(seen) >= share * f64::from(total)
        })
    };
    let bytes = |share: f64| at(share).map(|bin| ((bin.delay - delay.base.value) * rate).max(packet));
    // Bins of the delay are half a percent wide, and the base is missed by the jitter.
    let blur = (delay.base.value * 0.005).max(delay.jitter.value) * rate;
    let (low, value, high) = (bytes(0.1)?, bytes(0.5)?, bytes(0.9)?);
    Some(Estimate::within((low - blur).max(packet), value, high + blur))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    // 30 kB of queue at 20 Mbit/s take 12 ms.
    #[test]
    fn the_queue_at_the_echo_is_the_threshold() {
        let mut slice = PathSlice::default();
        let delay =
            Delay { base: Estimate::within(0.04, 0.04, 0.04), jitter: Estimate::within(0.0, 1e-4, 1e-4) };
        assert_eq!(threshold(&slice, &delay, 2.5e6, 1_500.0), None);
        for micros in [51_700, 51_900, 52_000, 52_100, 52_300] {
            slice.marks.add(Span::from_micros(micros), 1, 0);
        }
        let found = threshold(&slice, &delay, 2.5e6, 1_500.0).unwrap();
        assert!((found.value / 30_000.0 - 1.0).abs() < 0.03, "{found:?}");
        assert!(found.low < 30_000.0 && found.high > 30_000.0, "{found:?}");
    }
}
