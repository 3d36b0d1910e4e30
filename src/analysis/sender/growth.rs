//! What an acknowledgment does beside the losses: RTT samples, the growth of the window, and the turn of a round.

use super::board::Delivered;
use super::replica::Replicas;
use super::rtt::RttSample;
use super::{Heard, INITIAL_WINDOW, SenderModel, Told, WORTH};
use crate::cc::{Acked, CcSetup, Phase, RateSample};
use crate::report::{RoundRecord, RttSource};
use crate::units::{Bytes, Span, Timestamp};

/// Longest round trip and most bytes in flight that any algorithm is asked to make sense of.
const LONGEST: Span = Span::from_secs(600);
const MOST: u64 = 1 << 32;

/// Whether the algorithms can make sense of an ACK: a capture may hold any time and any number.
fn is_plausible(ack: &Acked) -> bool {
    let sane = |rtt: Option<Span>| rtt.is_none_or(|rtt| rtt <= LONGEST && rtt >= Span::from_nanos(100));
    let rate = ack.rate.is_none_or(|sample| {
        sample.interval >= Span::from_nanos(100)
            && sample.interval <= LONGEST
            && sample.delivered.get() <= MOST
    });
    sane(ack.rtt)
        && sane(ack.srtt)
        && sane(ack.min_rtt)
        && rate
        && ack.in_flight.get().max(ack.prior_in_flight.get()).max(ack.bytes.get()) <= MOST
        && ack.acked_to <= ack.sent_to
}

impl SenderModel {
    /// RTT samples as the kernel takes them (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`). Gives the one for the controllers.
    pub(super) fn measure(
        &mut self,
        heard: &Heard,
        now: Timestamp,
        delivered: &Delivered,
        out: &mut dyn FnMut(Told),
    ) -> Option<Span> {
        let echoed = |echo: u32| {
            let entry = delivered.newest.filter(|entry| entry.again)?;
            let sent = if entry.tsval == Some(echo) { entry.sent } else { entry.first };
            (delivered.advanced > 0).then_some((sent, sent, RttSource::Timestamp))
        };
        let acked = delivered.acked.filter(|_| !delivered.ambiguous);
        let (oldest, newest, source) = match (acked, delivered.sacked) {
            (Some((oldest, newest)), _) => (oldest, newest, RttSource::Ack),
            (None, Some((oldest, newest))) => (oldest, newest, RttSource::Sack),
            (None, None) => {
                let Some(sample) = heard.stamps.and_then(|(_, echo)| echoed(echo)) else {
                    let refused = self.rtt.refused_mut();
                    refused.ambiguous += u64::from(delivered.ambiguous);
                    refused.unmatched += u64::from(delivered.advanced > 0 && !delivered.ambiguous);
                    return None;
                };
                sample
            }
        };
        // Where no handshake tells how far the sender is (the capture begins in mid-stream, a SYN was repeated) the first echo will,
        // and until then what passes is the tap's round trip, which near the receiver is next to nothing.
        let both_stamp =
            heard.stamps.is_some() && delivered.newest.is_some_and(|entry| entry.tsval.is_some());
        if both_stamp && !self.line.is_placed() {
            self.rtt.refused_mut().unmatched += u64::from(delivered.advanced > 0);
            return None;
        }
        let (oldest, newest) = (now.since(oldest), now.since(newest));
        if oldest.is_negative() || newest.is_negative() {
            self.rtt.refused_mut().backwards += 1;
            return None;
        }
        let sample = RttSample { at: heard.at, oldest, newest, source };
        self.rtt.add(&sample);
        out(Told::Rtt(sample));
        (source != RttSource::Timestamp).then_some(newest)
    }

