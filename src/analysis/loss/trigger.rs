//! Why the sender sent again: what it had heard, and for how long it had heard nothing.
//!
//! An acknowledgment is answered at once, or within a reordering window (RFC 8985 section 6.2: at most a round trip);
//! a timer needs silence. The first timer is the tail loss probe's, which sends the last segment again (RFC 8985
//! section 7), the other the retransmission timer's, which sends the first (RFC 6298).

use std::ops::Range;

use super::timing::Timing;
use crate::report::Trigger;
use crate::units::{Span, Timestamp};

/// What the sender has been through, as far as the tap can tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Episode {
    last_heard: Option<Timestamp>,
    last_sent: Option<Timestamp>,
    duplicate_acks: u32,
    /// Until this is acknowledged the sender is in a recovery that acknowledgments began.
    recovery_until: i64,
    /// Until this is acknowledged it resends what a timeout gave up.
    timeout_until: i64,
    probed: bool,
}

/// The situation in which a retransmission is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation<'a> {
    pub(super) bytes: &'a Range<i64>,
    pub(super) at: Timestamp,
    /// First byte that is not acknowledged.
    pub(super) una: i64,
    /// After the last byte sent before.
    pub(super) next: i64,
    /// Bytes selectively acknowledged above.
    pub(super) sacked_above: u64,
    pub(super) mss: u64,
    pub(super) sack: bool,
    /// The sender stamps its segments.
    pub(super) stamped: bool,
}

impl Episode {
    pub(super) const fn new() -> Self {
        Self {
            last_heard: None,
            last_sent: None,
            duplicate_acks: 0,
            recovery_until: i64::MIN,
            timeout_until: i64::MIN,
            probed: false,
        }
    }

    /// The sender sent something.
    #[inline]
    pub(super) const fn on_sent(&mut self, at: Timestamp) {
        self.last_sent = Some(at);
    }

    /// It is about to hear an acknowledgment.
    #[inline]
    pub(super) const fn on_ack(&mut self, at: Timestamp, advances: bool, duplicate: bool) {
        self.last_heard = Some(at);
        if advances {
            self.duplicate_acks = 0;
            self.probed = false;
        } else if duplicate {
            self.duplicate_acks = self.duplicate_acks.saturating_add(1);
        }
    }

    /// Duplicate acknowledgments in a row.
    pub(super) const fn duplicate_acks(&self) -> u32 {
        self.duplicate_acks
    }

    /// When it last heard an acknowledgment.
    pub(super) const fn last_heard(&self) -> Option<Timestamp> {
        self.last_heard
    }

    /// For how long the sender had neither sent nor heard anything when it sent this.
    pub(super) fn silence(&self, at: Timestamp, timing: &Timing) -> Span {
        // What passed the tap towards the sender is answered a round trip on that side later.
        let heard = self.last_heard.map(|heard| heard + timing.up.unwrap_or(Span::ZERO));
        let since = |then: Timestamp| at.since(then);
        match (heard.map(since), self.last_sent.map(since)) {
            (Some(heard), Some(sent)) => heard.min(sent),
            (heard, sent) => heard.or(sent).unwrap_or(Span::ZERO),
        }
    }

    /// Whether that is too long for anything but a timer.
    pub(super) fn is_timer(&self, at: Timestamp, timing: &Timing) -> bool {
        let floor = Span::from_millis(5);
        let round_trip = timing.round_trip();
        let bound = round_trip + Span::from_nanos(round_trip.as_nanos() / 4);
        self.silence(at, timing) > bound.max(floor)
    }

    /// How often a timer that backs off (RFC 6298 section 5.5) went off in this silence.
    pub(super) fn timeouts(&self, at: Timestamp, timing: &Timing) -> u64 {
        let (silence, timeout) = (self.silence(at, timing).as_nanos(), timing.timeout().as_nanos().max(1));
        // The n-th goes off after 2^n - 1 timeouts.
        u64::from(u64::try_from(silence / timeout).unwrap_or(0).saturating_add(1).ilog2())
    }

    /// Whether the silence is that of a tail loss probe: two round trips after the last segment went out, of which the
    /// acknowledgments of those before it fill at most one and a half; with one segment out a delayed
    /// acknowledgment's time is added, but the probe never comes later than the retransmission timer would (RFC 8985
    /// section 7.2). At that moment the two are told apart only by the sender's kind: stacks that probe also stamp.
    fn is_probe(&self, now: &Situation<'_>, timing: &Timing) -> bool {
        let silence = self.silence(now.at, timing).as_nanos();
        let round_trip = timing.round_trip().as_nanos();
        let timeout = timing.timeout().as_nanos();
        let sent = self.last_sent.map_or(silence, |sent| now.at.since(sent).as_nanos());
        let in_time = if now.stamped {
            silence < round_trip.saturating_mul(3).saturating_add(250_000_000)
        } else {
            sent < timeout - timeout / 20
        };
        silence > (round_trip / 2).max(5_000_000) && in_time
    }

    /// What made the sender send this again; moves the episode on.
    pub(super) fn classify(&mut self, now: &Situation<'_>, timing: &Timing) -> Trigger {
        let recovering = now.una < self.recovery_until || now.una < self.timeout_until;
        let undisturbed = !recovering && now.sacked_above == 0 && self.duplicate_acks == 0;
        if now.sack && undisturbed && !self.probed && now.bytes.end >= now.next && self.is_probe(now, timing)
        {
            self.probed = true;
            return Trigger::Tlp;
        }
        // Nothing that could have told of a loss: a timer sent it, even if the data that it overlaps came late.
        let unprompted = undisturbed && now.bytes.end <= now.una;
        if unprompted || (self.is_timer(now.at, timing) && now.bytes.start <= now.una) {
            self.timeout_until = now.next.max(now.bytes.end);
            return Trigger::Rto;
        }
        if recovering {
            return Trigger::Recovery;
        }
        self.recovery_until = now.next.max(now.bytes.end);
        if self.duplicate_acks >= 3 || now.sacked_above > 2 * now.mss { Trigger::Fast } else { Trigger::Rack }
    }
}
