//! What a segment says of its sender's two roles: as the receiver of the other direction, and as the sender of its own.

use super::connection::SAME_CONNECTION;
use super::direction::Direction;
use super::facts::{Facts, Purpose};
use super::loss::{self, AckEdge, Closed, LossStage, StreamState};
use crate::decode::Segment;
use crate::flow::{Handshake, Side, Stream};
use crate::seq::StreamOffset;

/// Payload of a full packet where no SYN tells.
const ETHERNET_MSS: u32 = 1_460;

/// What the segment's sender says as a receiver of the other direction. Gives whether its acknowledgment number fits what
/// was sent to it.
#[inline]
pub(super) fn as_receiver(
    segment: &Segment<'_>,
    facts: &mut Facts,
    peer: &mut Stream,
    sender: &mut Direction,
    receiver: Option<&mut Direction>,
    fin: Option<StreamOffset>,
    closed: &mut dyn FnMut(Closed),
) -> bool {
    let Some(ack) = facts.ack else { return false };
    let una = peer.acked();
    let first = una.is_none();
    let unseen = if first { 0 } else { ack.since(peer.next()) };
    let (advance, believed) = peer.acknowledged(segment.ack);
    if !believed {
        facts.ack = None;
        return false;
    }
    facts.ack_advance = advance;
    facts.duplicate_ack = sender.acks.is_duplicate(segment, peer, ack, advance, first);
    if let Some(receiver) = receiver {
        if let Some(loss) = &mut receiver.loss {
            let edge = AckEdge { una: una.map(StreamOffset::get), unseen, next: peer.next().get() };
            loss.on_ack(segment, facts, edge, |number| peer.offset(number).get(), closed);
        }
        if advance > 0 || first {
            // The number of a FIN is acknowledged like a byte but is none.
            let data_ack = fin.map_or(ack, |fin| ack.min(fin));
            receiver.acknowledged(data_ack, advance, segment.at, peer.next());
        }
    }
    una.is_some_and(|una| unseen <= 0 && ack >= una)
}

/// What the segment brings: which of its bytes are new, and what that means for those before it.
#[inline]
pub(super) fn as_sender(
    segment: &Segment<'_>,
    facts: &mut Facts,
    stream: &mut Stream,
    sender: &mut Direction,
    handshake: &Handshake,
    vouched: bool,
    closed: &mut dyn FnMut(Closed),
) -> Option<loss::Passed> {
    let state = stream_state(stream, sender, handshake, facts.from, segment.options.timestamps.is_some());
    if facts.in_stream && segment.seq_len() > 0 {
        if stream.sent(segment.seq, segment.seq_len(), vouched) {
            sender.in_flight(stream);
        } else {
            facts.data_len = 0;
            sender.counters.out_of_window += 1;
        }
    }
    if facts.data_len > 0 {
        sender.origin.get_or_insert(facts.data);
        let fresh = sender.coverage.add(facts.data.get()..facts.data_end().get());
        facts.fresh = u32::try_from(fresh).unwrap_or(u32::MAX);
    }
    if facts.data_len > 0 && facts.purpose == Purpose::Ordinary {
        let loss = sender.loss.get_or_insert_with(|| Box::new(LossStage::new()));
        return loss.on_data(segment, facts, &state, closed);
    }
    if let Some(row) = loss::labelled(segment, facts) {
        closed(row);
    }
    if let Some(loss) = &mut sender.loss {
        // An acknowledgment stands after all that its sender has sent.
        let ahead = facts.data.since(stream.next());
        if segment.is_pure_ack() && vouched && state.started && (1..=SAME_CONNECTION).contains(&ahead) {
            loss.passed_over(stream.next().get()..facts.data.get(), segment);
            stream.sent(segment.seq, 0, true);
        }
        loss.on_other(segment);
    }
    None
}

/// Payload of a full packet.
#[inline]
pub(super) fn full_size(handshake: &Handshake, stamped: bool) -> u32 {
    handshake.full_size(stamped).unwrap_or(ETHERNET_MSS)
}

/// The state of the stream that `from` sends, before its next segment.
#[inline]
pub(super) fn stream_state(
    stream: &Stream,
    sender: &Direction,
    handshake: &Handshake,
    from: Side,
    stamped: bool,
) -> StreamState {
    StreamState {
        next: stream.next().get(),
        una: stream.acked().map(StreamOffset::get),
        started: sender.from_start || sender.counters.data_packets > 0,
        sends_data_only: sender.counters.pure_acks * 16 <= sender.counters.data_packets + 16,
        sack: handshake.sack_agreed(),
        // They are worked out until they are known, not at each segment.
        halves: if sender.loss.as_ref().is_some_and(|loss| loss.knows_halves()) {
            None
        } else {
            handshake.halves(from)
        },
        told: sender.told,
        full: full_size(handshake, stamped),
    }
}
