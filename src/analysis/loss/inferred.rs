//! Losses that leave no hole at the tap: the tail of a burst was lost before it, and a timer sent it again, so that the
//! copy looks like new data.
//!
//! Where the host counts its packets, the missing numbers tell how many were lost; silence before the packet tells that
//! a timer sent it.

use std::ops::Range;

/// Tail losses of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailLoss {
    /// Up to here the first copies were lost.
    until: i64,
    active: bool,
    /// Packets that filled holes and were missed by the capture; their numbers are missing too.
    missed: u64,
}

impl TailLoss {
    /// The capture missed packets that filled holes.
    pub(super) const fn missed(&mut self, packets: u64) {
        self.missed = self.missed.saturating_add(packets);
    }

    /// New bytes passed; `now` says what preceded them. Gives whether a first copy of them must have been lost before
    /// the tap.
    pub(super) fn on_new(&mut self, bytes: &Range<i64>, now: &Arrival) -> bool {
        if now.timer || now.no_hole {
            // The timer may have sent the first segment several times before one came through.
            let gone = now.moved.saturating_sub(now.packets + now.in_hole);
            let known = gone.min(self.missed);
            self.missed -= known;
            let missing = (gone - known).saturating_sub(now.timer_copies);
            if missing > 0 {
                let lost = i64::try_from(missing).unwrap_or(i64::MAX);
                self.until = bytes.start.saturating_add(lost.saturating_mul(now.mss));
                self.active = true;
            }
        }
        self.active &= bytes.start < self.until;
        self.active
    }
}

/// What is known when new bytes pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// By how much the packet number moved; 0 where that does not tell.
    pub(super) moved: u64,
    /// How many of these numbers are its own.
    pub(super) packets: u64,
    /// How many the hole before it takes.
    pub(super) in_hole: u64,
    /// A timer's silence preceded it.
    pub(super) timer: bool,
    /// Copies that the timer sent in vain meanwhile.
    pub(super) timer_copies: u64,
    /// No other bytes are missing that a lost packet could have carried, and the sender sends nothing but data.
    pub(super) no_hole: bool,
    /// Payload bytes of a full segment.
    pub(super) mss: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_after_silence_are_lost_first_copies() {
        let mut tail = TailLoss::default();
        let mut lost = |start: i64, moved, timer| {
            let now =
                Arrival { moved, packets: 1, in_hole: 0, timer, timer_copies: 0, no_hole: false, mss: 100 };
            tail.on_new(&(start..start + 100), &now)
        };
        assert!(!lost(0, 1, false));
        assert!(!lost(100, 3, false), "no silence, so they may be acknowledgments");
        assert!(lost(200, 4, true), "three were lost");
        assert!(lost(300, 1, false));
        assert!(lost(400, 1, false));
        assert!(!lost(500, 1, false));
    }
}
