//! Whether the next packet is lost.

use super::path::LossModel;
use super::random::Stream;

/// A loss model at work.
#[derive(Debug)]
pub(super) struct LossProcess {
    model: LossModel,
    stream: Stream,
    bad: bool,
    counter: f64,
}

impl LossProcess {
    pub(super) const fn new(model: LossModel, stream: Stream) -> Self {
        Self { model, stream, bad: false, counter: 0.0 }
    }

    pub(super) fn next(&mut self) -> bool {
        match self.model {
            LossModel::None => false,
            LossModel::Independent(p) => self.stream.chance(p),
            LossModel::Periodic(p) => {
                self.counter += p;
                let lost = self.counter >= 1.0;
                if lost {
                    self.counter -= 1.0;
                }
                lost
            }
            LossModel::Trains { rate, mean_length } => {
                let length = mean_length.max(1.0);
                // Starts per packet outside a train, so that rate = start E / (start E + 1) overall.
                let start = (rate / (length * (1.0 - rate).max(1e-9))).min(1.0);
                self.bad = if self.bad {
                    self.stream.chance(1.0 - 1.0 / length) || self.stream.chance(start)
                } else {
                    self.stream.chance(start)
                };
                self.bad
            }
            LossModel::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let change = if self.bad { to_good } else { to_bad };
                if self.stream.chance(change) {
                    self.bad = !self.bad;
                }
                self.stream.chance(if self.bad { loss_bad } else { loss_good })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(model: LossModel, packets: u32) -> Vec<bool> {
        let mut process = LossProcess::new(model, Stream::new(3));
        (0..packets).map(|_| process.next()).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|l| **l).count() as f64 / lost.len() as f64
    }

    #[test]
    fn every_model_loses_its_rate() {
        let models = [
            LossModel::Independent(0.02),
            LossModel::Periodic(0.02),
            LossModel::Trains { rate: 0.02, mean_length: 5.0 },
            LossModel::GilbertElliott { to_bad: 0.005, to_good: 0.045, loss_good: 0.0, loss_bad: 0.2 },
        ];
        for model in models {
            let seen = share(&lost(model, 400_000));
            assert!((seen - 0.02).abs() < 0.002, "{model:?}: {seen}");
            assert!((model.rate() - 0.02).abs() < 1e-12);
        }
    }

    #[test]
    fn trains_have_their_mean_length() {
        let lost = lost(LossModel::Trains { rate: 0.01, mean_length: 4.0 }, 400_000);
        let starts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let mean = lost.iter().filter(|l| **l).count() as f64 / starts;
        assert!((mean - 4.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn the_periodic_model_counts() {
        let lost = lost(LossModel::Periodic(0.25), 12);
        assert_eq!(lost.iter().filter(|l| **l).count(), 3);
        assert!(lost[3] && lost[7] && lost[11]);
    }
}
