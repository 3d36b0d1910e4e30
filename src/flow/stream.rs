//! The sequence space of one direction: where its bytes stand and how far it has come.

use serde::{Deserialize, Serialize};

use crate::seq::{SeqNumber, StreamOffset, Unwrapper};

/// Beyond this a jump must be confirmed before it moves the stream: no window of a live connection is so large
/// that a hole of it is ordinary, and a corrupt header would otherwise make gigabytes out of one segment.
const JUMP: i64 = 1 << 24;

/// How near a second segment must come to confirm a jump.
const CONFIRM: i64 = 1 << 21;

/// One direction's sequence state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Stream {
    unwrapper: Unwrapper,
    /// Offset after the last byte known to have been sent (SYN and FIN count as one each).
    next: StreamOffset,
    /// What the other side has acknowledged, all before it.
    acked: Option<StreamOffset>,
    /// A far jump that waits for a second segment near it.
    jump: Option<StreamOffset>,
}

impl Stream {
    /// The stream whose SYN has this number.
    pub const fn from_syn(isn: SeqNumber) -> Self {
        Self::anchored(isn, StreamOffset::new(-1))
    }

    /// The stream first seen in its middle, at `number`.
    pub const fn from_middle(number: SeqNumber) -> Self {
        Self::anchored(number, StreamOffset::ZERO)
    }

    const fn anchored(number: SeqNumber, offset: StreamOffset) -> Self {
        Self { unwrapper: Unwrapper::anchored(number, offset), next: offset, acked: None, jump: None }
    }

    /// Where `number` stands.
    #[inline]
    pub const fn offset(&self, number: SeqNumber) -> StreamOffset {
        self.unwrapper.offset(number)
    }

    /// After the last byte known to have been sent.
    #[inline]
    pub const fn next(&self) -> StreamOffset {
        self.next
    }

    /// All before it is acknowledged.
    #[inline]
    pub const fn acked(&self) -> Option<StreamOffset> {
        self.acked
    }

    /// Bytes sent and not acknowledged; all of it where nothing was acknowledged yet.
    pub fn outstanding(&self) -> i64 {
        self.acked.map_or(0, |acked| self.next.since(acked).max(0))
    }

    /// Takes note of `len` bytes (of sequence space) sent at `number`. False if they lie so far ahead that they
    /// are set aside until a second segment confirms them, unless the segment is `vouched` for by an acknowledgment
    /// number that fits the other direction: a corrupt or forged header has two wrong numbers.
    #[inline]
    pub fn sent(&mut self, number: SeqNumber, len: u32, vouched: bool) -> bool {
        let start = self.offset(number);
        if start.since(self.next) > JUMP && !vouched && !self.confirmed(start) {
            return false;
        }
        let end = start + len;
        if end > self.next {
            self.next = end;
            self.unwrapper.advance(number.add(len));
        }
        true
    }

    /// Takes note of an acknowledgment. Gives by how much it moves forward: 0 for a repeated or old one. False
    /// in the second place if it acknowledges far more than was ever sent and is not believed (yet).
    #[inline]
    pub fn acknowledged(&mut self, number: SeqNumber) -> (i64, bool) {
        let to = self.offset(number);
        if to.since(self.next) > JUMP && !self.confirmed(to) {
            return (0, false);
        }
        if to > self.next {
            self.next = to;
            self.unwrapper.advance(number);
        }
        match self.acked {
            None => {
                self.acked = Some(to);
                (0, true)
            }
            Some(acked) if to > acked => {
                self.acked = Some(to);
                (to.since(acked), true)
            }
            Some(_) => (0, true),
        }
    }

    fn confirmed(&mut self, at: StreamOffset) -> bool {
        let near = self.jump.is_some_and(|jump| at.since(jump).abs() <= CONFIRM);
        self.jump = if near { None } else { Some(at) };
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_data_byte_after_a_syn_is_byte_zero() {
        let mut stream = Stream::from_syn(SeqNumber::new(u32::MAX));
        assert!(stream.sent(SeqNumber::new(u32::MAX), 1, false));
        assert_eq!(stream.offset(SeqNumber::new(0)), StreamOffset::ZERO);
        assert!(stream.sent(SeqNumber::new(0), 1448, false));
        assert_eq!(stream.next(), StreamOffset::new(1448));
    }

    #[test]
    fn one_wild_number_moves_nothing_but_a_second_beside_it_does() {
        let mut stream = Stream::from_syn(SeqNumber::new(0));
        stream.sent(SeqNumber::new(0), 1, false);
        assert!(!stream.sent(SeqNumber::new(0x4000_0000), 100, false));
        assert_eq!(stream.next(), StreamOffset::ZERO);
        assert!(stream.sent(SeqNumber::new(0x4000_0064), 100, false), "the capture really misses a gigabyte");
        assert_eq!(stream.next(), StreamOffset::new(0x4000_00c7));
    }

    #[test]
    fn acknowledgments_move_only_forward() {
        let mut stream = Stream::from_syn(SeqNumber::new(99));
        stream.sent(SeqNumber::new(99), 1, false);
        assert_eq!(stream.acknowledged(SeqNumber::new(100)), (0, true));
        stream.sent(SeqNumber::new(100), 1000, false);
        assert_eq!(stream.outstanding(), 1000);
        assert_eq!(stream.acknowledged(SeqNumber::new(600)), (500, true));
        assert_eq!(stream.acknowledged(SeqNumber::new(300)), (0, true));
        assert_eq!(stream.outstanding(), 500);
        // More than was seen: the capture misses it, the sender has sent it.
        assert_eq!(stream.acknowledged(SeqNumber::new(2100)), (1500, true));
        assert_eq!(stream.next(), StreamOffset::new(2000));
    }
}
