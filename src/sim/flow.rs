//! One flow: its two ends, and what is under way between them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::coalesce::{Card, Merging};
use super::delay::{Arrival, DelayProcess};
use super::loss::LossProcess;
use super::measure::Meter;
use super::random::Stream;
use super::receiver::{Ack, Receiver};
use super::sender::Sender;
use crate::units::{Span, Timestamp};

/// A data segment on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Data {
    pub(super) at: Timestamp,
    pub(super) number: u64,
    pub(super) sent: Timestamp,
    pub(super) marked: bool,
    /// The next one is handed up with it.
    pub(super) more: bool,
}

/// The cards of both ends.
#[derive(Debug)]
struct Hosts {
    receiver: Card,
    sender: Card,
    merging: Merging,
}

#[derive(Debug)]
pub(super) struct Flow {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) loss: LossProcess,
    pub(super) delay: DelayProcess,
    pub(super) ack_loss: (f64, Stream),
    pub(super) ack_delay: Span,
    pub(super) meter: Meter,
    pub(super) ecn: bool,
    /// Where the hosts' cards hold packets back.
    hosts: Option<Hosts>,
    pub(super) start: Option<Timestamp>,
    /// Rate of the application in segments per second, if it is slower than the path.
    pub(super) application: Option<f64>,
    pub(super) finished_at: Option<Timestamp>,
    data: VecDeque<Data>,
    late: BinaryHeap<Reverse<Data>>,
    acks: VecDeque<(Timestamp, Ack)>,
}

/// What happens next on a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Start,
    Data,
    Late,
    Ack,
    DelayedAck,
    Timer,
    Pacing,
    Application,
}

impl Flow {
    #[expect(clippy::too_many_arguments, reason = "the parts of a flow, assembled in one place only")]
    pub(super) fn new(
        sender: Sender,
        receiver: Receiver,
        loss: LossProcess,
        delay: DelayProcess,
        ack_loss: (f64, Stream),
        ack_delay: Span,
        meter: Meter,
        start: Timestamp,
        application: Option<f64>,
        ecn: bool,
        coalescing: Span,
    ) -> Self {
        Self {
            sender,
            receiver,
            loss,
            delay,
            ack_loss,
            ack_delay,
            meter,
            ecn,
            hosts: (coalescing > Span::ZERO).then(|| Hosts {
                receiver: Card::new(coalescing),
                sender: Card::new(coalescing),
                merging: Merging::default(),
            }),
            start: Some(start),
            application,
            finished_at: None,
            data: VecDeque::new(),
            late: BinaryHeap::new(),
            acks: VecDeque::new(),
        }
    }

    /// A segment left the bottleneck.
    pub(super) fn carry(&mut self, departure: Timestamp, number: u64, sent: Timestamp, marked: bool) {
        if self.hosts.is_some() {
            self.carry_together(departure, number, sent, marked);
            return;
        }
        if self.loss.next() {
            self.meter.lost += 1;
            return;
        }
        match self.delay.arrival(departure) {
            Arrival::InOrder(at) => self.data.push_back(Data { at, number, sent, marked, more: false }),
            Arrival::Overtaken(at) => self.late.push(Reverse(Data { at, number, sent, marked, more: false })),
        }
    }

    /// The same where the receiver's card holds it back, and what it is merged with is lost with it.
    fn carry_together(&mut self, departure: Timestamp, number: u64, sent: Timestamp, marked: bool) {
        let Some(hosts) = &mut self.hosts else { return };
        let arrival = self.delay.arrival(departure);
        let (at, joins) = match arrival {
            Arrival::InOrder(at) => {
                let at = hosts.receiver.hand_up(at);
                (at, hosts.merging.joins(at, number))
            }
            Arrival::Overtaken(at) => (at, false),
        };
        let lost = if matches!(arrival, Arrival::Overtaken(_)) {
            // It is merged with nothing.
            self.loss.next()
        } else {
            if !joins {
                hosts.merging.lost = self.loss.next();
            }
            hosts.merging.lost
        };
        if lost {
            self.meter.lost += 1;
            return;
        }
        let data = Data { at, number, sent, marked, more: false };
        if matches!(arrival, Arrival::Overtaken(_)) {
            self.late.push(Reverse(data));
            return;
        }
        if let Some(last) = self.data.back_mut().filter(|last| joins && last.number + 1 == number) {
            last.more = true;
        }
        self.data.push_back(data);
    }

    /// The receiver sent an ACK.
    pub(super) fn acknowledge(&mut self, now: Timestamp, ack: Ack) {
        let (probability, stream) = &mut self.ack_loss;
        if !stream.chance(*probability) {
            let at = now + self.ack_delay;
            let at = self.hosts.as_mut().map_or(at, |hosts| hosts.sender.hand_up(at));
            self.acks.push_back((at, ack));
        }
    }

    pub(super) fn pop_data(&mut self, lane: Lane) -> Option<Data> {
        if lane == Lane::Late { self.late.pop().map(|Reverse(data)| data) } else { self.data.pop_front() }
    }

    pub(super) fn pop_ack(&mut self) -> Option<Ack> {
        self.acks.pop_front().map(|(_, ack)| ack)
    }

    /// The next event; the first of equals in the order of [`Lane`].
    pub(super) fn next(&self) -> Option<(Timestamp, Lane)> {
        if let Some(start) = self.start {
            return Some((start, Lane::Start));
        }
        // Asked for at each event: one pass over plain numbers.
        let mut first = (Timestamp::MAX, Lane::Start);
        let mut see = |at: Option<Timestamp>, lane| {
            let at = at.unwrap_or(Timestamp::MAX);
            if at < first.0 {
                first = (at, lane);
            }
        };
        see(self.data.front().map(|data| data.at), Lane::Data);
        see(self.late.peek().map(|Reverse(data)| data.at), Lane::Late);
        see(self.acks.front().map(|(at, _)| *at), Lane::Ack);
        see(self.receiver.deadline(), Lane::DelayedAck);
        see(self.sender.deadline(), Lane::Timer);
        see(self.sender.paced_until(), Lane::Pacing);
        see(self.next_write(), Lane::Application);
        (first.0 < Timestamp::MAX).then_some(first)
    }

    /// The application has written what its rate gives by now.
    pub(super) fn set_clock(&mut self, now: Timestamp) {
        if let Some(rate) = self.application {
            self.sender.set_available((now.since(Timestamp::ZERO).as_secs_f64() * rate + 1e-6) as u64);
        }
    }

    /// When the application writes the next segment, while the sender waits for it.
    fn next_write(&self) -> Option<Timestamp> {
        let rate = self.application?;
        let waiting = self.sender.waits_for_application()?;
        Some(Timestamp::ZERO + Span::from_secs_f64((waiting + 1) as f64 / rate))
    }
}
