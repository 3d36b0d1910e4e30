//! What a controller is told, as structs: a new field breaks no algorithm.

use crate::units::{Bytes, Rate, Span, Timestamp};

/// The operating system whose version of an algorithm is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Linux with this major version.
    Linux(u32),
    /// FreeBSD with this major version.
    FreeBsd(u32),
}

/// What an algorithm may know when a connection starts.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a connection")]
pub struct CcSetup {
    /// Payload bytes in a full segment.
    pub mss: u32,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Whose version.
    pub stack: Stack,
    /// Kernel clock ticks a second (`kern.hz`, `CONFIG_HZ`).
    pub clock_hz: u32,
    /// Whether slow start may end before a loss (`HyStart` on Linux, `HyStart`++ on FreeBSD).
    pub hystart: bool,
    /// Whether the sender spaces its segments even for algorithms that set no rate.
    pub paced: bool,
    /// Whether ECN was negotiated.
    pub ecn: bool,
    /// Whether CUBIC is to be what section 5 of RFC 9438 computes, a lone flow in its steady state, rather than a
    /// kernel's.
    pub textbook: bool,
    /// For algorithms that draw random numbers.
    pub seed: u64,
}

impl Default for CcSetup {
    /// A Linux 6 sender with full Ethernet segments.
    fn default() -> Self {
        Self {
            mss: 1448,
            initial_window: 10,
            stack: Stack::Linux(6),
            clock_hz: 1000,
            hystart: true,
            paced: false,
            ecn: false,
            textbook: false,
            seed: 0,
        }
    }
}

/// The sender's recovery state, as Linux's `tcp_ca_state`: `Reduction` is CWR, `Timeout` is Loss, Disorder is not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing is wrong.
    #[default]
    Open,
    /// The window is being reduced after an ECN echo or a tail loss probe.
    Reduction,
    /// Fast recovery.
    Recovery,
    /// After a retransmission timeout.
    Timeout,
}

/// A segment leaves.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Its payload.
    pub bytes: Bytes,
    /// In flight with it.
    pub in_flight: Bytes,
    /// Whether nothing was in flight before it.
    pub from_idle: bool,
}

/// One delivery-rate sample (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Bytes delivered over `interval`.
    pub delivered: Bytes,
    /// The longer of the send and the ACK interval.
    pub interval: Span,
    /// Bytes delivered in total when the newest segment acknowledged was sent.
    pub prior_delivered: u64,
    /// Bytes in flight when that segment was sent.
    pub sent_in_flight: Bytes,
    /// Bytes lost between its sending and now.
    pub lost: Bytes,
    /// Whether the application held the sender back.
    pub app_limited: bool,
}

impl RateSample {
    /// The rate; `None` for an empty interval.
    pub fn rate(&self) -> Option<Rate> {
        Rate::average(self.delivered, self.interval)
    }

    /// The same with the rate of an earlier one, if that is higher and counts as much.
    fn with_rate_of(self, before: &Self) -> Self {
        let faster = self.app_limited == before.app_limited && before.rate() > self.rate();
        if faster { Self { delivered: before.delivered, interval: before.interval, ..self } } else { self }
    }
}

/// An ACK and what it changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acked {
    /// Newly delivered, cumulatively or selectively.
    pub bytes: Bytes,
    /// Newly marked as lost.
    pub lost: Bytes,
    /// Newly delivered and carrying a congestion mark.
    pub marked: Bytes,
    /// RTT of the newest segment acknowledged that was sent once.
    pub rtt: Option<Span>,
    /// Smoothed RTT of the sender.
    pub srtt: Option<Span>,
    /// Smallest RTT the sender has seen.
    pub min_rtt: Option<Span>,
    /// The delivery-rate sample it completes.
    pub rate: Option<RateSample>,
    /// Delivered in total, this ACK included.
    pub delivered: u64,
    /// In flight after it.
    pub in_flight: Bytes,
    /// In flight before it.
    pub prior_in_flight: Bytes,
    /// First byte not yet acknowledged, counted from the start of the stream.
    pub acked_to: u64,
    /// First byte not yet sent.
    pub sent_to: u64,
    /// Whether it left the first unacknowledged byte where it was: only SACK blocks told of deliveries. No window grows by
    /// such an ACK (`FLAG_DATA_ACKED` in Linux, `CC_DUPACK` in FreeBSD).
    pub duplicate: bool,
    /// Whether the window was full when last something was sent.
    pub window_full: bool,
    /// The most that was in flight in the last window.
    pub flight_peak: Bytes,
    /// ACKs that this stands for, where several are told as one; 0 counts as 1.
    pub acks: u32,
    /// The sender's recovery state after this ACK.
    pub phase: Phase,
}

