//! F-RTO (RFC 5682): whether a timeout was needed. If acknowledgments go on after it for data that was sent once, before it,
//! then the first copies arrive after all, and only were late.

use std::ops::Range;

use crate::units::Timestamp;

/// Watches the acknowledgments after the latest timeout of one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct FRto {
    timeout: Option<Timeout>,
}

#[derive(Clone, Debug)]
struct Timeout {
    /// What the timer sent again.
    bytes: Range<i64>,
    at: Timestamp,
    /// After the last byte sent before: `recover` of step 1.
    recover: i64,
    /// The first acknowledgment has come: step 3.
    advanced: bool,
}

/// One acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) ack: i64,
    /// It acknowledges more than the last.
    pub(super) advances: bool,
    /// It repeats the last, or has SACK blocks and does not advance.
    pub(super) duplicate: bool,
    /// It is the first to acknowledge, also selectively, bytes that were sent once and before the timeout.
    pub(super) original: bool,
}

impl FRto {
    /// Before this something must have been sent to count as an original; `None` where no timeout is watched.
    #[inline]
    pub(super) fn since(&self) -> Option<Timestamp> {
        self.timeout.as_ref().map(|timeout| timeout.at)
    }

    /// A timer sent `bytes` again, `next` being after the last byte sent before.
    pub(super) fn on_timeout(&mut self, bytes: &Range<i64>, at: Timestamp, next: i64) {
        self.timeout = Some(Timeout { bytes: bytes.clone(), at, recover: next, advanced: false });
    }

    /// Something else was sent again: the conventional recovery goes on, and what follows tells nothing any more.
    pub(super) fn on_again(&mut self) {
        self.timeout = None;
    }

    /// Gives the bytes that were sent again without need, once that is known.
    pub(super) fn on_ack(&mut self, heard: &Heard, sack: bool) -> Option<Range<i64>> {
        let timeout = self.timeout.as_mut()?;
        if timeout.advanced {
            // Step 3.
            let spurious = heard.original && (heard.advances || sack);
            if !spurious && !heard.advances && !heard.duplicate {
                return None;
            }
            return self.timeout.take().filter(|_| spurious).map(|timeout| timeout.bytes);
        }
        // Step 2: with SACK, duplicates before the first advance are waited through (section 3.1).
        if heard.advances {
            timeout.advanced = true;
            if heard.ack >= timeout.recover {
                self.timeout = None;
            }
        } else if heard.duplicate && !sack {
            self.timeout = None;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(ack: i64, advances: bool, original: bool) -> Heard {
        Heard { ack, advances, duplicate: !advances, original }
    }

    /// Segments of 100 bytes, five of them out, the first sent again by a timer.
    fn after_a_timeout() -> FRto {
        let mut frto = FRto::default();
        frto.on_timeout(&(0..100), Timestamp::from_nanos(5), 500);
        frto
    }

    // RFC 5682 section 2.1, steps 2b and 3b: a delay, so that the originals are acknowledged one after the other.
    #[test]
    fn two_advances_over_originals_show_a_spurious_timeout() {
        let mut frto = after_a_timeout();
        assert_eq!(frto.on_ack(&heard(100, true, false), false), None);
        assert_eq!(frto.on_ack(&heard(200, true, true), false), Some(0..100));
        assert_eq!(frto.on_ack(&heard(300, true, true), false), None, "told once");
    }

    // Step 3a: the second answer is a duplicate, since another segment is missing.
    #[test]
    fn a_duplicate_after_the_first_advance_shows_a_loss() {
        let mut frto = after_a_timeout();
        assert_eq!(frto.on_ack(&heard(200, true, true), false), None);
        assert_eq!(frto.on_ack(&heard(200, false, false), false), None);
        assert_eq!(frto.on_ack(&heard(300, true, true), false), None);
    }

    // Step 2a: a duplicate first, or all acknowledged at once.
    #[test]
    fn what_comes_first_can_end_it() {
        for first in [heard(0, false, false), heard(500, true, true)] {
            let mut frto = after_a_timeout();
            assert_eq!(frto.on_ack(&first, false), None);
            assert_eq!(frto.on_ack(&heard(600, true, true), false), None);
            assert!(frto.since().is_none());
        }
    }

    #[test]
    fn what_was_sent_again_proves_nothing() {
        let mut frto = after_a_timeout();
        assert_eq!(frto.on_ack(&heard(100, true, false), false), None);
        assert_eq!(
            frto.on_ack(&heard(200, true, false), false),
            None,
            "acknowledges bytes that were sent twice"
        );
        let mut frto = after_a_timeout();
        frto.on_again();
        assert_eq!(frto.on_ack(&heard(100, true, false), false), None);
        assert_eq!(frto.on_ack(&heard(200, true, true), false), None);
    }

    // Section 3.1: duplicates with SACK before the first advance are waited through, and a block is as good as an advance.
    #[test]
    fn with_sack_blocks_tell_as_well() {
        let mut frto = after_a_timeout();
        assert_eq!(frto.on_ack(&heard(0, false, true), true), None);
        assert_eq!(frto.on_ack(&heard(100, true, false), true), None);
        assert_eq!(frto.on_ack(&heard(100, false, true), true), Some(0..100));
    }
}
