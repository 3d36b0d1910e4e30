//! What is told to twins on other threads, until a batch is full.

use std::mem;

use serde::{Deserialize, Serialize};

use super::lanes::{Event, Job, Lanes, Message, Output};
use crate::analysis::sender::SenderSetup;
use crate::flow::Side;
use crate::report::Dir;

/// Messages of a batch: enough that handing it over costs nothing beside them, few enough to stay in a cache.
const BATCH: usize = if cfg!(test) { 16 } else { 4_096 };

/// Where a twin lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::analysis) struct Address {
    lane: u32,
    slot: u32,
}

impl Address {
    pub(super) const fn slot(self) -> usize {
        self.slot as usize
    }
}

/// One lane as this side sees it: the messages of the next batch, and which slots are free.
#[derive(Debug, Default)]
struct Lane {
    next: Vec<Message>,
    used: u32,
    free: Vec<u32>,
}

/// The way to the twins of all lanes.
#[derive(Debug)]
pub(in crate::analysis) struct Outbox {
    carrier: Box<dyn Lanes>,
    lanes: Vec<Lane>,
    /// Whether a batch is under way, and the last place in it.
    under_way: Option<u64>,
    waiting: usize,
    place: u64,
    connection: u64,
    client: Side,
}

impl Outbox {
    pub(in crate::analysis) fn new(carrier: Box<dyn Lanes>) -> Self {
        let lanes = (0..carrier.count().max(1)).map(|_| Lane::default()).collect();
        Self { carrier, lanes, under_way: None, waiting: 0, place: 0, connection: 0, client: Side::Low }
    }

    /// What follows stands at `place` and is of this connection.
    #[inline]
    pub(in crate::analysis) const fn stand(&mut self, place: u64, connection: u64, client: Side) {
        (self.place, self.connection, self.client) = (place, connection, client);
    }

    /// A new twin.
    pub(in crate::analysis) fn begin(&mut self, side: Side, setup: SenderSetup) -> Address {
        let lane = self.connection % self.lanes.len() as u64;
        let home = &mut self.lanes[usize::try_from(lane).unwrap_or(0)];
        let slot = home.free.pop().unwrap_or_else(|| {
            home.used += 1;
            home.used - 1
        });
        let address = Address { lane: u32::try_from(lane).unwrap_or(0), slot };
        self.post(address, side, Event::Begin(setup));
        address
    }

    /// A message to the twin at `address`, whose data `side` sends.
    #[inline]
    pub(in crate::analysis) fn post(&mut self, address: Address, side: Side, event: Event) {
        let lane = &mut self.lanes[address.lane as usize];
        if matches!(event, Event::Take | Event::Drop) {
            // What begins there anew is told so after this.
            lane.free.push(address.slot);
        }
        let dir = if side == self.client { Dir::C2s } else { Dir::S2c };
        lane.next.push(Message { place: self.place, connection: self.connection, dir, address, event });
        self.waiting += 1;
    }

    /// Whether a batch is full.
    #[inline]
    pub(in crate::analysis) const fn is_full(&self) -> bool {
        self.waiting >= BATCH
    }

    /// Sends the batch, after the one before has come back. Its results go to `outputs`, in order; gives the last place that they
    /// are complete for.
    pub(in crate::analysis) fn exchange(&mut self, outputs: &mut Vec<Output>) -> Option<u64> {
        let done = self.under_way.replace(self.place);
        self.waiting = 0;
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let mut job = if done.is_some() { self.carrier.receive(at) } else { Box::<Job>::default() };
            outputs.append(&mut job.outputs);
            mem::swap(&mut job.messages, &mut lane.next);
            self.carrier.send(at, job);
        }
        // Each lane's are in order already, which this sort is fast for.
        outputs.sort_by_key(|output| output.place);
        done
    }
}
