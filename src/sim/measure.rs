//! What is measured of a flow.

use crate::units::{Bytes, Rate, Span, Timestamp};

/// Bins of delivered bytes over the run, for the time to a steady rate.
const BINS: usize = 200;
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
    bin: Span,
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
            bin: Span::from_nanos((duration.as_nanos() / BINS as i64).max(1)),
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
        let bin = (now.since(Timestamp::ZERO).as_nanos() / self.bin.as_nanos()) as usize;
        if let Some(count) = self.bins.get_mut(bin) {
            *count += bytes;
        }
    }

    /// What was measured from `started` to `over`.
    pub(super) fn result(
        &self,
        delivered: Bytes,
        started: Timestamp,
        over: Timestamp,
        timeouts: u32,
        events: u64,
    ) -> FlowResult {
        let span = over.since(started);
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
            steady: self.second_half(over.since(Timestamp::ZERO)).unwrap_or(goodput),
            span,
            events,
            batched: false,
        }
    }

    fn second_half(&self, end: Span) -> Option<Rate> {
        let used = ((end.as_nanos() / self.bin.as_nanos()) as usize).min(BINS);
        let half = self.bins.get(used / 2..used)?;
        Rate::average(Bytes::new(half.iter().sum()), self.bin.scale(half.len() as f64))
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
        let used = ((end.as_nanos() / self.bin.as_nanos()) as usize).min(BINS);
        if used < 20 {
            return None;
        }
        let steady = self.bins[used / 2..used].iter().sum::<u64>() as f64 / (used - used / 2) as f64;
        let width = 3;
        let first = (0..used.saturating_sub(width))
            .find(|&i| self.bins[i..i + width].iter().sum::<u64>() as f64 / width as f64 >= 0.9 * steady)?;
        Some(self.bin.scale(first as f64 + 1.0))
    }
}
