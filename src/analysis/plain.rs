//! The short way for what nearly every packet of a transfer is: the next data in sequence or an acknowledgment that moves the left
//! edge, in a connection that is open, without anything beside.
//!
//! It does what [`Connection::observe_any`] does, in that order, and leaves out only what such a segment cannot be or change. A property
//! (`analysis/tests.rs`) holds the two together.

use super::connection::Connection;
use super::facts::{Facts, Purpose};
use super::findings::Findings;
use super::loss::{AckEdge, LossStage, Passed};
use super::roles::{full_size, stream_state};
use super::twin;
use crate::decode::{Segment, TcpFlags};
use crate::flow::Side;

#[cfg(test)]
thread_local! {
    /// Segments that went this way.
    pub(super) static TAKEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Connection {
    /// The facts of a plain segment, which is taken in; `None` if it is none and nothing was done.
    #[inline]
    pub(super) fn observe_plain(
        &mut self,
        segment: &Segment<'_>,
        from: Side,
        found: &mut Findings,
    ) -> Option<Facts> {
        let options = &segment.options;
        if !self.calm
            || segment.flags.0 & !TcpFlags::PSH != TcpFlags::ACK
            || !options.sack.is_empty()
            || options.mptcp != 0
        {
            return None;
        }
        let (Some(stream), Some(peer)) = self.streams.split(from) else { return None };
        let (Some(sender), Some(receiver)) = self.directions.split(from) else { return None };
        let (data, ack, una) = (stream.offset(segment.seq), peer.offset(segment.ack), peer.acked()?);
        let advance = ack.since(una);
        // A byte alone may be a probe, and an acknowledgment that moves nothing a duplicate.
        let is_data = segment.payload_len > 1;
        let plain = if is_data { advance >= 0 } else { segment.payload_len == 0 && advance > 0 };
        if !plain || data != stream.next() || ack > peer.next() {
            return None;
        }
        sender.duplicates.pass(segment, &mut self.doubling);
        self.packets += 1;
        self.last = self.last.max(segment.at);
        self.lifecycle.heard_at(segment.at);
        found.stand(self.number, self.lifecycle.client());
        let handshake = self.lifecycle.handshake();
        let mut facts = Facts {
            from,
            data,
            data_len: segment.payload_len,
            fresh: 0,
            ack: Some(ack),
            ack_advance: advance,
            purpose: Purpose::Ordinary,
            in_stream: true,
            duplicate_ack: false,
            dsack: false,
        };

        // As the receiver of the other direction.
        sender.acks.note(segment.window);
        let next = peer.next();
        peer.acknowledged(segment.ack);
        let closed = &mut |row| found.closed.push((from.other(), row));
        if let Some(loss) = &mut receiver.loss {
            let edge = AckEdge { una: Some(una.get()), unseen: ack.since(next), next: next.get() };
            loss.on_ack(segment, &facts, edge, |number| peer.offset(number).get(), closed);
        }
        if advance > 0 {
            receiver.acknowledged(ack, advance, segment.at, next);
        }
        if receiver.sender.is_some() {
            twin::hears(segment, from, &facts, (peer, None), handshake, receiver, found);
        }

        // As the sender of its own.
        if is_data {
            let stamped = options.timestamps.is_some();
            let closed = &mut |row| found.closed.push((from, row));
            let known = match (&mut sender.loss, stream.acked()) {
                (Some(loss), Some(una)) => {
                    loss.on_next(segment, &facts, una.get(), full_size(handshake, stamped), closed)
                }
                _ => false,
            };
            let state = (!known).then(|| stream_state(stream, sender, handshake, from, stamped));
            stream.sent(segment.seq, segment.payload_len, true);
            sender.in_flight(stream);
            sender.origin.get_or_insert(data);
            let fresh = sender.coverage.add(data.get()..facts.data_end().get());
            facts.fresh = u32::try_from(fresh).unwrap_or(u32::MAX);
            let passed = state.map_or(Some(Passed { again: None }), |state| {
                let closed = &mut |row| found.closed.push((from, row));
                let loss = sender.loss.get_or_insert_with(|| Box::new(LossStage::new()));
                loss.on_data(segment, &facts, &state, closed)
            });
            if let Some(passed) = passed {
                twin::sends(segment, from, &facts, passed.again, handshake, sender, found);
            }
            if facts.fresh > 0 {
                self.transactions.data(from, segment.at);
            }
        } else if let Some(loss) = &mut sender.loss {
            loss.on_other(segment);
        }
        sender.window.observe_open(segment);
        sender.counters.observe_plain(segment);
        if is_data {
            let mss = handshake.offer(from.other()).and_then(|offer| offer.mss);
            sender.counters.observe_data(segment, &facts, mss);
        }
        #[cfg(test)]
        TAKEN.set(TAKEN.get() + 1);
        Some(facts)
    }
}
