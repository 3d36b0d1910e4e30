//! All that is kept of one direction: what its sender sent, and what it says as a receiver of the other.

use super::ack::AckTracker;
use super::clean::DuplicateFilter;
use super::counters::Counters;
use super::coverage::Coverage;
use super::loss::LossStage;
use super::window::WindowTracker;
use crate::decode::EncapId;
use crate::flow::Stream;
use crate::seq::{SeqNumber, StreamOffset};
use crate::units::Timestamp;

/// No link carries more than this in one TCP segment; what is larger was not cut up or joined yet.
pub(super) const LARGEST_MSS: u64 = 65_495;

/// One direction of a live connection.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    pub(super) encap: EncapId,
    pub(super) duplicates: DuplicateFilter,
    pub(super) counters: Counters,
    pub(super) coverage: Coverage,
    pub(super) window: WindowTracker,
    pub(super) acks: AckTracker,
    /// Verdicts on its data; made with the first of it.
    pub(super) loss: Option<Box<LossStage>>,
    /// Whether its SYN was seen, so that offset 0 is the first byte of the stream.
    pub(super) from_start: bool,
    /// The stream's offset that the report calls 0: the first data byte captured where the SYN was not seen.
    pub(super) origin: Option<StreamOffset>,
    pub(super) flight_max: i64,
    /// Payload sent before the first acknowledgment of any of it.
    pub(super) initial_window: Option<i64>,
    /// When the last acknowledgment of its data came.
    pub(super) last_acked: Option<Timestamp>,
    /// The last segment that was taken for no part of the stream.
    pub(super) set_aside: Option<SetAside>,
}

/// A data segment so far ahead that another must confirm it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetAside {
    pub(super) seq: SeqNumber,
    pub(super) seq_len: u32,
    /// Where its payload stands.
    pub(super) data: StreamOffset,
    pub(super) len: u32,
}

impl Direction {
    /// A direction seen for the first time in VLANs and tunnels `encap`; `stream` is its sequence space.
    pub(super) fn new(encap: EncapId, from_start: bool) -> Self {
        Self {
            encap,
            duplicates: DuplicateFilter::default(),
            counters: Counters::default(),
            coverage: if from_start { Coverage::from_start() } else { Coverage::from_middle() },
            window: WindowTracker::default(),
            acks: AckTracker::default(),
            loss: None,
            from_start,
            origin: from_start.then_some(StreamOffset::ZERO),
            flight_max: 0,
            initial_window: None,
            last_acked: None,
            set_aside: None,
        }
    }

    /// Takes note of an acknowledgment of this direction's data; `stream` has already advanced.
    #[inline]
    pub(super) fn acknowledged(
        &mut self,
        ack: StreamOffset,
        advance: i64,
        at: Timestamp,
        sent: StreamOffset,
    ) {
        self.coverage.acknowledged(ack.get());
        if advance > 0 {
            self.last_acked = Some(at);
            if self.initial_window.is_none() && self.from_start && ack > StreamOffset::ZERO {
                self.initial_window = Some(sent.since(StreamOffset::ZERO));
            }
        }
    }

    /// Counts what was set aside, now that `stream`, which stood at `before`, has jumped to it.
    #[inline]
    pub(super) fn take_back(&mut self, stream: &mut Stream, before: StreamOffset) {
        if let Some(held) = self.set_aside
            && stream.has_jumped_to(held.data, before)
        {
            self.set_aside = None;
            stream.sent(held.seq, held.seq_len);
            self.counters.take_back(held.len);
            if held.len > 0 {
                self.coverage.add(held.data.get()..held.data.plus(i64::from(held.len)).get());
            }
        }
    }

    /// Takes note of what is outstanding after a segment was sent.
    #[inline]
    pub(super) fn in_flight(&mut self, stream: &Stream) {
        self.flight_max = self.flight_max.max(stream.outstanding());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gigabyte is missing; one segment stands behind it.
    const FAR: u32 = 1 << 30;

    fn direction_with_one_set_aside() -> (Direction, Stream) {
        let mut direction = Direction::new(EncapId::default(), true);
        let mut stream = Stream::from_middle(SeqNumber::new(0));
        assert!(stream.sent(SeqNumber::new(0), 1448));
        assert!(!stream.sent(SeqNumber::new(FAR), 752));
        direction.counters.out_of_window = 1;
        let data = stream.offset(SeqNumber::new(FAR));
        direction.set_aside = Some(SetAside { seq: SeqNumber::new(FAR), seq_len: 752, data, len: 752 });
        (direction, stream)
    }

    #[test]
    fn what_an_acknowledgment_confirms_is_counted_after_all() {
        let (mut direction, mut stream) = direction_with_one_set_aside();
        let before = stream.next();
        assert_eq!(stream.acknowledged(SeqNumber::new(FAR)), (0, true));
        direction.take_back(&mut stream, before);
        let counters = &direction.counters;
        assert_eq!((counters.out_of_window, counters.data_packets, counters.data_bytes), (0, 1, 752));
        assert_eq!(direction.coverage.unique(), 752);
        assert_eq!(stream.next().get(), i64::from(FAR) + 752);
    }

    #[test]
    fn what_nothing_confirms_stays_aside() {
        let (mut direction, mut stream) = direction_with_one_set_aside();
        let before = stream.next();
        assert!(stream.sent(SeqNumber::new(1448), 1448));
        direction.take_back(&mut stream, before);
        assert_eq!((direction.counters.out_of_window, direction.coverage.unique()), (1, 0));
    }
}
