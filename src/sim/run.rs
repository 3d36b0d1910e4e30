//! The event loop.

use super::batch;
use super::delay::DelayProcess;
use super::flow::{Flow, Lane};
use super::loss::LossProcess;
use super::measure::{FlowResult, Meter};
use super::path::{Aqm, Path};
use super::profile::Profile;
use super::queue::{Bottleneck, Outcome, Packet};
use super::random::{Process, Stream, key};
use super::receiver::{AckPolicy, Receiver};
use super::schedule::Schedule;
use super::sender::{Limits, Sender};
use crate::cc::{Algorithm, CcSetup};
use crate::units::{Bytes, Rate, Span, Timestamp};

/// IPv4 and TCP headers with timestamps (20 + 32), bytes: what a link carries beside the payload.
pub const HEADER: u32 = 52;
/// Packets of a flow that are simulated one by one: 30 s at 1 Gbit/s.
pub(super) const PACKET_BUDGET: u64 = 3_000_000;
/// And most of them in flight: they take 80 bytes of memory each.
pub(super) const FLIGHT_BUDGET: u32 = 200_000;

/// One flow of a run.
#[derive(Clone)]
pub struct FlowSpec {
    /// Its congestion control.
    pub algorithm: &'static dyn Algorithm,
    /// Its stack.
    pub profile: &'static Profile,
    /// Kernel clock, if not the profile's.
    pub clock_hz: Option<u32>,
    /// Payload of a full segment.
    pub mss: u32,
    /// Most unacknowledged bytes, if not the stack's default buffers.
    pub receive_window: Option<Bytes>,
    /// Segments acknowledged together, if not as the stack does.
    pub ack_every: Option<u32>,
    /// Bytes to transfer; `None` for as long as the run lasts.
    pub bytes: Option<Bytes>,
    /// Rate at which the application writes; `None` if it is never the limit.
    pub application: Option<Rate>,
    /// When it starts.
    pub start: Span,
}

/// A run.
#[derive(Clone)]
pub struct RunSpec {
    /// The path they share.
    pub path: Path,
    /// The flows.
    pub flows: Vec<FlowSpec>,
    /// How long it lasts at most.
    pub duration: Span,
    /// Seed of the whole.
    pub seed: u64,
    /// Which repetition.
    pub draw: u32,
    /// It ends when a flow has sent so many segments.
    pub most_segments: Option<u64>,
}

/// Plays the flows over the path.
///
/// More than three million packets, or more than 200,000 in flight, are simulated in batches if
/// the run is of one flow on a plain path.
pub fn run(spec: &RunSpec) -> Vec<FlowResult> {
    let bounded = batch::suits(&spec.path, &spec.flows);
    let mut world = World::new(spec);
    if world.play(bounded) {
        return world.results();
    }
    run_batched(spec).into_iter().collect()
}

/// Plays a single flow in batches; `None` if the run is not one that can be.
pub fn run_batched(spec: &RunSpec) -> Option<FlowResult> {
    let [flow] = &spec.flows[..] else { return None };
    if !batch::suits(&spec.path, &spec.flows) {
        return None;
    }
    let name = flow.algorithm.name();
    let stream = Stream::new(key(spec.seed, spec.draw, 0, name, Process::Loss));
    let controller = flow.algorithm.start(&setup(spec, 0, flow));
    let play = batch::BatchFlow::new(&spec.path, flow, controller, stream, spec.duration);
    let result = play.play(flow, Timestamp::ZERO + spec.duration);
    Some(FlowResult { batched: true, ..result })
}

struct World<'a> {
    spec: &'a RunSpec,
    flows: Vec<Flow>,
    next: Schedule,
    link: Bottleneck,
    now: Timestamp,
    end: Timestamp,
    events: u64,
}

