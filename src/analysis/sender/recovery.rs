//! What the sender does about losses: its states (`tcp_ca_state`), how they begin and end, and what they do to the window.

use super::board::Delivered;
use super::{Band, DataSent, Heard, INITIAL_WINDOW, SenderModel, Told, Undo, WindowPoint};
use crate::cc::{Congestion, CongestionKind, Phase};
use crate::report::{Trigger, WindowPhase};
use crate::units::{Bytes, Span, Timestamp};

impl SenderModel {
    /// RFC 2861, `tcp_cwnd_restart`: half the window for each timeout of silence, down to the initial window.
    pub(super) fn restart_after_idle(&mut self, now: Timestamp) {
        let Some(last) = self.last_sent else { return };
        let timeout = self.rtt.timeout();
        let mut idle = now.since(last) - timeout;
        let floor = (u64::from(INITIAL_WINDOW) * self.mss()) as f64;
        let mut window = self.window.get();
        while idle > Span::ZERO && window > floor {
            window = (window / 2.0).max(floor);
            idle = idle - timeout;
        }
        if window < self.window.get() {
            self.window.cut(window, 0.3);
        }
    }

    pub(super) fn send_again(&mut self, sent: &DataSent, trigger: Trigger) {
        let now = sent.at;
        match trigger {
            Trigger::Rto => self.time_out(now),
            Trigger::Tlp => self.probing = Some(self.board.next()),
            _ if self.phase < Phase::Recovery => self.recover(now),
            _ => {}
        }
        self.record.resent += (sent.bytes.end - sent.bytes.start).unsigned_abs();
        if let Some(undo) = &mut self.undo {
            undo.resent += 1;
            undo.first_tsval = undo.first_tsval.or_else(|| sent.stamps.map(|(value, _)| value));
        }
        let idle = self.board.outstanding() == 0;
        let stamp = self.rate.stamp(now, idle, self.board.in_flight());
        let found = self.board.resend(sent.bytes.clone(), now, sent.stamps.map(|(value, _)| value), stamp);
        self.tell_path_of_loss(self.last_heard.unwrap_or(now), found);
    }

    pub(super) fn recover(&mut self, now: Timestamp) {
        self.reduce(now, CongestionKind::Loss);
        self.phase = Phase::Recovery;
        self.board.rescan();
        if let Some(probe) = &mut self.probe {
            probe.on_recovery();
        }
        self.mark_lost();
    }

    pub(super) fn reduce(&mut self, now: Timestamp, kind: CongestionKind) {
        let repeated = match kind {
            CongestionKind::Timeout => self.phase >= Phase::Recovery && self.recovery_end > self.board.una(),
            _ => self.phase == Phase::Reduction,
        };
        self.recovery_end = self.board.next();
        if !repeated {
            self.undo = Some(Undo::default());
        }
        if let Some(probe) = &mut self.probe {
            probe.on_reduction();
        }
        self.catch_up();
        self.steady = false;
        let before = self.follower_window();
        let event = Congestion { kind, in_flight: Bytes::new(self.board.in_flight()), repeated };
        if let Some(replicas) = &mut self.replicas {
            replicas.on_congestion(now, &event);
        }
        if let (Some(before), Some(after), false) = (before, self.follower_window(), repeated) {
            let threshold = self.follower_threshold().unwrap_or(after);
            let share = (threshold as f64 / before.max(1) as f64).min(1.0);
            self.threshold = Some(self.window.get() * share);
        } else if !repeated {
            self.threshold = Some(self.window.get() * 0.7);
        }
    }

    pub(super) fn time_out(&mut self, now: Timestamp) {
        self.reduce(now, CongestionKind::Timeout);
        self.phase = Phase::Timeout;
        self.rate.lost += self.board.give_up();
        self.window.is(now, self.mss());
    }

    pub(super) fn mark_lost(&mut self) {
        if !self.blocks_seen {
            self.rate.lost += self.board.mark_head();
            return;
        }
        let patience = if self.reordering {
            Span::from_nanos(self.rtt.min().unwrap_or(Span::ZERO).as_nanos() / 4)
        } else {
            Span::ZERO
        };
        let lost = self.board.mark_lost(self.newest, patience);
        self.rate.lost += lost;
        self.tell_path_of_loss(self.last_heard.unwrap_or(self.newest), lost);
    }

    fn tell_path_of_loss(&mut self, at: Timestamp, bytes: u64) {
        let (near, mss) = (self.line.is_near(), self.mss());
        if let Some(probe) = &mut self.probe {
            probe.on_lost(at, bytes, mss, near);
        }
    }

    /// Ends a recovery, or takes its reduction back.
    pub(super) fn leave(&mut self, heard: &Heard, now: Timestamp, delivered: &Delivered) {
        if let Some(end) = self.probing
            && heard.ack >= end
        {
            self.probing = None;
            if self.phase == Phase::Open && !heard.dsack && self.board.sacked() == 0 {
                self.reduce(now, CongestionKind::Loss);
                if let Some(threshold) = self.threshold {
                    self.window.cut(threshold, 0.1);
                }
            }
        }
        if self.phase == Phase::Open {
            return;
        }
        let needless = self.undo.as_mut().is_some_and(|undo| {
            undo.duplicates += u32::from(heard.dsack);
            let eifel = match (heard.stamps, undo.first_tsval) {
                (Some((_, echo)), Some(first)) => {
                    delivered.advanced > 0 && echo.wrapping_sub(first).cast_signed() < 0
                }
                _ => false,
            };
            eifel || (undo.resent > 0 && undo.duplicates >= undo.resent)
        });
        if needless {
            let before = self.follower_window();
            if let Some(replicas) = &mut self.replicas {
                replicas.on_spurious(now);
            }
            if let Some(threshold) = self.threshold.take() {
                let restored = match (before, self.follower_window()) {
                    (Some(_), Some(after)) => after as f64,
                    _ => threshold / 0.7,
                };
                self.window.cut(restored, 0.1);
            }
            self.board.forget_losses();
            self.phase = Phase::Open;
            self.undo = None;
            self.board.forget_duplicates();
        } else if self.board.una() >= self.recovery_end {
            let in_flight = self.board.in_flight();
            if let Some(replicas) = &mut self.replicas {
                replicas.on_recovered(now, in_flight);
            }
            if self.phase == Phase::Recovery
                && let Some(threshold) = self.threshold
            {
                self.window.cut(threshold.max(in_flight as f64), 0.1);
            }
            self.phase = Phase::Open;
            self.undo = None;
            self.board.forget_duplicates();
        }
    }

    /// Far from the sender its timer is not seen to fire: nothing came for longer than it waits, while data was outstanding.
    pub(super) fn note_silence(&mut self, now: Timestamp, out: &mut dyn FnMut(Told)) {
        let Some(last) = self.last_sent.max(self.last_heard) else { return };
        if self.line.is_near() || self.board.outstanding() == 0 || self.phase == Phase::Timeout {
            return;
        }
        let fired = last + self.rtt.timeout();
        if fired < now && now.since(fired) > self.line.up() {
            let window = self.mss();
            out(Told::Window(WindowPoint {
                at: fired,
                flight: window,
                band: Some(Band { window, low: window, high: 2 * window }),
                receive: self.receive,
                phase: WindowPhase::Timeout,
            }));
        }
    }
}
