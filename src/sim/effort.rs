//! How much a prediction takes, before it is made.

use super::batch;
use super::predict::PredictSpec;
use super::run::{FLIGHT_BUDGET, HEADER, PACKET_BUDGET};
use crate::cc::ALGORITHMS;
use crate::units::Rate;

/// The most that one run of a [`PredictSpec`] can come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Segments, or batches of them, that are simulated; infinite if nothing limits the flows.
    pub segments: f64,
    /// Segments in flight at a time.
    pub in_flight: f64,
}

/// From all that limits the flows but their algorithm.
pub fn effort(spec: &PredictSpec) -> Effort {
    let (path, flows) = (&spec.path, f64::from(spec.flows.max(1)));
    let mss = f64::from(spec.mss);
    let rtt = (path.rtt + path.coalescing).as_secs_f64().max(1e-9);
    let per_second =
        |rate: Option<Rate>, size: f64| rate.map_or(f64::INFINITY, |r| r.as_bytes_per_sec() / size);
    let link = per_second(path.rate, mss + f64::from(HEADER));
    let window = flows * spec.receive_window.unwrap_or(spec.profile.buffer_limit).get() as f64 / mss;
    let written = flows * per_second(spec.application, mss);
    let seconds = spec.duration.as_secs_f64();
    // Each is sent until it arrives; a path that loses nearly all sends little, by its timer.
    let needed = spec
        .bytes
        .map_or(f64::INFINITY, |b| flows * b.get() as f64 / mss / (1.0 - path.loss.rate()).max(0.01));
    let all = (link.min(written).min(window / rtt) * seconds).min(needed).max(flows);
    let queue = path.buffer_bytes().map_or(f64::INFINITY, |b| b.get() as f64 / mss);
    let in_flight = window.min(link * rtt + queue).min(all);
    if batch::suits(path, &[spec.flow(ALGORITHMS[0])][..]) && spec.flows <= 1 {
        // A transfer ends when it is over: by a quarter of the square-root formula's rate, the slower the more is lost.
        let lossy = 0.3 / (rtt * path.loss.rate().max(1e-12).sqrt());
        let steady = link.min(written).min(window / rtt).min(lossy);
        let seconds = seconds.min(needed / steady + 1.0);
        let batched = f64::from(batch::BATCHES as u32) * seconds / rtt;
        return Effort {
            segments: all.min(PACKET_BUDGET as f64 + batched),
            in_flight: in_flight.min(f64::from(FLIGHT_BUDGET)),
        };
    }
    Effort { segments: all, in_flight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Buffer, Path, profile};
    use crate::units::{Bytes, Span};

    fn spec(mbit: f64) -> PredictSpec {
        PredictSpec {
            path: Path::new(Span::from_millis(50), Some(Rate::from_bits_per_sec(mbit * 1e6))),
            loss_factor: 1.0,
            profile: profile("linux-6").unwrap(),
            clock_hz: None,
            mss: 1448,
            receive_window: None,
            ack_every: None,
            duration: Span::from_secs(30),
            bytes: None,
            application: None,
            flows: 1,
            seed: 1,
            draws: 8,
        }
    }

    // 100 Mbit/s are 8,333 packets of 1500 bytes a second.
    #[test]
    fn the_link_the_window_or_the_transfer_limits() {
        assert!((effort(&spec(100.0)).segments - 250_000.0).abs() < 1.0);
        // 4 MiB in 50 ms: 57,933 segments a second; two flows, which are not batched.
        let mut wide = spec(1e6);
        wide.flows = 2;
        assert!((effort(&wide).segments - 2.0 * 57_932.7 * 30.0).abs() < 1e3);
        let mut short = spec(100.0);
        short.bytes = Some(Bytes::new(14_480_000));
        assert!((effort(&short).segments - 10_000.0).abs() < 1e-6);
    }

    // 69 million segments at the window's 57,933 a second are 1,192 s, not the day that a transfer of bytes may take.
    #[test]
    fn a_batched_transfer_takes_no_longer_than_it_takes() {
        let mut transfer = spec(1_000.0);
        transfer.bytes = Some(Bytes::new(100_000_000_000));
        transfer.duration = Span::from_secs(86_400);
        let batches = 32.0 * (1e11 / 1448.0 / 57_932.7 + 1.0) / 0.05;
        assert!((effort(&transfer).segments - 3e6 - batches).abs() < 1e3, "{}", effort(&transfer).segments);
    }

    #[test]
    fn what_nothing_limits_is_infinite_unless_it_is_batched() {
        let mut open = spec(100.0);
        open.path.rate = None;
        open.path.buffer = Buffer::Unlimited;
        open.receive_window = Some(Bytes::new(u64::MAX));
        let batched = 3e6 + 32.0 * 30.0 / 0.05;
        assert!((effort(&open).segments - batched).abs() < 1.0);
        open.flows = 2;
        assert!(effort(&open).segments > 1e15);
    }
}
