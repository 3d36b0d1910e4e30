//! Interrupts of the hosts' network cards, which come at least so far apart, and what is handed up at one.
//!
//! Segments that follow each other and are handed up at once become one (LRO, GRO): FreeBSD answers it with an ACK at once
//! (`DELAY_ACK`: "LRO wasn't used for this segment"), as Linux does (`__tcp_ack_snd_check`), and a filter or an emulator on the host
//! sees, and drops, it whole. An ACK waits in the same way for the sender's card.

use crate::units::{Span, Timestamp};

/// 64 kB of full segments (`tcp_lro.c`: `TCP_LRO_LENGTH_MAX`, Linux `GRO_LEGACY_MAX_SIZE`).
const MOST: u32 = 44;

/// A card: an interrupt no sooner than a while after the last (the Interrupt Throttle Register of em(4), igb(4), igc(4) and ix(4); re(4)
/// does the like with a timer).
#[derive(Debug)]
pub(super) struct Card {
    apart: Span,
    interrupt: Timestamp,
}

impl Card {
    pub(super) const fn new(apart: Span) -> Self {
        Self { apart, interrupt: Timestamp::MIN }
    }

    /// When what arrives at `at` is handed up; packets are told of in the order of their arrival.
    pub(super) fn hand_up(&mut self, at: Timestamp) -> Timestamp {
        if at > self.interrupt {
            self.interrupt = at.max(self.interrupt + self.apart);
        }
        self.interrupt
    }
}

/// Which segments are handed up as one.
#[derive(Debug, Default)]
pub(super) struct Merging {
    at: Option<Timestamp>,
    next: u64,
    count: u32,
    /// Whether this one is lost.
    pub(super) lost: bool,
}

impl Merging {
    /// Whether `number`, handed up at `at`, is part of the segment before it.
    pub(super) fn joins(&mut self, at: Timestamp, number: u64) -> bool {
        let joins = self.at == Some(at) && self.next == number && self.count < MOST;
        self.count = if joins { self.count + 1 } else { 1 };
        self.at = Some(at);
        self.next = number + 1;
        joins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(us: i64) -> Timestamp {
        Timestamp::from_nanos(us * 1_000)
    }

    // 8,000 interrupts a second: the first packet at once, those of the next 125 us together at their end, and after a pause one
    // at once again.
    #[test]
    fn interrupts_are_never_closer_than_the_throttle() {
        let mut card = Card::new(Span::from_micros(125));
        let handed: Vec<_> = [0, 10, 124, 125, 126, 900].map(|us| card.hand_up(at(us))).to_vec();
        assert_eq!(handed, [at(0), at(125), at(125), at(125), at(250), at(900)]);
    }

    #[test]
    fn only_what_follows_and_fits_is_merged() {
        let mut merging = Merging::default();
        assert!(!merging.joins(at(1), 5));
        assert!(merging.joins(at(1), 6));
        assert!(!merging.joins(at(1), 8), "a hole");
        assert!(!merging.joins(at(2), 9), "the next interrupt");
        let merged = (10..100).filter(|&number| merging.joins(at(2), number)).count();
        assert_eq!(merged, 90 - 2, "44 at most in each");
    }
}
