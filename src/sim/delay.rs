//! Delay behind the bottleneck: jitter that keeps the order, and reordering that does not.

use super::path::{Jitter, Path};
use super::random::Stream;
use crate::units::{Span, Timestamp};

/// Where a packet arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Behind all packets before it.
    InOrder(Timestamp),
    /// Whenever its time comes.
    Overtaken(Timestamp),
}

/// The process of one flow.
#[derive(Debug)]
pub(super) struct DelayProcess {
    one_way: Span,
    jitter: Option<(Jitter, Stream)>,
    state: f64,
    state_at: Timestamp,
    reordering: f64,
    extra: Span,
    late: Stream,
    last: Timestamp,
}

impl DelayProcess {
    pub(super) fn new(path: &Path, jitter: Stream, late: Stream) -> Self {
        Self {
            one_way: path.rtt.scale(0.5),
            jitter: path.jitter.map(|model| (model, jitter)),
            state: 0.0,
            state_at: Timestamp::ZERO,
            reordering: path.reordering,
            extra: path.reordering_delay,
            late,
            last: Timestamp::ZERO,
        }
    }

    /// When a packet that leaves the bottleneck at `departure` reaches the receiver.
    pub(super) fn arrival(&mut self, departure: Timestamp) -> Arrival {
        let mut at = departure + self.one_way;
        if let Some((model, stream)) = &mut self.jitter {
            let gap = departure.since(self.state_at).as_secs_f64();
            let forgotten = gap / model.memory.as_secs_f64().max(1e-9);
            // Nothing is left, and the exponential of less is slow.
            let kept = if forgotten > 40.0 { 0.0 } else { (-forgotten).exp() };
            self.state = kept * self.state + (1.0 - kept * kept).max(0.0).sqrt() * stream.normal();
            self.state_at = departure;
            at = at
                + match model.deviation {
                    // E|N(0,1)| = sqrt(2/pi).
                    None => model.mean.scale(self.state.abs() / std::f64::consts::FRAC_2_PI.sqrt()),
                    Some(deviation) => (model.mean + deviation.scale(self.state)).max(Span::ZERO),
                };
        }
        if self.reordering > 0.0 && self.late.chance(self.reordering) {
            return Arrival::Overtaken(at + self.extra);
        }
        self.last = self.last.max(at);
        Arrival::InOrder(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_has_its_mean_and_keeps_the_order() {
        let mut path = Path::new(Span::from_millis(20), None);
        path.jitter =
            Some(Jitter { mean: Span::from_millis(2), deviation: None, memory: Span::from_millis(5) });
        let mut process = DelayProcess::new(&path, Stream::new(1), Stream::new(2));
        let (mut sum, mut last) = (0.0, Timestamp::ZERO);
        let count = 20_000;
        for i in 0..count {
            // 10 ms apart, so that order seldom adds to the delay.
            let departure = Timestamp::from_nanos(i * 10_000_000);
            let Arrival::InOrder(at) = process.arrival(departure) else {
                panic!("no reordering was asked for")
            };
            assert!(at >= last);
            last = at;
            sum += at.since(departure).as_secs_f64() - 0.010;
        }
        assert!((sum / count as f64 - 0.002).abs() < 2e-4);
    }
}
