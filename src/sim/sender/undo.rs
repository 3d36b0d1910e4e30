//! Whether a reduction was needless: all retransmissions came as duplicates (RFC 3708, DSACK), or the edge
//! moved by an ACK that echoes a time before the first retransmission (Eifel, RFC 3522).

use crate::sim::receiver::Ack;
use crate::units::Timestamp;

#[derive(Debug)]
pub(super) struct Undo {
    by_duplicates: bool,
    start: Option<u64>,
    first_resent: Option<Timestamp>,
    resent: u32,
    duplicates: u32,
}

impl Undo {
    pub(super) const fn new(by_duplicates: bool) -> Self {
        Self { by_duplicates, start: None, first_resent: None, resent: 0, duplicates: 0 }
    }

    /// A reduction begins with `una` as the first unacknowledged segment.
    pub(super) const fn start(&mut self, una: u64) {
        *self = Self::new(self.by_duplicates);
        self.start = Some(una);
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

    /// Whether this ACK proves the reduction needless.
    pub(super) fn on_ack(&mut self, ack: &Ack, advanced: bool) -> bool {
        let Some(start) = self.start else { return false };
        if ack.duplicate.is_some_and(|number| number >= start) {
            self.duplicates += 1;
        }
        let eifel = advanced && self.first_resent.is_some_and(|first| ack.echo < first);
        eifel || (self.by_duplicates && self.resent > 0 && self.duplicates >= self.resent)
    }
}
