//! What is measured of a flow.

use crate::units::{Bytes, Rate, Span, Timestamp};

/// Bins of delivered bytes over the run, for the time to a steady rate.
const BINS: usize = 200;
/// They begin so many times narrower (a power of two) and widen as the run goes on, since it may end long before it had to.
const NARROWER: u32 = 12;
/// Queueing delays are counted in bins that widen by this factor, from 1 us up.
const STEP: f64 = 1.1;
const DELAY_BINS: usize = 200;

/// What one flow got.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowResult {
    /// Unique payload delivered over the time it took (`--duration`, or until the last byte of `--bytes`).
    pub goodput: Rate,
    /// Unique payload delivered in order.
    pub delivered: Bytes,
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Data packets the path lost, at the queue or at random.
    pub lost: u64,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Mean time its packets waited in the queue.
    pub mean_queue: Span,
    /// 95th percentile of that.
    pub p95_queue: Span,
    /// When the rate first reached 90 % of the mean of the run's second half.
    pub time_to_steady: Option<Span>,
    /// Goodput of the second half, when slow start is forgotten.
    pub steady: Rate,
    /// How long it was simulated for, from its start.
    pub span: Span,
    /// Events simulated.
    pub events: u64,
    /// Whether segments were simulated in batches.
    pub batched: bool,
}

#[derive(Debug)]
pub(super) struct Meter {
    /// Width of a bin in nanoseconds, when it was halved `halvings` times less.
    full: u64,
    halvings: u32,
    bins: Vec<u64>,
    pub(super) sent: u64,
    pub(super) retransmitted: u64,
    pub(super) lost: u64,
    wait_sum: f64,
    wait_count: u64,
    waits: Vec<u64>,
}

impl Meter {
    pub(super) fn new(duration: Span) -> Self {
        Self {
            full: (duration.as_nanos() / BINS as i64).max(1) as u64,
            halvings: NARROWER,
            bins: vec![0; BINS],
            sent: 0,
            retransmitted: 0,
            lost: 0,
            wait_sum: 0.0,
            wait_count: 0,
            waits: vec![0; DELAY_BINS],
        }
    }

    pub(super) fn on_wait(&mut self, wait: Span) {
        let micros = wait.as_micros_f64();
        self.wait_sum += micros;
        self.wait_count += 1;
        let bin = if micros <= 1.0 { 0 } else { (micros.ln() / STEP.ln()) as usize + 1 };
        self.waits[bin.min(DELAY_BINS - 1)] += 1;
    }

    pub(super) fn on_delivered(&mut self, now: Timestamp, bytes: u64) {
        let since = now.since(Timestamp::ZERO);
        let mut bin = self.bin_of(since);
        while bin >= BINS && self.halvings > 0 {
            self.widen();
            bin = self.bin_of(since);
        }
        if let Some(count) = self.bins.get_mut(bin) {
            *count += bytes;
        }
    }

    fn bin_of(&self, since: Span) -> usize {
        let nanos = since.as_nanos().max(0) as u64;
        if nanos.leading_zeros() > self.halvings {
            ((nanos << self.halvings) / self.full) as usize
        } else {
            ((u128::from(nanos) << self.halvings) / u128::from(self.full)) as usize
        }
    }

    /// Two bins become one.
    fn widen(&mut self) {
        self.halvings -= 1;
        for i in 0..BINS / 2 {
            self.bins[i] = self.bins[2 * i] + self.bins[2 * i + 1];
        }
        self.bins[BINS / 2..].fill(0);
    }

    fn width(&self, bins: usize) -> Span {
        Span::from_nanos(self.full as i64).scale(bins as f64 / f64::from(1_u32 << self.halvings))
    }

    /// What was measured from `started` to `over`.
    pub(super) fn result(
        &mut self,
        delivered: Bytes,
        started: Timestamp,
        over: Timestamp,
        timeouts: u32,
        events: u64,
    ) -> FlowResult {
        let (span, end) = (over.since(started), over.since(Timestamp::ZERO));
        while self.bin_of(end) > BINS && self.halvings > 0 {
            self.widen();
        }
        let goodput = Rate::average(delivered, span).unwrap_or_default();
        FlowResult {
            goodput,
            delivered,
            sent: self.sent,
            retransmitted: self.retransmitted,
            lost: self.lost,
            timeouts,
            mean_queue: self.mean_queue(),
            p95_queue: self.queue_percentile(0.95),
            time_to_steady: self.time_to_steady(span),
            steady: self.second_half(end).unwrap_or(goodput),
            span,
            events,
            batched: false,
        }
    }

    fn second_half(&self, end: Span) -> Option<Rate> {
        let used = self.bin_of(end).min(BINS);
        let half = self.bins.get(used / 2..used)?;
        Rate::average(Bytes::new(half.iter().sum()), self.width(half.len()))
    }

    pub(super) fn mean_queue(&self) -> Span {
        Span::from_secs_f64(self.wait_sum / (self.wait_count.max(1) as f64) / 1e6)
    }

    /// Percentile of the waiting time, to the 10 % that the bins resolve.
    pub(super) fn queue_percentile(&self, share: f64) -> Span {
        let rank = (self.wait_count as f64 * share) as u64;
        let mut seen = 0;
        for (bin, count) in self.waits.iter().enumerate() {
            seen += count;
            if seen > rank {
                let micros = if bin == 0 { 0.0 } else { STEP.powf(bin as f64 - 0.5) };
                return Span::from_secs_f64(micros / 1e6);
            }
        }
        Span::ZERO
    }

    /// When the rate over a twentieth of the run first reaches 90 % of that of its second half.
    pub(super) fn time_to_steady(&self, end: Span) -> Option<Span> {
        let used = self.bin_of(end).min(BINS);
        if used < 20 {
            return None;
        }
        let steady = self.bins[used / 2..used].iter().sum::<u64>() as f64 / (used - used / 2) as f64;
        let width = 3;
        let first = (0..used.saturating_sub(width))
            .find(|&i| self.bins[i..i + width].iter().sum::<u64>() as f64 / width as f64 >= 0.9 * steady)?;
        Some(self.width(first + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A slow start of 10 ms without a byte, then 1,000 bytes a millisecond, cut off at 30 ms of the 200 s that it might have taken:
    // the second half is that at 8 Mbit/s.
    #[test]
    fn a_run_that_is_cut_early_has_a_second_half() {
        let mut meter = Meter::new(Span::from_secs(200));
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        for ms in 10..30 {
            meter.on_delivered(at(ms), 1_000);
        }
        let result = meter.result(Bytes::new(20_000), Timestamp::ZERO, at(30), 0, 0);
        // Bins of 1 s / 4096 = 0.24 ms.
        assert!(
            (result.steady.as_bits_per_sec() / 8e6 - 1.0).abs() < 0.05,
            "{}",
            result.steady.as_bits_per_sec()
        );
        assert!((result.goodput.as_bits_per_sec() / 5.333e6 - 1.0).abs() < 0.01);
        let steady = result.time_to_steady.unwrap().as_secs_f64();
        assert!((steady - 0.010).abs() < 0.001, "{steady}");
    }

    #[test]
    fn bins_widen_to_what_the_whole_run_needs() {
        let mut meter = Meter::new(Span::from_secs(200));
        let at = |second: i64| Timestamp::from_nanos(second * 1_000_000_000 + 500_000_000);
        for second in 0..200 {
            meter.on_delivered(at(second), second as u64);
        }
        assert_eq!((meter.halvings, meter.bins[0], meter.bins[199]), (0, 0, 199));
    }
}
