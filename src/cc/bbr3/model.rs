//! What BBR v3 believes of the path: rates and amounts in flight, over the long and the short term.
//!
//! Source: draft-ietf-ccwg-bbr-02 section 5.5. Rates in segments per second, amounts in segments.

use crate::cc::Acked;
use crate::cc::event::segments;
use crate::cc::filter::MaxFilter;

/// `BBRLossThresh`: more of a round lost is too much.
const LOSS_THRESHOLD: f64 = 0.02;
/// `BBRBeta`: kept after a lossy round.
const BETA: f64 = 0.7;
/// `BBRHeadroom`: left for others below the long-term limit.
const HEADROOM: f64 = 0.15;
/// `MaxBwFilterLen`: probing cycles in the maximum filter.
const FILTER_CYCLES: u64 = 2;

#[derive(Debug)]
pub(super) struct Model {
    filter: MaxFilter,
    cycle: u64,
    pub(super) round: u64,
    pub(super) round_start: bool,
    next_round: u64,
    /// `inflight_longterm`: the most that fitted without too much loss.
    pub(super) long_term: Option<f64>,
    short_rate: Option<f64>,
    short_inflight: Option<f64>,
    /// Largest of this round trip.
    latest_rate: f64,
    latest_inflight: f64,
    lost_in_round: f64,
    round_lossy: bool,
    delivered: u64,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            filter: MaxFilter::new(FILTER_CYCLES),
            cycle: 0,
            round: 0,
            round_start: false,
            next_round: 0,
            long_term: None,
            short_rate: None,
            short_inflight: None,
            latest_rate: 0.0,
            latest_inflight: 0.0,
            lost_in_round: 0.0,
            round_lossy: false,
            delivered: 0,
        }
    }
}

impl Model {
    pub(super) fn max_rate(&self) -> f64 {
        self.filter.get()
    }

    /// `BBR.bw`.
    pub(super) fn rate(&self) -> f64 {
        self.max_rate().min(self.short_rate.unwrap_or(f64::INFINITY))
    }

    pub(super) const fn short_term(&self) -> Option<f64> {
        self.short_inflight
    }

    pub(super) const fn delivered(&self, mss: u32) -> f64 {
        self.delivered as f64 / mss as f64
    }

    pub(super) const fn delivered_in_round(&self) -> f64 {
        self.latest_inflight
    }

    /// A new probing cycle begins (`BBRAdvanceMaxBwFilter`).
    pub(super) const fn next_cycle(&mut self) {
        self.cycle += 1;
    }

    /// Takes an ACK: the round, the rate and what was delivered in it.
    pub(super) fn on_ack(&mut self, ack: &Acked, mss: u32, limited: bool, _window: f64) {
        self.round_start = false;
        self.delivered = ack.delivered;
        let lost = f64::from(segments(ack.lost, mss));
        self.lost_in_round += lost;
        self.round_lossy |= lost > 0.0;
        let Some((sample, rate)) = ack.rate.and_then(|s| Some((s, s.rate()?))) else { return };
        if sample.prior_delivered >= self.next_round {
            self.next_round = ack.delivered;
            self.round += 1;
            self.round_start = true;
        }
        let rate = rate.as_bytes_per_sec() / f64::from(mss);
        self.latest_rate = self.latest_rate.max(rate);
        self.latest_inflight = self.latest_inflight.max(f64::from(segments(sample.delivered, mss)));
        if !(sample.app_limited || limited) || rate >= self.filter.get() {
            self.filter.update(self.cycle, rate);
        }
    }

    /// Whether more than [`LOSS_THRESHOLD`] of what was in flight in this round got lost.
    pub(super) fn too_lossy(&self, mss: u32) -> bool {
        let _ = mss;
        self.lost_in_round > LOSS_THRESHOLD * (self.latest_inflight + self.lost_in_round)
    }

    /// At the end of a round: a lossy one outside probing lowers the short-term bounds
    /// (`BBRAdaptLowerBoundsFromCongestion`).
    pub(super) fn end_round(&mut self, probing: bool) {
        if self.round_lossy && !probing {
            let rate = self.short_rate.unwrap_or_else(|| self.max_rate());
            self.short_rate = Some(self.latest_rate.max(BETA * rate));
            if let Some(inflight) = self.short_inflight {
                self.short_inflight = Some(self.latest_inflight.max(BETA * inflight));
            }
        }
        self.round_lossy = false;
    }

    /// After all have looked at the round that ended: its measures start anew
    /// (`BBRAdvanceLatestDeliverySignals`).
    pub(super) const fn advance(&mut self) {
        if self.round_start {
            self.lost_in_round = 0.0;
            self.latest_rate = 0.0;
            self.latest_inflight = 0.0;
        }
    }

    /// Losses begin: the window of now is the short-term bound to lower (`BBRInitLowerBounds`).
    pub(super) fn save_short_term(&mut self, window: f64) {
        self.short_inflight.get_or_insert(window);
    }

    pub(super) const fn reset_short_term(&mut self) {
        self.short_rate = None;
        self.short_inflight = None;
    }

    /// A probe lost too much with `in_flight` under way (`BBRHandleInflightTooHigh`).
    pub(super) fn too_high(&mut self, in_flight: f64, target: f64) {
        self.long_term = Some(in_flight.max(BETA * target));
    }

    /// `BBRInflightWithHeadroom`.
    pub(super) fn with_headroom(&self) -> f64 {
        self.long_term.map_or(f64::INFINITY, |limit| (limit - (HEADROOM * limit).max(1.0)).max(4.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::RateSample;
    use crate::units::{Bytes, Span};

    fn round(model: &mut Model, delivered: u64, lost: u64, probing: bool) {
        let sample = RateSample {
            delivered: Bytes::new(100_000),
            interval: Span::from_millis(100),
            prior_delivered: model.next_round,
            sent_in_flight: Bytes::new(100_000),
            lost: Bytes::new(lost),
            app_limited: false,
        };
        let ack = Acked { rate: Some(sample), delivered, lost: Bytes::new(lost), ..Acked::default() };
        model.on_ack(&ack, 1000, false, 100.0);
        model.end_round(probing);
    }

    // draft-ietf-ccwg-bbr section 5.5.10.3: max(bw_latest, 0.7 bw_shortterm): with 1000 segments/s delivered
    // the bound stays there.
    #[test]
    fn a_lossy_round_is_bounded_by_what_was_delivered() {
        let mut model = Model::default();
        round(&mut model, 100_000, 0, false);
        model.save_short_term(400.0);
        round(&mut model, 200_000, 5_000, false);
        assert!((model.rate() - 1000.0).abs() < 1e-6);
        assert!((model.short_term().unwrap() - 280.0).abs() < 1e-6);
        assert!(model.too_lossy(1000));
        model.reset_short_term();
        assert_eq!(model.short_term(), None);
    }

    #[test]
    fn headroom_is_fifteen_percent() {
        let mut model = Model::default();
        model.too_high(100.0, 120.0);
        assert!((model.with_headroom() - 85.0).abs() < 1e-9);
    }
}
