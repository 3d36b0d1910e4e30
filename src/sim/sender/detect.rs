//! Loss detection: RACK by time (RFC 8985; Linux `tcp_recovery.c`), or three segments above that are known to
//! have arrived (RFC 6675).

use std::collections::VecDeque;

use super::scoreboard::{Delivered, Scoreboard};
use crate::sim::profile::Detector;
use crate::units::{Span, Timestamp};

/// `DupThresh` (RFC 6675 section 2, RFC 8985 section 6.2).
const DUP_THRESH: u64 = 3;
/// Rounds with a DSACK widen the reordering window by a quarter of the smallest RTT each, up to the SRTT (RFC 8985 6.2 step 4).
const MAX_STEPS: u32 = 255;
/// Recoveries after which a wide window is narrow again (the same; `TCP_RACK_RECOVERY_THRESH`).
const PERSISTS: u32 = 16;

#[derive(Debug)]
pub(super) struct LossDetector {
    kind: Detector,
    /// The newest transmission delivered, and its RTT.
    newest: (Timestamp, u64),
    rtt: Span,
    reordering_seen: bool,
    steps: u32,
    /// The window was widened; not again before this is acknowledged.
    widened: Option<u64>,
    /// Recoveries until the window is narrow again.
    persists: u32,
    /// Everything below was looked at by the counting detector.
    scanned: u64,
    /// Retransmissions: number, time, and the next new segment then.
    resent: VecDeque<(u64, Timestamp, u64)>,
    /// When RACK will look again.
    pub(super) due: Option<Timestamp>,
}

impl LossDetector {
    pub(super) const fn new(kind: Detector) -> Self {
        Self {
            kind,
            newest: (Timestamp::MIN, 0),
            rtt: Span::ZERO,
            reordering_seen: false,
            steps: 1,
            widened: None,
            persists: 0,
            scanned: 0,
            resent: VecDeque::new(),
            due: None,
        }
    }

    pub(super) fn on_resent(&mut self, number: u64, now: Timestamp, next: u64) {
        if self.kind == Detector::DupThresh {
            self.resent.push_back((number, now, next));
        }
    }

    /// A DSACK came that no loss probe explains, while `una` to `next` are out: the window was too small, if the path reorders. Without
    /// that it proves nothing (`tcp_dsack_seen`).
    pub(super) fn on_duplicate(&mut self, una: u64, next: u64) {
        if self.reordering_seen && self.widened.is_none_or(|end| una >= end) {
            self.widened = Some(next);
            self.steps = (self.steps + 1).min(MAX_STEPS);
            self.persists = PERSISTS;
        }
    }

    /// What was sent again had only been late: the path reorders (`tcp_check_sack_reordering`).
    pub(super) const fn on_late_original(&mut self) {
        self.reordering_seen = true;
    }

    /// A recovery is over.
    pub(super) const fn on_recovered(&mut self) {
        self.persists = self.persists.saturating_sub(1);
        if self.persists == 0 {
            self.steps = 1;
        }
    }

    /// Every loss mark was taken back: what is lost indeed must be found again.
    pub(super) fn on_undo(&mut self) {
        self.scanned = 0;
        self.resent.clear();
    }

    /// Takes what an ACK delivered (RFC 8985 section 6.2 steps 1 to 3).
    pub(super) fn on_delivered(&mut self, now: Timestamp, delivered: &Delivered, min_rtt: Option<Span>) {
        self.reordering_seen |= delivered.reordered;
        if let Some((number, segment)) = delivered.newest {
            let rtt = now.since(segment.sent);
            // The ACK of a retransmission in less than the smallest RTT is for the original.
            if !(segment.repeated() && min_rtt.is_some_and(|least| rtt < least)) {
                self.rtt = rtt;
                self.newest = self.newest.max((segment.sent, number));
            }
        }
    }

    /// Marks what is lost by now; returns how many segments.
    pub(super) fn detect(
        &mut self,
        now: Timestamp,
        board: &mut Scoreboard,
        in_recovery: bool,
        min_rtt: Option<Span>,
        srtt: Option<Span>,
    ) -> u32 {
        match self.kind {
            Detector::Rack => {
                let window = self.window(board, in_recovery, min_rtt, srtt);
                self.by_time(now, board, window)
            }
            Detector::DupThresh => self.by_count(board),
        }
    }

    /// The reordering window: none as long as no reordering was seen and there is other evidence.
    fn window(
        &self,
        board: &Scoreboard,
        in_recovery: bool,
        min_rtt: Option<Span>,
        srtt: Option<Span>,
    ) -> Span {
        let evidence = in_recovery || u64::from(board.sacked_count()) >= DUP_THRESH;
        if !self.reordering_seen && evidence {
            return Span::ZERO;
        }
        let quarter = min_rtt.unwrap_or(Span::ZERO).scale(0.25 * f64::from(self.steps));
        quarter.min(srtt.unwrap_or(Span::MAX))
    }

    fn by_time(&mut self, now: Timestamp, board: &mut Scoreboard, window: Span) -> u32 {
        self.due = None;
        let mut lost = 0;
        while let Some((number, sent)) = board.oldest() {
            if (sent, number) >= self.newest {
                break;
            }
            let deadline = sent + self.rtt + window;
            if deadline > now {
                self.due = Some(deadline);
                break;
            }
            lost += u32::from(board.mark_lost(number));
        }
        lost
    }

    fn by_count(&mut self, board: &mut Scoreboard) -> u32 {
        let Some(limit) = board.sacked().nth_from_top(DUP_THRESH) else { return 0 };
        let mut lost = 0;
        self.scanned = self.scanned.max(board.una());
        while self.scanned < limit {
            lost += u32::from(board.mark_lost(self.scanned));
            self.scanned += 1;
        }
        while let Some(&(number, sent, next)) = self.resent.front() {
            let current = number >= board.una() && board.get(number).is_some_and(|s| s.sent == sent);
            // Lost if three that were sent after it have arrived.
            if current && next > limit {
                break;
            }
            self.resent.pop_front();
            if current {
                lost += u32::from(board.mark_lost(number));
            }
        }
        lost
    }

    /// A timeout: all that was sent longer than a RACK RTT ago is lost, and the first segment whatever its
    /// age.
    pub(super) fn on_timeout(&mut self, now: Timestamp, board: &mut Scoreboard) -> u32 {
        let keep_young = self.kind == Detector::Rack;
        let (una, next) = (board.una(), board.next());
        let young = |board: &Scoreboard, number| board.get(number).is_some_and(|s| s.sent + self.rtt > now);
        let mut lost = 0;
        for number in una..next {
            if number == una || !keep_young || !young(board, number) {
                lost += u32::from(board.mark_lost(number));
            }
        }
        lost
    }
}
