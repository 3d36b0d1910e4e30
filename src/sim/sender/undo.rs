//! Whether a reduction was needless: all retransmissions came as duplicates (RFC 3708, DSACK), or the edge
//! moved by an ACK that echoes a time before the first retransmission (Eifel, RFC 3522).

use crate::sim::profile::Undoes;
use crate::sim::receiver::Ack;
use crate::units::Timestamp;

#[derive(Debug)]
pub(super) struct Undo {
    rule: Undoes,
    start: Option<u64>,
    after_timeout: bool,
    first_resent: Option<Timestamp>,
    resent: u32,
    duplicates: u32,
}

impl Undo {
    pub(super) const fn new(rule: Undoes) -> Self {
        Self { rule, start: None, after_timeout: false, first_resent: None, resent: 0, duplicates: 0 }
    }

    /// A reduction begins with `una` as the first unacknowledged segment, because the timer fired or for another reason. `repairs`: segments
    /// sent again in a reduction before it are still out, or were the first one out. Then what came first came before those
    /// (`tcp_retrans_stamp_cleanup`).
    pub(super) fn start(&mut self, una: u64, after_timeout: bool, repairs: bool) {
        let earlier = self.first_resent.filter(|_| repairs && self.rule == Undoes::All);
        *self = Self { first_resent: earlier, ..Self::new(self.rule) };
        if after_timeout || self.rule == Undoes::All {
            self.start = Some(una);
            self.after_timeout = after_timeout;
        }
    }

    /// It is over; `repairs` as in [`Self::start`].
    pub(super) const fn stop(&mut self, repairs: bool) {
        self.start = None;
        if !repairs {
            self.first_resent = None;
        }
    }

    pub(super) fn on_resent(&mut self, now: Timestamp) {
        if self.start.is_some() {
            self.first_resent.get_or_insert(now);
            self.resent += 1;
        }
    }

    /// Whether this ACK moved the edge over a segment that was sent before anything was sent again (`tcp_packet_delayed`).
    pub(super) fn is_original(&self, ack: &Ack, advanced: bool) -> bool {
        advanced && self.start.is_some() && self.first_resent.is_some_and(|first| ack.echo < first)
    }

    /// Whether this ACK, which moved the edge or not, proves the reduction needless. As long as other
    /// segments sent again are under way (`repairs`), one that needed no repair proves nothing about them
    /// (`tcp_try_undo_partial`); after a timeout all were sent again for one reason.
    pub(super) fn on_ack(&mut self, ack: &Ack, advanced: bool, repairs: bool) -> bool {
        let Some(start) = self.start else { return false };
        if ack.duplicate.is_some_and(|number| number >= start) {
            self.duplicates += 1;
        }
        let eifel = self.is_original(ack, advanced) && (self.after_timeout || !repairs);
        eifel || (self.rule == Undoes::All && self.resent > 0 && self.duplicates >= self.resent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    // `tcp_retrans_stamp_cleanup`: segment 7, sent again at 10 ms in a recovery that ends below it, is acknowledged in the next one, in
    // which something is sent again at 20 ms. Its echo is older than that, and still a repair's.
    #[test]
    fn a_repair_of_the_recovery_before_is_no_original() {
        let ack = Ack {
            next: 8,
            blocks: Default::default(),
            block_count: 0,
            duplicate: None,
            echo: at(10),
            marked: 0,
        };
        for (still_out, original) in [(true, false), (false, true)] {
            let mut undo = Undo::new(Undoes::All);
            undo.start(0, false, false);
            undo.on_resent(at(10));
            undo.stop(still_out);
            undo.start(5, false, still_out);
            undo.on_resent(at(20));
            assert_eq!(undo.is_original(&ack, true), original);
        }
    }
}
