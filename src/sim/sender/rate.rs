//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation; Linux `net/ipv4/tcp_rate.c`).

use super::scoreboard::Segment;
use crate::cc::RateSample;
use crate::units::{Bytes, Span, Timestamp};

/// Running totals of a connection, in segments.
#[derive(Debug, Default)]
pub(super) struct RateEstimator {
    pub(super) delivered: u64,
    pub(super) lost: u64,
    delivered_at: Timestamp,
    first_sent: Timestamp,
    /// Samples are limited by the application until so much was delivered.
    app_limited_until: Option<u64>,
}

impl RateEstimator {
    /// What a segment sent now has to remember.
    pub(super) fn stamp(&mut self, now: Timestamp, idle: bool) -> (u64, Timestamp, Timestamp) {
        if idle {
            self.first_sent = now;
            self.delivered_at = now;
        }
        (self.delivered, self.delivered_at, self.first_sent)
    }

    pub(super) const fn app_limited(&self) -> bool {
        self.app_limited_until.is_some()
    }

    /// The application has nothing more to send while `in_flight` segments are under way.
    pub(super) const fn set_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = Some(self.delivered + in_flight as u64);
    }

    /// `count` segments were delivered, of which `newest` was sent last.
    pub(super) fn on_delivered(
        &mut self,
        now: Timestamp,
        count: u32,
        newest: Option<&Segment>,
        min_rtt: Option<Span>,
        mss: u32,
    ) -> Option<RateSample> {
        self.delivered += u64::from(count);
        if count > 0 {
            self.delivered_at = now;
        }
        if self.app_limited_until.is_some_and(|until| self.delivered > until) {
            self.app_limited_until = None;
        }
        let newest = newest?;
        self.first_sent = newest.sent;
        let interval = newest.sent.since(newest.first_sent).max(now.since(newest.delivered_at));
        // An interval shorter than the smallest RTT is an artefact of a retransmission.
        if interval <= Span::ZERO || min_rtt.is_some_and(|least| interval < least) {
            return None;
        }
        let bytes = |segments: u64| Bytes::new(segments * u64::from(mss));
        Some(RateSample {
            delivered: bytes(self.delivered - newest.delivered),
            interval,
            prior_delivered: newest.delivered * u64::from(mss),
            sent_in_flight: bytes(u64::from(newest.in_flight)),
            lost: bytes(self.lost - newest.lost),
            app_limited: newest.app_limited(),
        })
    }
}
