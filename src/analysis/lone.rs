//! The first packet of a connection that was not seen to open, kept as it came until another follows or nothing does. A flood from
//! made-up addresses leaves one such packet each, and the stages of a connection take four times what the packet takes.

use super::connection::Connection;
use super::findings::Findings;
use crate::decode::{EncapId, Segment, TcpFlags};
use crate::flow::{PerSide, Side, Stream};

/// A packet that waits to be taken in.
#[derive(Debug)]
pub(super) struct Lone {
    /// Without its payload.
    segment: Segment<'static>,
    from: Side,
    /// Bytes of the payload that were not captured.
    cut: u32,
}

impl Lone {
    /// Whether a packet may wait: one of data or acknowledgments alone, which neither opens nor closes.
    pub(super) fn may_be(segment: &Segment<'_>) -> bool {
        segment.flags.0 & !(TcpFlags::ACK | TcpFlags::PSH) == 0 && segment.options.mptcp == 0
    }

    pub(super) fn new(segment: &Segment<'_>, from: Side) -> Self {
        let captured = u32::try_from(segment.payload.len()).unwrap_or(u32::MAX);
        let kept = Segment { payload: &[], ..*segment };
        Self { segment: kept, from, cut: segment.payload_len.saturating_sub(captured) }
    }

    /// The VLANs and tunnels around it, if it came from there.
    pub(super) fn encap(&self, from: Side) -> Option<EncapId> {
        (from == self.from).then_some(self.segment.encap)
    }

    /// The streams as it will leave them.
    pub(super) fn streams(&self) -> PerSide<Option<Stream>> {
        let mut streams = PerSide::default();
        let mut mine = Stream::from_middle(self.segment.seq);
        mine.sent(self.segment.seq, self.segment.seq_len(), true);
        streams[self.from] = Some(mine);
        if self.segment.flags.has(TcpFlags::ACK) {
            streams[self.from.other()] = Some(Stream::from_middle(self.segment.ack));
        }
        streams
    }
}

impl Connection {
    /// Takes in the packet that waits, if one does.
    #[cold]
    pub(super) fn take_in_lone(&mut self, found: &mut Findings) {
        let Some(lone) = self.lone.take() else { return };
        // A first packet is never plain.
        self.observe_any(&lone.segment, lone.from, found);
        if let Some(direction) = &mut self.directions[lone.from] {
            let cut = &mut direction.counters.cut_bytes;
            *cut = u64::from(lone.cut).min(*cut);
        }
    }
}
