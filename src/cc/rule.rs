//! What the window-based algorithms have in common: a controller around a rule, for each of the two kernels.
//!
//! A rule says how much to grow and how far to fall; gating, recovery and undo are the kernel's and stand
//! here.

use std::fmt::Debug;

use super::bsd::BsdWindow;
use super::linux::LinuxWindow;
use super::{Acked, Congestion, Controller, Snapshot};
use crate::units::{Bytes, Timestamp};

/// The hooks of Linux's `tcp_congestion_ops`.
pub(super) trait LinuxRule: Debug + Send {
    /// Every ACK, before growth (`pkts_acked`, `in_ack_event`).
    fn measure(&mut self, _window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked) {}

    /// `acked` segments may grow the window (`cong_avoid`).
    fn grow(&mut self, window: &mut LinuxWindow, _now: Timestamp, _ack: &Acked, acked: u32) {
        window.reno(acked);
    }

    /// The threshold after a congestion event (`ssthresh`).
    fn threshold(&mut self, window: &LinuxWindow, _now: Timestamp, _event: &Congestion) -> u32 {
        window.cwnd / 2
    }

    /// After the reduction (`set_state`); also for one that repeats.
    fn reduced(&mut self, _window: &mut LinuxWindow, _now: Timestamp, _event: &Congestion) {}

    /// A recovery is complete (`CA_EVENT_COMPLETE_CWR`).
    fn recovered(&mut self, _window: &mut LinuxWindow, _now: Timestamp) {}
}

/// A Linux window with a rule.
#[derive(Debug)]
pub(super) struct LinuxController<R> {
    window: LinuxWindow,
    rule: R,
}

impl<R: LinuxRule> LinuxController<R> {
    pub(super) const fn new(window: LinuxWindow, rule: R) -> Self {
        Self { window, rule }
    }
}

impl<R: LinuxRule> Controller for LinuxController<R> {
    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        self.rule.measure(&mut self.window, now, ack);
        let acked = self.window.growth(ack);
        if acked > 0 {
            self.rule.grow(&mut self.window, now, ack, acked);
            self.window.bound();
        }
    }

    fn on_congestion(&mut self, now: Timestamp, event: &Congestion) {
        let ssthresh = if event.repeated { 0 } else { self.rule.threshold(&self.window, now, event) };
        self.window.reduce(event, || ssthresh);
        self.rule.reduced(&mut self.window, now, event);
    }

    fn on_recovered(&mut self, now: Timestamp, _in_flight: Bytes) {
        self.rule.recovered(&mut self.window, now);
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.window.undo();
    }

    fn correct(&mut self, window: Bytes) {
        self.window.correct(window);
    }

    fn window(&self) -> Bytes {
        self.window.bytes()
    }

    fn snapshot(&self) -> Snapshot {
        self.window.snapshot()
    }
}

/// The hooks of FreeBSD's `cc_algo`.
pub(super) trait BsdRule: Debug + Send {
    /// Every ACK (`ack_received`); growth is up to the rule.
    fn acked(&mut self, window: &mut BsdWindow, _now: Timestamp, ack: &Acked) {
        window.newreno(ack);
    }

    /// A congestion event (`cong_signal`).
    fn congested(&mut self, window: &mut BsdWindow, _now: Timestamp, event: &Congestion) {
        window.newreno_cut(event);
    }
}

/// A FreeBSD window with a rule.
#[derive(Debug)]
pub(super) struct BsdController<R> {
    window: BsdWindow,
    rule: R,
}

impl<R: BsdRule> BsdController<R> {
    pub(super) const fn new(window: BsdWindow, rule: R) -> Self {
        Self { window, rule }
    }
}

impl<R: BsdRule> Controller for BsdController<R> {
    fn on_ack(&mut self, now: Timestamp, ack: &Acked) {
        self.rule.acked(&mut self.window, now, ack);
    }

    fn on_congestion(&mut self, now: Timestamp, event: &Congestion) {
        self.rule.congested(&mut self.window, now, event);
    }

    fn on_recovered(&mut self, _now: Timestamp, in_flight: Bytes) {
        self.window.recovered(in_flight);
    }

    fn on_spurious(&mut self, _now: Timestamp) {
        self.window.undo();
    }

    fn window(&self) -> Bytes {
        self.window.bytes()
    }

    fn snapshot(&self) -> Snapshot {
        self.window.snapshot()
    }
}
