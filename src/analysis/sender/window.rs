//! The congestion window as the sender shows it: what was in flight when it could have sent more but did not, and where it
//! shows nothing, how the leading replica goes on from there.

use crate::units::Timestamp;

/// ACKs whose answers are looked at for the largest flight.
const ANSWERS: u32 = 4;

/// Estimate with its band, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Band {
    pub(in crate::analysis) window: u64,
    pub(in crate::analysis) low: u64,
    pub(in crate::analysis) high: u64,
}

impl Band {
    /// The window of a replica that sets it by its own measurements.
    pub(super) fn around(window: u64, flight: u64) -> Self {
        let window = window.max(flight);
        Self { window, low: (window - window / 10).max(flight), high: window + window / 10 }
    }
}

/// The window in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowEstimate {
    window: f64,
    /// Most in flight after the answers to the latest few ACKs, and to the few before.
    recent: [u64; 2],
    answers: u32,
    /// When the window was last seen itself, and what it was.
    seen: Option<Timestamp>,
    /// How far the estimate may be off since, as a share.
    doubt: f64,
}

impl WindowEstimate {
    pub(super) const fn new(window: u64) -> Self {
        Self { window: window as f64, recent: [0; 2], answers: 0, seen: None, doubt: 0.5 }
    }

    pub(super) const fn get(&self) -> f64 {
        self.window
    }

    /// So much is in flight: the window cannot be smaller.
    pub(super) const fn at_least(&mut self, flight: u64) {
        if flight as f64 > self.window {
            self.window = flight as f64;
        }
    }

    /// An ACK was answered until `flight` was out; `full` where nothing but the window can have ended the answer.
    pub(super) fn answered(&mut self, now: Timestamp, flight: u64, full: bool) {
        self.recent[0] = self.recent[0].max(flight);
        self.answers += 1;
        let peak = self.recent[0].max(self.recent[1]);
        if self.answers >= ANSWERS {
            self.answers = 0;
            self.recent = [0, self.recent[0]];
        }
        if full {
            self.window = peak as f64;
            self.seen = Some(now);
            self.doubt = 0.0;
        }
    }

    /// The window is what is in flight, as in a recovery.
    pub(super) fn is(&mut self, now: Timestamp, flight: u64) {
        self.window = flight as f64;
        self.seen = Some(now);
        self.doubt = 0.05;
        self.recent = [0; 2];
        self.answers = 0;
    }

    /// The leading replica's window went from `before` to `after`.
    pub(super) fn follow(&mut self, before: u64, after: u64) {
        self.window = (self.window + after as f64 - before as f64).max(1.0);
    }

    /// The window was cut to this by a rule.
    pub(super) const fn cut(&mut self, window: f64, doubt: f64) {
        self.window = window;
        self.recent = [0; 2];
        self.answers = 0;
        self.doubt = doubt;
    }

    /// Not seen for one more round.
    pub(super) fn fade(&mut self) {
        self.doubt = (self.doubt + 0.01).min(0.5);
    }

    /// The estimate, no lower than what is in flight; `spread` are windows that other replicas have.
    pub(super) fn band(&self, flight: u64, spread: Option<(f64, f64)>) -> Band {
        let window = self.window.max(flight as f64);
        let (low, high) = spread.unwrap_or((window, window));
        let doubt = self.doubt.max(0.01);
        let bytes = |value: f64| value.max(0.0).round() as u64;
        Band {
            window: bytes(window),
            low: bytes((low.min(window) * (1.0 - doubt)).max(flight as f64)),
            high: bytes(high.max(window) * (1.0 + doubt)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_takes_the_place_of_what_was_reckoned() {
        let now = Timestamp::ZERO;
        let mut window = WindowEstimate::new(10_000);
        window.at_least(12_000);
        assert_eq!(window.band(0, None).window, 12_000);
        window.answered(now, 11_000, false);
        assert_eq!(window.band(0, None).window, 12_000, "the application may have ended this answer");
        window.answered(now, 11_000, true);
        assert_eq!(window.band(0, None).window, 11_000);
        window.follow(20_000, 21_448);
        assert_eq!(window.band(0, None).window, 12_448, "as far as the replica grew");
        window.is(now, 7_000);
        assert_eq!(window.band(0, None).window, 7_000);
    }

    #[test]
    fn the_band_holds_the_flight_and_widens_while_nothing_is_seen() {
        let mut window = WindowEstimate::new(10_000);
        window.answered(Timestamp::ZERO, 10_000, true);
        let narrow = window.band(9_000, None);
        for _ in 0..20 {
            window.fade();
        }
        let wide = window.band(9_000, None);
        assert!(narrow.low <= wide.window && narrow.high < wide.high);
        assert_eq!(wide.low, 9_000, "what is in flight is the least");
    }
}
