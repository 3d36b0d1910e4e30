//! The receive window that one side offers, and how long it keeps it shut.

use serde::{Deserialize, Serialize};

use crate::decode::{Segment, TcpFlags};
use crate::units::{Span, Timestamp};

/// Windows of one advertiser.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct WindowTracker {
    last: Option<u16>,
    min: Option<u16>,
    max: Option<u16>,
    /// Windows of SYNs are never scaled (RFC 7323 section 2.2), so they are kept apart.
    syn_max: Option<u16>,
    zero_packets: u64,
    zero_events: u64,
    shut_since: Option<Timestamp>,
    shut_for: Span,
}

impl WindowTracker {
    /// Takes note of the window of a segment that its owner sent. RSTs say nothing about a window.
    #[inline]
    pub(super) fn observe(&mut self, segment: &Segment<'_>) {
        if segment.flags.has(TcpFlags::RST) || !segment.flags.has(TcpFlags::ACK | TcpFlags::SYN) {
            return;
        }
        if segment.flags.has(TcpFlags::SYN) {
            let window = segment.window;
            self.syn_max = Some(self.syn_max.map_or(window, |max| max.max(window)));
            return;
        }
        self.observe_open(segment);
    }

    /// The same, of one with ACK and without SYN and RST.
    #[inline]
    pub(super) fn observe_open(&mut self, segment: &Segment<'_>) {
        let window = segment.window;
        if self.last == Some(window) && window != 0 && self.shut_since.is_none() {
            return;
        }
        if window == 0 {
            // A side that has said goodbye needs no window.
            if !segment.flags.has(TcpFlags::FIN) {
                self.zero_packets += 1;
                if self.shut_since.is_none() {
                    self.zero_events += 1;
                    self.shut_since = Some(segment.at);
                }
            }
        } else if let Some(since) = self.shut_since.take() {
            self.shut_for = self.shut_for + segment.at.since(since).max(Span::ZERO);
        }
        self.last = Some(window);
        self.min = Some(self.min.map_or(window, |min| min.min(window)));
        self.max = Some(self.max.map_or(window, |max| max.max(window)));
    }

    /// Whether the owner's last word was that nothing may be sent.
    pub(super) const fn is_shut(&self) -> bool {
        matches!(self.last, Some(0))
    }

    /// Packets that said the window is shut, and how often it went shut.
    pub(super) const fn zero(&self) -> (u64, u64) {
        (self.zero_packets, self.zero_events)
    }

    /// How long it was shut; where it still is, up to `end`.
    pub(super) fn shut_for(&self, end: Timestamp) -> Span {
        self.shut_since.map_or(self.shut_for, |since| self.shut_for + end.since(since).max(Span::ZERO))
    }

    /// Smallest and largest window in bytes, scaled by `shift`.
    pub(super) fn range(&self, shift: u8) -> (Option<u64>, Option<u64>) {
        let scale = |window: u16| u64::from(window) << shift;
        let max = match (self.max.map(scale), self.syn_max.map(u64::from)) {
            (Some(scaled), Some(syn)) => Some(scaled.max(syn)),
            (scaled, syn) => scaled.or(syn),
        };
        (self.min.map(scale).or_else(|| self.syn_max.map(u64::from)), max)
    }
}
