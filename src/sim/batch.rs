//! One flow in batches instead of packets: for runs with more packets than can be simulated one by one.
//!
//! A window is split into [`BATCHES`] parts that are sent, delayed, lost from and acknowledged as wholes; the
//! controller is told of each as of one large ACK. The queue, random loss and the receive window are those of
//! the packet simulation. What is left out matters little for windows of hundreds of segments: timeouts,
//! delayed ACKs, the order of packets, and the time to repair a loss beyond one round trip. Where both can
//! run they agree within 5 % (`tests/netsim.rs`).

use std::collections::VecDeque;

use super::measure::{FlowResult, Meter};
use super::path::{LossModel, Path};
use super::random::Stream;
use super::run::{FlowSpec, HEADER};
use crate::cc::{Acked, Congestion, CongestionKind, Controller, Phase, RateSample};
use crate::units::{Bytes, Span, Timestamp};

/// Parts of a window.
pub(super) const BATCHES: u64 = 32;

/// Segments sent together.
#[derive(Clone, Copy, Debug)]
struct Batch {
    acked_at: Timestamp,
    sent_at: Timestamp,
    count: u64,
    lost: u64,
    /// Of the connection when it was sent, in segments.
    end: u64,
    delivered: u64,
    delivered_at: Timestamp,
    in_flight: u64,
    lost_before: u64,
}

pub(super) struct BatchFlow<'a> {
    path: &'a Path,
    mss: u64,
    /// Recovery costs nothing but the reduction.
    at_once: bool,
    controller: Box<dyn Controller>,
    stream: Stream,
    /// Part of the next loss that periodic loss has counted.
    counter: f64,
    max_window: u64,
    ack_every: u64,
    total: u64,
    now: Timestamp,
    free_at: Timestamp,
    next_send: Timestamp,
    flying: VecDeque<Batch>,
    in_flight: u64,
    sent: u64,
    delivered: u64,
    delivered_at: Timestamp,
    lost: u64,
    repairs: u64,
    recovery_end: Option<u64>,
    srtt: f64,
    min_rtt: Span,
    meter: Meter,
}

impl<'a> BatchFlow<'a> {
    pub(super) fn new(
        path: &'a Path,
        flow: &FlowSpec,
        controller: Box<dyn Controller>,
        stream: Stream,
        duration: Span,
    ) -> Self {
        let mss = u64::from(flow.mss);
        let start = Timestamp::ZERO + flow.start + path.rtt;
        let limit = flow.receive_window.unwrap_or(flow.profile.buffer_limit);
        Self {
            path,
            mss,
            at_once: path.loss.is_periodic() && !controller.governs_recovery(),
            controller,
            stream,
            counter: 0.0,
            max_window: (limit.get() / mss).max(1),
            ack_every: u64::from(flow.ack_every.unwrap_or(flow.profile.ack_policy.every).max(1)),
            total: flow.bytes.map_or(u64::MAX, |bytes| bytes.get().div_ceil(mss).max(1)),
            now: start,
            free_at: Timestamp::ZERO,
            next_send: Timestamp::ZERO,
            flying: VecDeque::new(),
            in_flight: 0,
            sent: 0,
            delivered: 0,
            delivered_at: start,
            lost: 0,
            repairs: 0,
            recovery_end: None,
            srtt: path.rtt.as_secs_f64(),
            min_rtt: path.rtt,
            meter: Meter::new(duration),
        }
    }

    /// Plays until `end` or the last byte.
    pub(super) fn play(mut self, flow: &FlowSpec, end: Timestamp) -> FlowResult {
        self.send();
        let mut events = 0;
        let mut over = end;
        while let Some(batch) = self.flying.pop_front() {
            if batch.acked_at > end {
                break;
            }
            self.now = self.now.max(batch.acked_at);
            self.acknowledge(&batch);
            events += 1;
            if self.delivered >= self.total {
                over = self.now;
                break;
            }
            self.send();
        }
        let started = Timestamp::ZERO + flow.start;
        let bytes = self.delivered.min(self.total) * self.mss;
        let bytes = Bytes::new(flow.bytes.map_or(bytes, |most| bytes.min(most.get())));
        self.meter.result(bytes, started, over, 0, events)
    }

    fn window(&self) -> u64 {
        (self.controller.window().get() / self.mss).clamp(1, self.max_window)
    }

    /// Losses among `count` packets.
    fn losses(&mut self, count: u64) -> u64 {
        let p = self.path.loss.event_rate();
        if p <= 0.0 {
            return 0;
        }
        if matches!(self.path.loss, LossModel::Periodic(_)) {
            self.counter += p * count as f64;
            let lost = self.counter as u64;
            self.counter = self.counter.fract();
            return lost;
        }
        let events = self.stream.poisson(p * count as f64);
        ((events as f64 * self.path.loss.rate() / p).round() as u64).min(count)
    }

    /// Packets up to and with the next that periodic loss takes: batches end there, so that the window at the
    /// loss is exact.
    fn until_periodic_loss(&self) -> Option<u64> {
        match self.path.loss {
            LossModel::Periodic(p) if p > 0.0 => Some((((1.0 - self.counter) / p).ceil() as u64).max(1)),
            _ => None,
        }
    }