impl<'a> World<'a> {
    fn new(spec: &'a RunSpec) -> Self {
        let marking = key(spec.seed, spec.draw, 0, "", Process::Marking);
        let flows: Vec<Flow> = (0_u32..).zip(&spec.flows).map(|(i, flow)| build(spec, i, flow)).collect();
        Self {
            spec,
            next: Schedule::new(flows.iter().map(Flow::next)),
            flows,
            link: Bottleneck::new(&spec.path, Stream::new(marking)),
            now: Timestamp::ZERO,
            end: Timestamp::ZERO + spec.duration,
            events: 0,
        }
    }

    /// Whether it came to its end; not if it is `bounded` and the budget was spent.
    fn play(&mut self, bounded: bool) -> bool {
        loop {
            if bounded && self.over_budget() {
                return false;
            }
            let next = self.next.first();
            let link = self.link.next_departure();
            let link_first = match (link, next) {
                (Some(departure), Some((at, ..))) => departure <= at,
                (Some(_), None) => true,
                (None, _) => false,
            };
            if link_first {
                let Some(at) = link.filter(|at| *at <= self.end) else { break };
                self.now = at;
                self.depart();
            } else {
                let Some((at, index, lane)) = next.filter(|(at, ..)| *at <= self.end) else { break };
                self.now = self.now.max(at);
                self.step(index, lane);
                self.next.set(index, self.flows[index].next());
                if self.flows.iter().all(|flow| flow.finished_at.is_some()) {
                    break;
                }
            }
            self.events += 1;
            if self.is_enough() {
                self.end = self.now;
                break;
            }
        }
        true
    }

    fn is_enough(&self) -> bool {
        self.spec.most_segments.is_some_and(|most| self.flows.iter().any(|flow| flow.meter.sent > most))
    }

    fn over_budget(&self) -> bool {
        self.flows
            .iter()
            .any(|flow| flow.meter.sent > PACKET_BUDGET || flow.sender.outstanding() > FLIGHT_BUDGET)
    }

    /// Fair queueing gives a packet out.
    fn depart(&mut self) {
        if let Some((packet, wait)) = self.link.depart(self.now) {
            let index = packet.flow as usize;
            let flow = &mut self.flows[index];
            flow.meter.on_wait(wait);
            flow.carry(self.now, packet.number, packet.sent, packet.marked);
            self.next.set(index, flow.next());
        }
    }

    fn step(&mut self, index: usize, lane: Lane) {
        let now = self.now;
        let flow = &mut self.flows[index];
        match lane {
            Lane::Start => {
                flow.start = None;
                flow.sender.on_handshake(now, now - self.spec.path.rtt);
                flow.set_clock(now);
                self.send(index);
            }
            Lane::Data | Lane::Late => {
                let Some(data) = flow.pop_data(lane) else { return };
                let before = flow.receiver.next();
                let ack = flow.receiver.on_data(now, &data);
                let gained = flow.receiver.next() - before;
                let mss = u64::from(self.spec.flows[index].mss);
                flow.meter.on_delivered(now, gained * mss);
                if let Some(ack) = ack {
                    flow.acknowledge(now, ack);
                }
                if flow.finished_at.is_none() && flow.receiver.next() >= flow.sender.total() {
                    flow.finished_at = Some(now);
                }
            }
            Lane::Ack => {
                let Some(ack) = flow.pop_ack() else { return };
                flow.set_clock(now);
                flow.sender.on_ack(now, &ack);
                self.send(index);
            }
            Lane::DelayedAck => {
                let ack = flow.receiver.on_deadline();
                flow.acknowledge(now, ack);
            }
            Lane::Timer => {
                flow.sender.on_timer(now);
                self.send(index);
            }
            Lane::Pacing | Lane::Application => {
                flow.set_clock(now);
                self.send(index);
            }
        }
    }

