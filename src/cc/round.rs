//! Round trips counted by data: one ends when what was sent at its start is acknowledged.

use super::Acked;
use crate::units::Span;

/// The RTT samples of one round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Samples {
    pub(super) count: u32,
    pub(super) min: Option<Span>,
    pub(super) max: Option<Span>,
    sum: f64,
}

impl Samples {
    fn add(&mut self, rtt: Span) {
        self.count += 1;
        self.min = Some(self.min.map_or(rtt, |held| held.min(rtt)));
        self.max = Some(self.max.map_or(rtt, |held| held.max(rtt)));
        self.sum += rtt.as_secs_f64();
    }

    /// Mean in seconds.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// The round under way and the smallest RTT ever.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    end: u64,
    samples: Samples,
    pub(super) base: Option<Span>,
}

impl Round {
    /// Takes an ACK; the samples of the round it ends, if it does.
    pub(super) fn on_ack(&mut self, ack: &Acked) -> Option<Samples> {
        if let Some(rtt) = ack.rtt {
            self.samples.add(rtt);
            self.base = Some(self.base.map_or(rtt, |held| held.min(rtt)));
        }
        if ack.acked_to <= self.end {
            return None;
        }
        self.end = ack.sent_to;
        Some(std::mem::take(&mut self.samples))
    }

    /// Forgets the samples of the round under way.
    pub(super) fn restart(&mut self, sent_to: u64) {
        self.samples = Samples::default();
        self.end = sent_to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_when_its_first_data_are_acknowledged() {
        let mut round = Round::default();
        let ack = |acked_to, sent_to, ms| Acked {
            acked_to,
            sent_to,
            rtt: Some(Span::from_millis(ms)),
            ..Acked::default()
        };
        assert!(round.on_ack(&ack(1, 100, 50)).is_some());
        assert!(round.on_ack(&ack(100, 200, 40)).is_none());
        let samples = round.on_ack(&ack(101, 210, 60)).unwrap();
        assert_eq!((samples.count, samples.min), (2, Some(Span::from_millis(40))));
        assert!((samples.mean().unwrap() - 0.05).abs() < 1e-12);
    }
}