impl Acked {
    /// Takes in an ACK that came next, so that this tells of both: sums, the higher rate, the smaller RTT, and else how it is now.
    pub fn join(&mut self, next: &Self) {
        let before = std::mem::replace(self, *next);
        self.bytes += before.bytes;
        self.lost += before.lost;
        self.marked += before.marked;
        self.rtt = match (before.rtt, next.rtt) {
            (Some(before), Some(next)) => Some(before.min(next)),
            (before, next) => next.or(before),
        };
        self.rate = match (before.rate, next.rate) {
            (Some(before), Some(next)) => Some(next.with_rate_of(&before)),
            (before, next) => next.or(before),
        };
        self.prior_in_flight = before.prior_in_flight;
        self.acks = before.acks.max(1) + next.acks.max(1);
    }
}

/// Why the window must fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionKind {
    /// A loss recovery begins.
    Loss,
    /// The first ECN echo of a window.
    Ecn,
    /// The retransmission timer fired.
    Timeout,
}

/// A congestion event.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// Which.
    pub kind: CongestionKind,
    /// In flight when it was noticed.
    pub in_flight: Bytes,
    /// Whether the window was already reduced for this very episode (a timeout within recovery, or a second
    /// one).
    pub repeated: bool,
}

impl Congestion {
    /// The first event of an episode.
    pub const fn first(kind: CongestionKind, in_flight: Bytes) -> Self {
        Self { kind, in_flight, repeated: false }
    }
}

/// What can be seen of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The window.
    pub window: Bytes,
    /// Slow-start threshold; `None` while unset or where there is no such thing.
    pub ssthresh: Option<Bytes>,
    /// A word for its state, such as "slow start" or "probe bandwidth up".
    pub phase: &'static str,
}

/// The count of full segments in `bytes`, rounded up.
pub(crate) const fn segments(bytes: Bytes, mss: u32) -> u32 {
    bytes.get().div_ceil(mss as u64) as u32
}

/// A time as the kernel counts it (`usecs_to_jiffies`): rounded up to its clock's tick; as it is with a clock of 0.
pub(crate) const fn jiffies(span: Span, hz: u32) -> Span {
    if hz == 0 {
        return span;
    }
    let tick = 1_000_000_000 / hz as i64;
    Span::from_nanos((span.as_nanos() + tick - 1) / tick * tick)
}

/// A moment in whole clock ticks.
pub(crate) const fn ticks(now: Timestamp, hz: u32) -> i64 {
    // 10^9 / hz is exact for every usual clock (100, 250, 1000, 10,000, 100,000).
    now.as_nanos() / (1_000_000_000 / hz as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_that_are_told_as_one_add_up() {
        let ack = |bytes, rtt: Option<i64>, acked_to: u64| Acked {
            bytes: Bytes::new(bytes),
            rate: Some(RateSample {
                delivered: Bytes::new(10_000),
                interval: Span::from_millis(i64::try_from(acked_to).unwrap() / 100),
                prior_delivered: acked_to,
                sent_in_flight: Bytes::new(0),
                lost: Bytes::new(0),
                app_limited: false,
            }),
            rtt: rtt.map(Span::from_millis),
            prior_in_flight: Bytes::new(20_000 - acked_to),
            in_flight: Bytes::new(20_000 - acked_to - bytes),
            acked_to,
            acks: 1,
            ..Acked::default()
        };
        let mut sum = ack(2_000, Some(50), 2_000);
        sum.join(&ack(3_000, None, 5_000));
        assert_eq!((sum.bytes.get(), sum.acks, sum.acked_to), (5_000, 2, 5_000));
        assert_eq!(sum.rtt, Some(Span::from_millis(50)));
        let rate = sum.rate.unwrap();
        assert_eq!((rate.interval, rate.prior_delivered), (Span::from_millis(20), 5_000), "the higher rate");
        assert_eq!((sum.prior_in_flight.get(), sum.in_flight.get()), (18_000, 12_000));
        sum.join(&ack(1_000, Some(70), 6_000));
        assert_eq!(sum.rtt, Some(Span::from_millis(50)), "a queue that grows hides no smaller RTT");
    }
}
