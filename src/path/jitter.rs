//! What a link that keeps order makes of jitter, and back.
//!
//! A packet that is held up holds up those behind it: where packets follow each other faster than their delay varies, each
//! takes after the one before, and neighbouring round trips differ by less than the delay of a lone packet varies.

use super::Estimate;

/// Packets that are played.
const PACKETS: u32 = 2_000;

/// The most that is made of what was seen.
const MOST: f64 = 16.0;

/// Packets that an ACK is for.
const PER_ACK: u32 = 2;

/// The jitter of lone packets, from what neighbouring ACKs that come `spacing` seconds apart show.
pub(super) fn unordered(seen: Estimate, spacing: Option<f64>) -> Estimate {
    let Some(spacing) = spacing.filter(|spacing| *spacing > 0.0) else { return seen };
    let factor = factor(seen.value / spacing);
    Estimate { low: seen.low * factor, value: seen.value * factor, high: seen.high * factor }
}

/// By how much the deviation of lone packets exceeds `seen`, in units of the time between two ACKs.
fn factor(seen: f64) -> f64 {
    // What is seen rises with the jitter, so that halving the interval finds it.
    let (mut low, mut high) = (1.0_f64, MOST);
    if seen < 0.05 {
        return 1.0;
    }
    for _ in 0..12 {
        let middle = (low * high).sqrt();
        if shown(seen * middle) < seen { low = middle } else { high = middle }
    }
    (low * high).sqrt()
}

/// Deviation that neighbouring ACKs show where lone packets have one of `jitter`; both in units of the time between two ACKs.
fn shown(jitter: f64) -> f64 {
    let mut state = 1_u64;
    let (mut latest, mut before, mut squares, mut count) = (f64::MIN, None, 0.0, 0_u32);
    for packet in 0..PACKETS {
        let sent = f64::from(packet) / f64::from(PER_ACK);
        latest = latest.max(sent + jitter * normal(&mut state));
        if packet % PER_ACK == 1 {
            let delay = latest - sent;
            if let Some(before) = before {
                squares += f64::powi(delay - before, 2);
                count += 1;
            }
            before = Some(delay);
        }
    }
    (squares / f64::from(count.max(1)) / 2.0).sqrt()
}

/// Roughly normal: twelve uniform numbers less six (Irwin and Hall), from a linear congruential generator (Knuth's MMIX).
fn normal(state: &mut u64) -> f64 {
    let mut sum = -6.0;
    for _ in 0..12 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sum += (*state >> 11) as f64 / (1_u64 << 53) as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_order_hides_is_found_again() {
        // Far apart, nothing is hidden.
        assert!((shown(0.1) / 0.1 - 1.0).abs() < 0.1, "{}", shown(0.1));
        for jitter in [0.3, 1.0, 3.0, 10.0] {
            let back = shown(jitter) * factor(shown(jitter));
            assert!((back / jitter - 1.0).abs() < 0.1, "{jitter}: {back}");
        }
    }
}