    /// Fills the window in parts of at most a [`BATCHES`]-th of it.
    fn send(&mut self) {
        let window = self.window();
        let part = window.div_ceil(BATCHES);
        let mut at = self.now;
        while self.in_flight < window && self.sent < self.total.saturating_add(self.repairs) {
            let count = part.min(window - self.in_flight);
            if count < part && self.in_flight > 0 {
                break;
            }
            if let Some(rate) = self.controller.pacing_rate() {
                at = at.max(self.next_send);
                self.next_send = at + rate.time_for(Bytes::new(count * self.mss));
            }
            let lone = self.until_periodic_loss().map_or(count, |left| left.min(count));
            self.dispatch(at, lone);
            if lone < count {
                self.dispatch(at, count - lone);
            }
            // What the window allows at once spreads over the round trip, as its ACKs do.
            at = at + Span::from_secs_f64(self.srtt / BATCHES as f64);
        }
    }

    fn dispatch(&mut self, at: Timestamp, count: u64) {
        let size = self.mss + u64::from(HEADER);
        let (mut departure, mut dropped) = (at, 0);
        if let Some(rate) = self.path.rate {
            let wait = self.free_at.since(at).max(Span::ZERO);
            let backlog = rate.as_bytes_per_sec() * wait.as_secs_f64();
            if let Some(limit) = self.path.buffer_bytes() {
                let room = (limit.get() as f64 - backlog).max(0.0) / size as f64;
                // The link empties the queue while the batch arrives; a part of the window arrives over its
                // share of an RTT.
                let drained = rate.as_bytes_per_sec() * self.srtt / BATCHES as f64 / size as f64;
                dropped = count.saturating_sub((room + drained) as u64);
            }
            self.free_at = self.free_at.max(at) + rate.time_for(Bytes::new((count - dropped) * size));
            departure = self.free_at;
            self.meter.on_wait(wait);
        }
        let lost = dropped + self.losses(count - dropped);
        self.in_flight += count;
        self.sent += count;
        self.meter.sent += count;
        self.meter.lost += lost;
        self.flying.push_back(Batch {
            acked_at: departure + self.path.rtt,
            sent_at: at,
            count,
            lost,
            end: self.sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            in_flight: self.in_flight,
            lost_before: self.lost,
        });
    }

    fn acknowledge(&mut self, batch: &Batch) {
        let before = self.in_flight;
        let got = batch.count - batch.lost;
        self.in_flight -= batch.count;
        self.delivered += got;
        self.lost += batch.lost;
        self.repairs += batch.lost;
        self.meter.retransmitted += batch.lost;
        self.meter.on_delivered(self.now, got * self.mss);
        let rtt = self.now.since(batch.sent_at);
        self.srtt += (rtt.as_secs_f64() - self.srtt) / 8.0;
        self.min_rtt = self.min_rtt.min(rtt);
        if self.recovery_end.is_some_and(|end| batch.end > end) {
            self.recovery_end = None;
            let in_flight = Bytes::new(self.in_flight * self.mss);
            if !self.at_once {
                self.controller.on_recovered(self.now, in_flight);
            }
        }
        if batch.lost > 0 && self.recovery_end.is_none() {
            let in_flight = Bytes::new(before * self.mss);
            self.controller.on_congestion(self.now, &Congestion::first(CongestionKind::Loss, in_flight));
            self.recovery_end = Some(self.sent);
            if self.at_once {
                self.controller.on_recovered(self.now, self.controller.window());
            }
        }
        let bytes = |segments: u64| Bytes::new(segments * self.mss);
        let interval = rtt.max(self.now.since(batch.delivered_at));
        let sample = RateSample {
            delivered: bytes(self.delivered - batch.delivered),
            interval,
            prior_delivered: batch.delivered * self.mss,
            sent_in_flight: bytes(batch.in_flight),
            lost: bytes(self.lost - batch.lost_before),
            app_limited: false,
        };
        let event = Acked {
            bytes: bytes(got),
            lost: bytes(batch.lost),
            marked: Bytes::new(0),
            rtt: Some(rtt),
            srtt: Some(Span::from_secs_f64(self.srtt)),
            min_rtt: Some(self.min_rtt),
            rate: Some(sample),
            delivered: self.delivered * self.mss,
            in_flight: bytes(self.in_flight),
            prior_in_flight: bytes(before),
            acked_to: batch.end * self.mss,
            sent_to: self.sent * self.mss,
            duplicate: false,
            window_full: before >= self.controller.window().get() / self.mss / 2 && self.max_window > before,
            flight_peak: bytes(before),
            acks: (got / self.ack_every) as u32,
            apart: false,
            phase: if self.recovery_end.is_some() && !self.at_once { Phase::Recovery } else { Phase::Open },
        };
        self.delivered_at = self.now;
        self.controller.on_ack(self.now, &event);
    }
}

/// Whether a run can be played in batches: one flow on a drop-tail path that keeps order, whose losses are
/// random.
pub(super) fn suits(path: &Path, flows: &[FlowSpec]) -> bool {
    let [flow] = flows else { return false };
    path.aqm == super::path::Aqm::None
        && path.reordering == 0.0
        && path.jitter.is_none()
        && path.coalescing == Span::ZERO
        && flow.application.is_none()
        && !matches!(path.loss, LossModel::GilbertElliott { .. })
}
