//! Fair queueing with `CoDel` on every queue (RFC 8290), each flow in a queue of its own.

use std::collections::VecDeque;

use super::Packet;
use super::codel::Codel;
use crate::units::{Bytes, Rate, Span, Timestamp};

/// Bytes a queue may send in a round: one full Ethernet frame (RFC 8290 section 5.2.4).
const QUANTUM: i64 = 1514;

#[derive(Debug, Default)]
struct Lane {
    packets: VecDeque<(Packet, Timestamp)>,
    bytes: u64,
    deficit: i64,
    codel: Codel,
    listed: bool,
}

#[derive(Debug)]
pub(super) struct FqCodel {
    rate: Rate,
    limit: u64,
    bytes: u64,
    lanes: Vec<Lane>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    sending: Option<(Packet, Span, Timestamp)>,
}

impl FqCodel {
    pub(super) fn new(rate: Rate, limit: Option<Bytes>) -> Self {
        let limit = limit.map_or(u64::MAX, Bytes::get);
        Self {
            rate,
            limit,
            bytes: 0,
            lanes: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            sending: None,
        }
    }

    /// Whether the packet was kept. A full buffer drops from the head of the longest queue (RFC 8290 section
    /// 4.1), and this is told of the arriving packet only if that is its own queue and it is alone in it.
    pub(super) fn enqueue(&mut self, now: Timestamp, packet: Packet) -> bool {
        let index = packet.flow as usize;
        if self.lanes.len() <= index {
            self.lanes.resize_with(index + 1, Lane::default);
        }
        let size = u64::from(packet.size);
        while self.bytes + size > self.limit && self.bytes > 0 {
            let longest = self.lanes.iter().enumerate().max_by_key(|(_, lane)| lane.bytes);
            let Some((longest, _)) = longest else { break };
            self.pop(longest);
        }
        let lane = &mut self.lanes[index];
        lane.packets.push_back((packet, now));
        lane.bytes += size;
        self.bytes += size;
        if !lane.listed {
            lane.listed = true;
            lane.deficit = QUANTUM;
            self.new.push_back(index);
        }
        if self.sending.is_none() {
            self.start(now);
        }
        true
    }

    pub(super) fn next_departure(&self) -> Option<Timestamp> {
        self.sending.map(|(_, _, at)| at)
    }

    pub(super) fn depart(&mut self, now: Timestamp) -> Option<(Packet, Span)> {
        let (packet, wait, _) = self.sending.take()?;
        self.start(now);
        Some((packet, wait))
    }

    fn pop(&mut self, index: usize) -> Option<(Packet, Timestamp)> {
        let lane = &mut self.lanes[index];
        let (packet, since) = lane.packets.pop_front()?;
        lane.bytes -= u64::from(packet.size);
        self.bytes -= u64::from(packet.size);
        Some((packet, since))
    }

    /// Puts the next packet on the link (RFC 8290 section 4.2).
    fn start(&mut self, now: Timestamp) {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let Some(&index) = list.front() else { return };
            if self.lanes[index].deficit <= 0 {
                self.lanes[index].deficit += QUANTUM;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let Some((packet, wait)) = self.head(index, now) else {
                list_pop(if from_new { &mut self.new } else { &mut self.old });
                if from_new && !self.old.is_empty() {
                    self.old.push_back(index);
                } else {
                    self.lanes[index].listed = false;
                }
                continue;
            };
            self.lanes[index].deficit -= i64::from(packet.size);
            let at = now + self.rate.time_for(Bytes::new(u64::from(packet.size)));
            self.sending = Some((packet, wait, at));
            return;
        }
    }

    /// The packet of this queue that is to be sent, after what `CoDel` drops.
    fn head(&mut self, index: usize, now: Timestamp) -> Option<(Packet, Span)> {
        loop {
            let (mut packet, since) = self.pop(index)?;
            let sojourn = now.since(since);
            let lane = &mut self.lanes[index];
            let more = lane.bytes >= u64::from(packet.size);
            if !lane.codel.on_head(now, sojourn, more) {
                return Some((packet, sojourn));
            }
            if packet.ecn {
                packet.marked = true;
                return Some((packet, sojourn));
            }
        }
    }
}

fn list_pop(list: &mut VecDeque<usize>) {
    list.pop_front();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_queues_take_turns() {
        let mut fair = FqCodel::new(Rate::from_bits_per_sec(12e6), None);
        let packet = |flow, number| Packet {
            flow,
            number,
            sent: Timestamp::ZERO,
            size: 1500,
            ecn: false,
            marked: false,
        };
        for number in 0..4 {
            fair.enqueue(Timestamp::ZERO, packet(0, number));
        }
        for number in 0..2 {
            fair.enqueue(Timestamp::ZERO, packet(1, number));
        }
        let mut order = Vec::new();
        while let Some(at) = fair.next_departure() {
            let (packet, _) = fair.depart(at).unwrap();
            order.push(packet.flow);
        }
        assert_eq!(order.len(), 6);
        assert_eq!(order[..5].iter().filter(|flow| **flow == 1).count(), 2);
    }
}
