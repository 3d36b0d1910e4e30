//! Formulas for the throughput of an algorithm: cross-checks of the simulation, never the answer.
//!
//! Each says itself whether it applies. All give a rate in segments per second for one flow.

mod aimd;
mod bbr;
mod highspeed;
mod mathis;
mod pftk;
mod rfc9438;
mod scalable;
mod window;

use super::path::{Aqm, LossModel, Path};
use crate::units::Rate;

/// What a formula is given.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// Round-trip time in seconds.
    pub rtt: f64,
    /// Probability that a packet is lost.
    pub loss: f64,
    /// Probability that a packet begins a loss event: less than `loss` if losses come in trains.
    pub events: f64,
    /// Retransmission timeout in seconds.
    pub timeout: f64,
    /// Segments acknowledged by one ACK that count for growth: 1 where bytes are counted.
    pub acked_per_growth: f64,
    /// Largest window in segments.
    pub max_window: f64,
    /// Bottleneck rate in segments per second.
    pub capacity: f64,
}

/// A row of [`FORMS`].
pub trait ClosedForm: Sync {
    /// Short name.
    fn name(&self) -> &'static str;
    /// Where it comes from.
    fn reference(&self) -> &'static str;
    /// Algorithms it describes.
    fn algorithms(&self) -> &'static [&'static str];
    /// Whether its assumptions hold.
    fn applies(&self, conditions: &Conditions) -> bool;
    /// Segments per second, the capacity not considered.
    fn rate(&self, conditions: &Conditions) -> f64;
}

/// Every formula.
pub static FORMS: &[&dyn ClosedForm] = &[
    &mathis::Mathis,
    &pftk::Pftk,
    &aimd::VENO,
    &rfc9438::Cubic,
    &highspeed::HighSpeed,
    &scalable::Scalable,
    &bbr::BbrBound,
    &window::WindowLimit,
];

/// The share of capacity above which a formula says only that the link is full.
const FULL: f64 = 0.8;

impl Conditions {
    /// Those of one of `flows` equal flows on a path; `None` where the formulas say nothing: with queue
    /// management, reordering or no loss.
    pub fn of(path: &Path, mss: u32, max_window: f64, flows: u32) -> Option<Self> {
        let random = !matches!(path.loss, LossModel::None | LossModel::GilbertElliott { .. });
        if !random || path.aqm != Aqm::None || path.reordering > 0.0 {
            return None;
        }
        let rtt = path.rtt.as_secs_f64() + path.jitter.map_or(0.0, |jitter| jitter.mean.as_secs_f64());
        let per_second = |rate: Rate| rate.as_bytes_per_sec() / f64::from(mss + super::run::HEADER);
        Some(Self {
            rtt,
            loss: path.loss.rate(),
            events: path.loss.event_rate(),
            timeout: rtt + 0.2,
            acked_per_growth: 1.0,
            max_window,
            capacity: path.rate.map_or(f64::INFINITY, per_second) / f64::from(flows.max(1)),
        })
    }

    /// A remark if `segments_per_second` of `algorithm` lies outside half to twice a formula that applies and
    /// does not itself say that the link is full.
    pub fn check(&self, algorithm: &str, segments_per_second: f64) -> Option<String> {
        FORMS.iter().filter(|form| form.algorithms().contains(&algorithm) && form.applies(self)).find_map(
            |form| {
                let expected = form.rate(self);
                let ratio = segments_per_second / expected.min(self.capacity);
                let full = expected > FULL * self.capacity && ratio > 0.5;
                (!full && !(0.5..=2.0).contains(&ratio))
                    .then(|| format!("{ratio:.2} times what {} ({}) gives", form.name(), form.reference()))
            },
        )
    }
}

#[cfg(test)]
mod tests_support {
    use super::Conditions;

    /// Conditions without limits.
    pub(super) fn at(rtt: f64, loss: f64) -> Conditions {
        Conditions {
            rtt,
            loss,
            events: loss,
            timeout: rtt + 0.2,
            acked_per_growth: 1.0,
            max_window: 1e12,
            capacity: 1e12,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::algorithm;
    use crate::units::Span;

    #[test]
    fn every_form_names_known_algorithms() {
        for form in FORMS {
            for name in form.algorithms() {
                assert!(algorithm(name).is_some(), "{}: {name}", form.name());
            }
        }
    }

    // 1448 bytes, 100 ms, 1 %: Mathis 1.22/(0.1 * 0.1) = 122 segments/s.
    #[test]
    fn a_breach_is_remarked_and_agreement_is_not() {
        let mut path = Path::new(Span::from_millis(100), Some(Rate::from_bits_per_sec(1e9)));
        path.loss = LossModel::Independent(0.0001);
        let conditions = Conditions::of(&path, 1448, 1e9, 1).unwrap();
        assert_eq!(conditions.check("reno", 1200.0), None);
        assert!(conditions.check("reno", 4000.0).unwrap().contains("Mathis"));
        path.loss = LossModel::None;
        assert!(Conditions::of(&path, 1448, 1e9, 1).is_none());
    }
}
