//! The bottleneck: a link of fixed rate behind a queue.
//!
//! A first-in-first-out queue needs no events: when a packet arrives, the moment of its departure is known.
//! Only fair queueing must decide anew at each departure.

mod codel;
mod fq_codel;
mod red;
mod standing;

use fq_codel::FqCodel;
use red::Red;
use standing::StandingQueue;

use super::path::{Aqm, Path};
use super::random::Stream;
use crate::units::{Bytes, Rate, Span, Timestamp};

/// A packet at the bottleneck.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) flow: u32,
    pub(super) number: u64,
    pub(super) sent: Timestamp,
    /// Bytes of the IP packet.
    pub(super) size: u32,
    /// Whether it may be marked instead of dropped.
    pub(super) ecn: bool,
    pub(super) marked: bool,
}

/// What became of a packet on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It leaves the link at `at` after waiting for `wait`.
    Departs {
        at: Timestamp,
        wait: Span,
        marked: bool,
    },
    Dropped,
    /// It waits; [`Bottleneck::depart`] will give it out.
    Queued,
}

#[derive(Debug)]
pub(super) struct Bottleneck {
    rate: Option<Rate>,
    limit: Option<Bytes>,
    free_at: Timestamp,
    discipline: Discipline,
}

/// What the queue does beside holding what there is room for.
#[derive(Debug)]
enum Discipline {
    DropTail,
    Red(Red),
    Standing(StandingQueue),
    Fair(FqCodel),
}

impl Bottleneck {
    pub(super) fn new(path: &Path, marking: Stream) -> Self {
        let limit = path.buffer_bytes();
        Self {
            rate: path.rate,
            limit,
            free_at: Timestamp::ZERO,
            discipline: match (path.aqm, path.rate, limit) {
                (Aqm::RedEcn, _, Some(limit)) => Discipline::Red(Red::new(limit, marking)),
                (Aqm::StandingQueue(bytes), ..) => Discipline::Standing(StandingQueue::new(bytes, path.rtt)),
                (Aqm::FqCodel, Some(rate), _) => Discipline::Fair(FqCodel::new(rate, limit)),
                _ => Discipline::DropTail,
            },
        }
    }

    pub(super) fn enqueue(&mut self, now: Timestamp, packet: Packet) -> Outcome {
        if let Discipline::Fair(fair) = &mut self.discipline {
            return if fair.enqueue(now, packet) { Outcome::Queued } else { Outcome::Dropped };
        }
        let Some(rate) = self.rate else {
            return Outcome::Departs { at: now, wait: Span::ZERO, marked: false };
        };
        let wait = self.free_at.since(now).max(Span::ZERO);
        let backlog = rate.as_bytes_per_sec() * wait.as_secs_f64();
        if wait > Span::ZERO
            && self.limit.is_some_and(|limit| backlog + f64::from(packet.size) > limit.get() as f64)
        {
            return Outcome::Dropped;
        }
        let mark = match &mut self.discipline {
            Discipline::Red(red) => red.on_arrival(backlog),
            Discipline::Standing(standing) => standing.on_arrival(now, backlog),
            Discipline::DropTail | Discipline::Fair(_) => false,
        };
        let marked = mark && packet.ecn;
        self.free_at = self.free_at.max(now) + rate.time_for(Bytes::new(u64::from(packet.size)));
        Outcome::Departs { at: self.free_at, wait, marked }
    }

    /// When the next waiting packet leaves.
    pub(super) fn next_departure(&self) -> Option<Timestamp> {
        let Discipline::Fair(fair) = &self.discipline else { return None };
        fair.next_departure()
    }

    /// The packet that leaves now, and how long it waited.
    pub(super) fn depart(&mut self, now: Timestamp) -> Option<(Packet, Span)> {
        let Discipline::Fair(fair) = &mut self.discipline else { return None };
        fair.depart(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Buffer;

    fn packet() -> Packet {
        Packet { flow: 0, number: 0, sent: Timestamp::ZERO, size: 1500, ecn: false, marked: false }
    }

    // 12 Mbit/s: a packet of 1500 bytes takes 1 ms. Three packets of buffer: the fourth at once is dropped.
    #[test]
    fn a_full_buffer_drops() {
        let mut path = Path::new(Span::from_millis(10), Some(Rate::from_bits_per_sec(12e6)));
        path.buffer = Buffer::Bytes(Bytes::new(4500));
        let mut link = Bottleneck::new(&path, Stream::new(0));
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        for i in 0..3 {
            let wait = Span::from_millis(i);
            assert_eq!(
                link.enqueue(at(0), packet()),
                Outcome::Departs { at: at(i + 1), wait, marked: false }
            );
        }
        assert_eq!(link.enqueue(at(0), packet()), Outcome::Dropped);
        assert!(matches!(link.enqueue(at(1), packet()), Outcome::Departs { .. }));
    }
}