    /// Drives the replicas with the acknowledgment.
    pub(super) fn grow(
        &mut self,
        now: Timestamp,
        delivered: &Delivered,
        lost: u64,
        rtt: Option<Span>,
        rate: Option<RateSample>,
        prior: u64,
    ) {
        if self.replicas.is_none() {
            if self.rate.delivered < WORTH * self.mss() {
                // All algorithms start alike (RFC 5681 section 3.1).
                let used = self.full_flag || self.window.get() < 2.0 * self.flight_peak as f64;
                if self.phase == Phase::Open && delivered.advanced > 0 && used {
                    self.window.follow(0, delivered.bytes.div_ceil(self.mss()) * self.mss());
                }
                return;
            }
            let setup = CcSetup {
                mss: self.setup.mss,
                initial_window: INITIAL_WINDOW,
                ecn: self.setup.ecn,
                ..CcSetup::default()
            };
            self.replicas = Some(Box::new(Replicas::new(&setup, self.window.get() as u64, now)));
        }
        let event = Acked {
            bytes: Bytes::new(delivered.bytes),
            lost: Bytes::new(lost),
            marked: Bytes::new(0),
            rtt,
            srtt: self.rtt.smoothed(),
            min_rtt: self.rtt.min(),
            rate,
            delivered: self.rate.delivered,
            in_flight: Bytes::new(self.board.in_flight()),
            prior_in_flight: Bytes::new(prior),
            acked_to: self.board.una().unsigned_abs(),
            sent_to: self.board.next().unsigned_abs(),
            duplicate: delivered.advanced == 0,
            window_full: self.full_flag,
            flight_peak: Bytes::new(self.flight_peak),
            acks: 1,
            phase: self.phase,
        };
        if !is_plausible(&event) {
            return;
        }
        let plain = self.steady
            && self.phase == Phase::Open
            && lost == 0
            && !event.duplicate
            && !self.is_round_over();
        let before = self.follower_window();
        if let Some(replicas) = &mut self.replicas {
            replicas.on_ack(now, &event, plain);
        }
        let after = self.follower_window();
        if let (Some(before), Some(after)) = (before, after)
            && self.phase != Phase::Recovery
        {
            self.window.follow(before, after);
        }
    }

    /// Tells the replicas of what waits to be told, before they are asked or told of something else.
    pub(super) fn catch_up(&mut self) {
        if let Some(replicas) = &mut self.replicas {
            replicas.catch_up();
        }
    }

    fn is_round_over(&self) -> bool {
        self.rounds.now.as_ref().is_some_and(|round| self.board.una() >= round.end)
    }

    /// Ends the round when what was sent at its begin is acknowledged.
    pub(super) fn turn_round(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        if !self.is_round_over() {
            return;
        }
        self.catch_up();
        let lead = self.follower_window().unwrap_or(0);
        let grown = lead as f64 / self.lead_at_round.max(1) as f64 - 1.0;
        let before = self.rounds.last.map_or(0, |round| round.peak);
        let shown = self.rounds.next(self.board.next(), grown, self.line.is_near(), self.mss());
        let slow_start = self.in_slow_start();
        if let Some(done) = self.rounds.last {
            let record = RoundRecord {
                end: now,
                lost: self.rate.lost - self.lost_at_round,
                flight: done.peak,
                window: self.window.get() as u64,
                receive: self.receive,
                full: shown.is_some_and(|shown| shown.full),
                paced: shown.is_some_and(|shown| shown.paced),
                idle: done.idle,
                shut: done.shut,
                disturbed: done.disturbed,
                slow_start,
                ..self.record
            };
            self.round_rtt = record.rtt_min.or(self.round_rtt);
            if let Some(probe) = &mut self.probe {
                probe.on_round(record);
            }
            self.limits.turn(now, &mut |span| out(Told::Limit(span)));
            self.record = RoundRecord { start: now, ..RoundRecord::default() };
            self.lost_at_round = self.rate.lost;
        }
        if let (Some(shown), Some(replicas)) = (shown, &mut self.replicas)
            && (shown.recovering || self.phase == Phase::Open)
        {
            replicas.compare(shown);
            if self.setup.wanted.series {
                replicas.measure_spread();
            }
        }
        self.steady = !slow_start || self.rounds.last.is_some_and(|round| round.peak <= before);
        self.window.fade();
        self.lead_at_round = self.follower_window().unwrap_or(0);
    }

    /// `tcp_cwnd_validate`.
    pub(super) fn note_usage(&mut self, full: bool) {
        let out = self.board.outstanding();
        if self.board.una() >= self.usage_end || full || (!self.full_flag && out > self.flight_peak) {
            self.full_flag = full;
            self.flight_peak = out;
            self.usage_end = self.board.next();
        }
    }
}
