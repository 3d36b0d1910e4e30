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
}

impl TailLoss {
    /// New bytes passed. `moved` is by how much the packet number moved, where that tells; `packets` how many of
    /// these numbers are its own, `in_hole` how many the hole before it takes; `timer` says that silence preceded it.
    ///
    /// Gives whether a first copy of these bytes must have been lost before the tap.
    pub fn on_new(
        &mut self,
        bytes: &Range<i64>,
        moved: Option<u16>,
        packets: u64,
        in_hole: u64,
        timer: bool,
        mss: i64,
    ) -> bool {
        if timer && let Some(moved) = moved {
            let missing = u64::from(moved).saturating_sub(packets + in_hole);
            if missing > 0 {
                let lost = i64::try_from(missing).unwrap_or(i64::MAX);
                self.until = bytes.start.saturating_add(lost.saturating_mul(mss));
                self.active = true;
            }
        }
        self.active &= bytes.start < self.until;
        self.active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_numbers_after_silence_are_lost_first_copies() {
        let mut tail = TailLoss::default();
        assert!(!tail.on_new(&(0..100), Some(1), 1, 0, false, 100));
        assert!(
            !tail.on_new(&(100..200), Some(3), 1, 0, false, 100),
            "no silence, so they may be acknowledgments"
        );
        assert!(tail.on_new(&(200..300), Some(4), 1, 0, true, 100), "three were lost");
        assert!(tail.on_new(&(300..400), Some(1), 1, 0, false, 100));
        assert!(tail.on_new(&(400..500), Some(1), 1, 0, false, 100));
        assert!(!tail.on_new(&(500..600), Some(1), 1, 0, false, 100));
    }
}
