//! The transfer round by round: what path inference, limits and plots are made from. Bounded: neighbours are merged when
//! there are too many.

use super::PathSamples;
use crate::units::{Span, Timestamp};

/// Most rounds kept of a direction; twice as coarse beyond it.
const MOST: usize = 1_024;

/// One round trip, or several that were merged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "what a round was are independent facts")]
pub struct RoundRecord {
    /// The sender's time at its begin and end.
    pub start: Timestamp,
    /// End.
    pub end: Timestamp,
    /// Bytes delivered, cumulatively or selectively.
    pub delivered: u64,
    /// New bytes sent.
    pub sent: u64,
    /// Bytes sent again.
    pub resent: u64,
    /// Bytes that the sender had to deem lost.
    pub lost: u64,
    /// Smallest, largest and last RTT of the newest segment of each ACK.
    pub rtt_min: Option<Span>,
    /// Largest.
    pub rtt_max: Option<Span>,
    /// Last.
    pub rtt_last: Option<Span>,
    /// Most in flight, bytes.
    pub flight: u64,
    /// The congestion window at its end, bytes.
    pub window: u64,
    /// Receive window at its end, bytes; `None` where its scale is unknown.
    pub receive: Option<u64>,
    /// Largest delivery-rate sample that the application did not limit, bytes a second.
    pub rate: f64,
    /// The window was all that held the sender back.
    pub full: bool,
    /// It spaces its segments.
    pub paced: bool,
    /// Something was sent into an empty network.
    pub idle: bool,
    /// The receive window had no room.
    pub shut: bool,
    /// Some of it was a recovery or followed a timeout.
    pub disturbed: bool,
    /// Its end is in slow start.
    pub slow_start: bool,
    /// ACKs heard, and those with ECE.
    pub acks: u32,
    /// With ECE.
    pub marked_acks: u32,
}

/// The rounds of one direction.
#[derive(Clone, Debug)]
pub struct Trace {
    /// How delays, deliveries and losses go together.
    pub samples: PathSamples,
    /// Payload of a full segment, bytes.
    pub mss: Option<u32>,
    /// Ticks a second of the sender's kernel clock, where its window shows them.
    pub clock_hz: Option<u32>,
    rounds: Vec<RoundRecord>,
    /// Rounds that go into one record.
    merge: u32,
    merged: u32,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            samples: PathSamples::default(),
            mss: None,
            clock_hz: None,
            rounds: Vec::new(),
            merge: 1,
            merged: 0,
        }
    }
}

impl Trace {
    /// The records in order of time.
    pub fn rounds(&self) -> &[RoundRecord] {
        &self.rounds
    }

    /// Adds the round that follows.
    pub fn push(&mut self, round: RoundRecord) {
        match self.rounds.last_mut() {
            Some(last) if self.merged < self.merge => {
                last.absorb(&round);
                self.merged += 1;
            }
            _ => {
                self.rounds.push(round);
                self.merged = 1;
            }
        }
        if self.rounds.len() > MOST {
            let halves = self.rounds.chunks(2).map(|pair| {
                let mut first = pair[0];
                if let Some(second) = pair.get(1) {
                    first.absorb(second);
                }
                first
            });
            self.rounds = halves.collect();
            self.merge *= 2;
            self.merged = self.merge;
        }
    }
}

impl RoundRecord {
    /// Takes in the samples of an ACK: an RTT, and a delivery rate in bytes a second.
    pub fn note(&mut self, rtt: Option<Span>, rate: Option<f64>) {
        if let Some(rtt) = rtt {
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |least| least.min(rtt)));
            self.rtt_max = Some(self.rtt_max.map_or(rtt, |most| most.max(rtt)));
            self.rtt_last = Some(rtt);
        }
        self.rate = self.rate.max(rate.unwrap_or(0.0));
    }

    fn absorb(&mut self, next: &Self) {
        let merge = |a: Option<Span>, b: Option<Span>, pick: fn(Span, Span) -> Span| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        *self = Self {
            start: self.start,
            end: next.end,
            delivered: self.delivered + next.delivered,
            sent: self.sent + next.sent,
            resent: self.resent + next.resent,
            lost: self.lost + next.lost,
            rtt_min: merge(self.rtt_min, next.rtt_min, Ord::min),
            rtt_max: merge(self.rtt_max, next.rtt_max, Ord::max),
            rtt_last: next.rtt_last.or(self.rtt_last),
            flight: self.flight.max(next.flight),
            window: next.window,
            receive: next.receive.or(self.receive),
            rate: self.rate.max(next.rate),
            full: self.full && next.full,
            paced: self.paced && next.paced,
            idle: self.idle || next.idle,
            shut: self.shut || next.shut,
            disturbed: self.disturbed || next.disturbed,
            slow_start: next.slow_start,
            acks: self.acks + next.acks,
            marked_acks: self.marked_acks + next.marked_acks,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_survive_merging_and_memory_is_bounded() {
        let mut trace = Trace::default();
        let rounds = 100_000_u64;
        for at in 0..rounds {
            let time = |at: u64| Timestamp::from_nanos(i64::try_from(at).unwrap());
            trace.push(RoundRecord {
                start: time(at),
                end: time(at + 1),
                delivered: at,
                rtt_min: Some(Span::from_nanos(i64::try_from(at + 5).unwrap())),
                ..RoundRecord::default()
            });
            assert!(trace.rounds().len() <= MOST);
        }
        let records = trace.rounds();
        assert!(records.len() > MOST / 2 - 1, "{}", records.len());
        assert_eq!(records.iter().map(|round| round.delivered).sum::<u64>(), rounds * (rounds - 1) / 2);
        assert_eq!(records[0].rtt_min, Some(Span::from_nanos(5)));
        assert!(records.windows(2).all(|pair| pair[0].end == pair[1].start), "no gaps");
    }
}