    /// Sends all that may leave now.
    fn send(&mut self, index: usize) {
        let now = self.now;
        let flow = &mut self.flows[index];
        let size = self.spec.flows[index].mss + HEADER;
        while let Some(sent) = flow.sender.poll(now) {
            flow.meter.sent += 1;
            flow.meter.retransmitted += u64::from(sent.again);
            let packet = Packet {
                flow: index as u32,
                number: sent.number,
                sent: now,
                size,
                ecn: flow.ecn && !sent.again,
                marked: false,
            };
            match self.link.enqueue(now, packet) {
                Outcome::Departs { at, wait, marked } => {
                    flow.meter.on_wait(wait);
                    flow.carry(at, sent.number, now, marked);
                }
                Outcome::Dropped => flow.meter.lost += 1,
                Outcome::Queued => {}
            }
        }
    }

    fn results(self) -> Vec<FlowResult> {
        let (end, events) = (self.end, self.events);
        self.flows
            .into_iter()
            .zip(&self.spec.flows)
            .map(|(flow, spec)| result(flow, spec, end, events))
            .collect()
    }
}

fn wants_ecn(path: &Path, flow: &FlowSpec) -> bool {
    path.aqm.is_for_ecn() || flow.algorithm.wants_ecn()
}

fn setup(spec: &RunSpec, index: u32, flow: &FlowSpec) -> CcSetup {
    CcSetup {
        mss: flow.mss,
        initial_window: flow.profile.initial_window,
        stack: flow.profile.stack,
        clock_hz: flow.clock_hz.unwrap_or(flow.profile.clock_hz),
        hystart: flow.profile.hystart,
        paced: false,
        ecn: wants_ecn(&spec.path, flow) && spec.path.aqm != Aqm::None,
        // The response functions are of a flow that is alone.
        textbook: spec.path.loss.is_periodic() && spec.flows.len() == 1,
        seed: key(spec.seed, spec.draw, index, flow.algorithm.name(), Process::Algorithm),
    }
}

fn build(spec: &RunSpec, index: u32, flow: &FlowSpec) -> Flow {
    let name = flow.algorithm.name();
    let stream = |process| Stream::new(key(spec.seed, spec.draw, index, name, process));
    let path = &spec.path;
    let hz = flow.clock_hz.unwrap_or(flow.profile.clock_hz);
    let ecn = wants_ecn(path, flow);
    let setup = setup(spec, index, flow);
    let window = flow.receive_window.unwrap_or(flow.profile.buffer_limit).get() / u64::from(flow.mss);
    let total = flow.bytes.map_or(u64::MAX, |bytes| bytes.get().div_ceil(u64::from(flow.mss)).max(1));
    let policy = flow.profile.ack_policy;
    let limits = Limits { window: window.max(1), total };
    let mut sender = Sender::new(flow.profile, hz, flow.mss, limits, flow.algorithm.start(&setup));
    if path.loss.is_periodic() {
        sender.recover_at_once();
    }
    Flow::new(
        sender,
        Receiver::new(AckPolicy { every: flow.ack_every.unwrap_or(policy.every), ..policy }),
        LossProcess::new(path.loss, stream(Process::Loss)),
        DelayProcess::new(path, stream(Process::Jitter), stream(Process::Reordering)),
        (path.ack_loss, stream(Process::AckLoss)),
        path.rtt - path.rtt.scale(0.5),
        Meter::new(spec.duration),
        // The handshake takes an empty round trip.
        Timestamp::ZERO + flow.start + path.rtt,
        flow.application.map(|rate| rate.as_bytes_per_sec() / f64::from(flow.mss)),
        ecn,
        path.coalescing,
    )
}

fn result(mut flow: Flow, spec: &FlowSpec, end: Timestamp, events: u64) -> FlowResult {
    let started = Timestamp::ZERO + spec.start;
    let over = flow.finished_at.unwrap_or(end);
    let mut delivered = flow.receiver.next() * u64::from(spec.mss);
    if let Some(bytes) = spec.bytes {
        delivered = delivered.min(bytes.get());
    }
    let delivered = Bytes::new(delivered);
    flow.meter.result(delivered, started, over, flow.sender.timeouts(), events)
}
