//! Round trips as far as the verdicts need them: from the tap to the receiver and back, and from the tap to the
//! sender and back.

use crate::units::{Span, Timestamp};

/// Smoothed and least round trip of one half of the path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Half {
    min: Option<Span>,
    smoothed: Option<Span>,
    variation: Span,
    samples: u32,
}

/// Both halves, for one direction of data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// Tap to receiver and back: data to its acknowledgment.
    pub(super) down: Half,
    /// Tap to sender and back: an acknowledgment to what answers it.
    pub(super) up: Option<Span>,
    echo: EchoClock,
}

/// Times the first echo of a peer's latest stamp.
#[derive(Clone, Copy, Debug, Default)]
struct EchoClock {
    waiting: Option<(u32, Timestamp)>,
}

impl Half {
    /// A sample, smoothed as RFC 6298 section 2 says.
    #[inline]
    pub(super) fn add(&mut self, sample: Span) {
        if sample.is_negative() {
            return;
        }
        self.samples = self.samples.saturating_add(1);
        self.min = Some(self.min.map_or(sample, |min| min.min(sample)));
        match self.smoothed {
            None => {
                self.smoothed = Some(sample);
                self.variation = Span::from_nanos(sample.as_nanos() / 2);
            }
            Some(smoothed) => {
                let off = (smoothed - sample).abs();
                self.variation = Span::from_nanos(
                    (3 * (self.variation.as_nanos() / 4)).saturating_add(off.as_nanos() / 4),
                );
                self.smoothed = Some(Span::from_nanos(7 * (smoothed.as_nanos() / 8) + sample.as_nanos() / 8));
            }
        }
    }

    /// The least, once it is more than a chance.
    pub(super) fn min(&self) -> Option<Span> {
        self.min.filter(|_| self.samples >= 3)
    }

    /// Smoothed; the least or nothing before the first sample.
    pub(super) fn smoothed(&self) -> Span {
        self.smoothed.unwrap_or(Span::ZERO)
    }

    /// After this an answer is not to be expected any more.
    pub(super) fn patience(&self) -> Span {
        let twice = Span::from_nanos(self.smoothed().as_nanos().saturating_mul(2));
        let spread = Span::from_nanos(self.variation.as_nanos().saturating_mul(4));
        Span::from_secs(1) + twice + spread
    }
}

impl Timing {
    /// The whole round trip as the sender sees it, smoothed.
    pub(super) fn round_trip(&self) -> Span {
        self.down.smoothed() + self.up.unwrap_or(Span::ZERO)
    }

    /// The retransmission timeout that the sender should have (RFC 6298, with Linux' floor of 200 ms under the
    /// variation: `tcp_rto_min`).
    pub(super) fn timeout(&self) -> Span {
        let spread = Span::from_nanos(self.down.variation.as_nanos().saturating_mul(4));
        self.round_trip() + spread.max(Span::from_millis(200))
    }

    /// An acknowledgment with this `TSval` passed the tap towards the sender.
    #[inline]
    pub(super) fn on_ack_stamp(&mut self, tsval: u32, at: Timestamp) {
        // Only the first packet of each tick: later ones of the same tick would be answered too soon.
        if self.echo.waiting.is_none_or(|(waiting, since)| {
            waiting != tsval
                && (at.since(since) > Span::from_secs(5) || self.up.is_none_or(|up| at.since(since) > up))
        }) {
            self.echo.waiting = Some((tsval, at));
        }
    }

    /// A segment of the sender echoes `tsecr`: the sender has seen the acknowledgment that carried it.
    #[inline]
    pub(super) fn on_echo(&mut self, tsecr: u32, at: Timestamp) {
        if let Some((waiting, since)) = self.echo.waiting
            && tsecr.wrapping_sub(waiting).cast_signed() >= 0
        {
            let took = at.since(since);
            if !took.is_negative() {
                self.up = Some(self.up.map_or(took, |up| up.min(took)));
            }
            self.echo.waiting = None;
        }
    }
}
