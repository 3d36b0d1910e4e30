//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation; Linux `net/ipv4/tcp_rate.c`), from what a tap sees.

use super::board::Entry;
use crate::cc::RateSample;
use crate::units::{Bytes, Span, Timestamp};

/// What a segment remembers of the moment at which it was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamp {
    delivered: u64,
    delivered_at: Timestamp,
    first_sent: Timestamp,
    in_flight: u64,
    lost: u64,
    limited: bool,
}

/// Running totals, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateEstimator {
    pub(super) delivered: u64,
    pub(super) lost: u64,
    delivered_at: Timestamp,
    first_sent: Timestamp,
    limited_until: Option<u64>,
}

impl RateEstimator {
    /// What a segment sent now has to remember; `in_flight` with it.
    pub(super) fn stamp(&mut self, now: Timestamp, idle: bool, in_flight: u64) -> Stamp {
        if idle {
            self.first_sent = now;
            self.delivered_at = now;
        }
        Stamp {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            in_flight,
            lost: self.lost,
            limited: self.limited_until.is_some(),
        }
    }

    /// `bytes` were delivered, of which `newest` was sent last.
    pub(super) fn on_delivered(
        &mut self,
        now: Timestamp,
        bytes: u64,
        newest: Option<&Entry>,
        min_rtt: Option<Span>,
    ) -> Option<RateSample> {
        self.delivered += bytes;
        if bytes > 0 {
            self.delivered_at = now;
        }
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        let newest = newest?;
        self.first_sent = newest.sent;
        let stamp = &newest.stamp;
        let interval = newest.sent.since(stamp.first_sent).max(now.since(stamp.delivered_at));
        // An interval shorter than the smallest RTT is an artefact of a retransmission.
        if interval <= Span::ZERO || min_rtt.is_some_and(|least| interval < least) {
            return None;
        }
        Some(RateSample {
            delivered: Bytes::new(self.delivered - stamp.delivered),
            interval,
            prior_delivered: stamp.delivered,
            sent_in_flight: Bytes::new(stamp.in_flight),
            lost: Bytes::new(self.lost - stamp.lost),
            app_limited: stamp.limited,
        })
    }
}
