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

    /// A reduction begins with `una` as the first unacknowledged segment, because the timer fired or for
    /// another reason.
    pub(super) fn start(&mut self, una: u64, after_timeout: bool) {
        *self = Self::new(self.rule);
        if after_timeout || self.rule == Undoes::All {
            self.start = Some(una);
            self.after_timeout = after_timeout;
        }
    }

    pub(super) const fn stop(&mut self) {
        self.start = None;
    }

    pub(super) fn on_resent(&mut self, now: Timestamp) {
        if self.start.is_some() {
            self.first_resent.get_or_insert(now);
            self.resent += 1;
        }
    }

    /// Whether this ACK, which moved the edge or not, proves the reduction needless. As long as other
    /// segments sent again are under way (`repairs`), one that needed no repair proves nothing about them
    /// (`tcp_try_undo_partial`); after a timeout all were sent again for one reason.
    pub(super) fn on_ack(&mut self, ack: &Ack, advanced: bool, repairs: bool) -> bool {
        let Some(start) = self.start else { return false };
        if ack.duplicate.is_some_and(|number| number >= start) {
            self.duplicates += 1;
        }
        let early = advanced && self.first_resent.is_some_and(|first| ack.echo < first);
        let eifel = early && (self.after_timeout || !repairs);
        eifel || (self.rule == Undoes::All && self.resent > 0 && self.duplicates >= self.resent)
    }
}
