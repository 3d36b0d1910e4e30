//! Paths that the model allows, one for each draw.

use crate::path::{Estimate, PathModel};
use crate::sim::{Aqm, Buffer, HEADER, Jitter, LossModel, Path};
use crate::units::{Bytes, Rate, Span};

/// The smallest of thousands of samples is below their mean by so many standard deviations.
const BELOW_MEAN: f64 = 3.5;

/// Jitter below this is none.
const NO_JITTER: f64 = 20e-6;

/// What varies the delay of one packet tells nothing of the next: a link that keeps order does the rest.
const MEMORY: Span = Span::from_micros(1);

/// A capacity that was never reached may be higher by this logarithm, one standard deviation.
const UNSEEN: f64 = 0.5;

/// Reordering below this changes nothing.
const NO_REORDERING: f64 = 1e-3;

/// What overtaken packets are late by, of a round trip.
const LATE: f64 = 1.0 / 16.0;

/// The loss of ACKs, if any was seen.
fn ack_loss(model: &PathModel) -> Option<Estimate> {
    model.ack_losses.map(|losses| losses.rate()).filter(|rate| rate.value > 0.0)
}

/// The `draw`-th path; draw 0 is the most likely one.
pub(super) fn path(model: &PathModel, draw: u32) -> Path {
    let rate = {
        let known = model.rate.draw(deviate(draw, 3));
        if model.rate_is_bound { known * (UNSEEN * deviate(draw, 3).max(0.0)).exp() } else { known }
    };
    let packet = f64::from(model.mss + HEADER) * 8.0 / rate.max(1.0);
    let base = model.base_rtt.value;
    let jitter = model.jitter.value;
    let mut path =
        Path::new(Span::from_secs_f64((base - packet).max(base * 0.1)), Some(Rate::from_bits_per_sec(rate)));
    path.buffer = Buffer::Bytes(Bytes::new(model.buffer.draw(deviate(draw, 5)) as u64));
    let loss = model.random_loss.draw(deviate(draw, 2)).clamp(0.0, 0.9);
    path.loss = match model.bursts {
        _ if loss <= 0.0 => LossModel::None,
        Some(bursts) => LossModel::GilbertElliott {
            to_bad: bursts.begins(loss),
            to_good: 1.0 / bursts.spell.value,
            loss_good: 0.0,
            loss_bad: bursts.loss.value,
        },
        None => LossModel::Independent(loss),
    };
    if let Some(marking) = model.marking {
        path.aqm = Aqm::StandingQueue(Bytes::new(marking.draw(deviate(draw, 5)) as u64));
    }
    path.ack_loss = ack_loss(model).map_or(0.0, |loss| loss.draw(deviate(draw, 7)).min(0.9));
    path.jitter = (jitter >= NO_JITTER).then(|| Jitter {
        mean: Span::from_secs_f64(BELOW_MEAN * jitter),
        deviation: Some(Span::from_secs_f64(jitter)),
        memory: MEMORY,
    });
    if model.reordering > NO_REORDERING {
        path.reordering = model.reordering;
        path.reordering_delay = Span::from_secs_f64(base * LATE);
    }
    path
}

/// A standard normal deviate from van der Corput's sequence of this base, which spreads few draws evenly: 0 comes first.
fn deviate(draw: u32, base: u32) -> f64 {
    // In base 2 the second number is the median; in odd bases none is, and half of the range further it begins there.
    let (mut rest, shift) = if base == 2 { (draw + 1, 0.0) } else { (draw, 0.5) };
    let (mut scale, mut value) = (1.0, 0.0);
    while rest > 0 {
        scale /= f64::from(base);
        value += scale * f64::from(rest % base);
        rest /= base;
    }
    quantile((value + shift).fract().clamp(0.01, 0.99))
}

/// Quantile of the standard normal distribution (Abramowitz and Stegun 26.2.23, to 4.5e-4).
fn quantile(share: f64) -> f64 {
    let tail = share.min(1.0 - share);
    let t = (-2.0 * tail.ln()).sqrt();
    let top = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let bottom = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let value = (t - top / bottom).max(0.0);
    if share < 0.5 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Tables of the normal distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (share, value) in [(0.5, 0.0), (0.9, 1.2816), (0.975, 1.96), (0.1, -1.2816)] {
            assert!((quantile(share) - value).abs() < 1e-3, "{share}: {}", quantile(share));
        }
    }

    #[test]
    fn few_draws_are_spread_evenly() {
        for base in [2, 3, 5] {
            assert!(deviate(0, base).abs() < 1e-3, "{base}");
            assert!((1..16).all(|draw| deviate(draw, base).abs() < 2.2), "{base}");
        }
        // One above and one below after the median.
        for base in [2, 3] {
            assert!((deviate(1, base) + deviate(2, base)).abs() < 1e-3, "{base}");
        }
    }
}
