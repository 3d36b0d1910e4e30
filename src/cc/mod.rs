//! Congestion control: events in, a window (and perhaps a pacing rate) out.
//!
//! One [`Controller`] serves the path simulator, which drives it with simulated ACKs, and the analysis, which
//! drives it with those of a capture. It does no I/O; time is an argument and randomness comes from
//! [`CcSetup::seed`]. One file holds one algorithm, and [`ALGORITHMS`] lists them: help, documentation and
//! tests are derived from it.
//!
//! Loss detection and the sending rate within a recovery (proportional rate reduction, RACK) are not here:
//! they belong to the sender ([`crate::sim`]), and the same algorithm behaves differently behind each.

// Windows stay far below 2^32 segments, and where a float becomes a count `as` saturates, which is wanted.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod bbr;
mod bbr3;
mod bic;
mod bsd;
mod cdg;
mod chd;
mod cubic;
mod dctcp;
mod ertt;
mod event;
mod filter;
mod hd;
mod highspeed;
mod htcp;
mod hybla;
mod hystart;
mod illinois;
mod linux;
mod lp;
mod nv;
pub(crate) mod random;
mod reno;
mod round;
mod rule;
mod scalable;
mod vegas;
mod veno;
mod westwood;
mod yeah;

pub use event::{Acked, CcSetup, Congestion, CongestionKind, Phase, RateSample, Sent, Snapshot, Stack};

use crate::units::{Bytes, Rate, Timestamp};

/// The state of one congestion-control algorithm on one connection.
pub trait Controller: std::fmt::Debug + Send {
    /// A data segment leaves the sender.
    fn on_sent(&mut self, _now: Timestamp, _sent: &Sent) {}

    /// An ACK arrived; called once for each ACK, after [`Controller::on_congestion`] if that applies too.
    fn on_ack(&mut self, now: Timestamp, ack: &Acked);

    /// The window must fall: a loss recovery begins, an ECN echo was seen, or the retransmission timer fired.
    fn on_congestion(&mut self, now: Timestamp, event: &Congestion);

    /// A recovery ends with `in_flight` bytes in the network; the window was already set when it began.
    fn on_recovered(&mut self, _now: Timestamp, _in_flight: Bytes) {}

    /// The last reduction proved needless (DSACK, or the Eifel test on timestamps).
    fn on_spurious(&mut self, _now: Timestamp) {}

    /// The window is known from elsewhere: a capture has shown it. What the algorithm remembers of the past stays.
    fn correct(&mut self, _window: Bytes) {}

    /// How much may be in flight.
    fn window(&self) -> Bytes;

    /// How fast to send, where the algorithm says so itself.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// Whether the algorithm sets the window during recovery too, in place of the sender's rate reduction.
    fn governs_recovery(&self) -> bool {
        false
    }

    /// What a plot or a report shows.
    fn snapshot(&self) -> Snapshot;
}

/// A row of [`ALGORITHMS`].
pub trait Algorithm: Sync {
    /// The `--cc` value: the kernels' own name.
    fn name(&self) -> &'static str;

    /// Other names it is known by.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Where it is specified.
    fn reference(&self) -> &'static str;

    /// Whether it asks for ECN on every connection, as DCTCP does.
    fn wants_ecn(&self) -> bool {
        false
    }

    /// How many senders run it.
    fn prevalence(&self) -> Prevalence {
        Prevalence::Rare
    }

    /// Whether Linux has it too, or FreeBSD alone.
    fn is_in_linux(&self) -> bool {
        true
    }

    /// Its state at the start of a connection.
    fn start(&self, setup: &CcSetup) -> Box<dyn Controller>;
}

/// How many senders run an algorithm, roughly: what must be weighed when one is inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prevalence {
    /// Operating systems and large services use it by default.
    Usual,
    /// Chosen on purpose by some.
    Known,
    /// Hardly anybody.
    Rare,
}

/// Every algorithm.
pub static ALGORITHMS: &[&dyn Algorithm] = &[
    &reno::Reno,
    &cubic::Cubic,
    &bbr::Bbr,
    &bbr3::Bbr3,
    &vegas::Vegas,
    &htcp::Htcp,
    &dctcp::Dctcp,
    &cdg::Cdg,
    &hd::Hd,
    &chd::Chd,
    &westwood::Westwood,
    &illinois::Illinois,
    &highspeed::HighSpeed,
    &scalable::Scalable,
    &bic::Bic,
    &hybla::Hybla,
    &veno::Veno,
    &yeah::Yeah,
    &lp::Lp,
    &nv::Nv,
];

/// The algorithm of that name or alias.
pub fn algorithm(name: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|row| row.name() == name || row.aliases().contains(&name))
}
