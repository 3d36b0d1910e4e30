//! One retransmission whose verdict is open, with all that is known for and against it.

use std::cmp::Ordering;
use std::ops::Range;

use super::scoreboard::Copy;
use crate::report::{Kind, Trigger, Vantage, Verdict};
use crate::units::{Span, Timestamp};

/// A retransmission and its evidence. It is spurious if an earlier copy of its bytes reached the receiver.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one piece of evidence, and any of them may hold together"
)]
pub(super) struct Open {
    pub(super) bytes: Range<i64>,
    pub(super) copy: Copy,
    pub(super) kind: Kind,
    pub(super) trigger: Trigger,
    /// Copies that passed the tap before it.
    pub(super) copies_before: u16,
    /// Frame of the copy before; `None` where none passed the tap.
    pub(super) original_frame: Option<u64>,
    /// `TSval` of the copy before.
    pub(super) before_tsval: Option<u32>,
    /// Which rule told that it was sent again rather than late; empty where an earlier copy was seen.
    pub(super) resent_by: &'static str,
    /// All its bytes had been acknowledged (also selectively) when it passed.
    pub(super) delivered_before: bool,
    /// Bytes above had been selectively acknowledged when it passed, its own had not.
    pub(super) hole_reported: bool,
    /// When its bytes were first acknowledged after it passed.
    pub(super) delivered: Option<Timestamp>,
    /// The `TSecr` of the acknowledgment that moved past its first byte, against its own `TSval`.
    pub(super) echo: Option<Ordering>,
    /// A duplicate report (RFC 2883) answers this copy.
    pub(super) dsacked: bool,
    /// The acknowledgment of a segment sent before it jumped over its bytes.
    pub(super) jumped: bool,
    /// A copy that was sent before it came after it.
    pub(super) overtaken: bool,
    /// The copy before came behind a later stamp, which the receiver refuses.
    pub(super) refused_before: bool,
    /// The copy before was followed so closely by something sent again that it may have been refused likewise.
    pub(super) may_be_refused: bool,
    /// After the timeout that sent it, acknowledgments went on for what had been sent once.
    pub(super) went_on: bool,
    /// The frames that tell all this.
    pub(super) witness: Witness,
}

/// Frames of the evidence, by number; 0 is none. Only an explanation reads them.
#[derive(Clone, Debug, Default)]
pub(super) struct Witness {
    /// Acknowledged its bytes first.
    pub(super) delivered: u64,
    /// Moved past its first byte.
    pub(super) echo: u64,
    /// What that one echoed.
    pub(super) tsecr: u32,
    /// Reported its bytes as a duplicate.
    pub(super) duplicate: u64,
    /// The bytes it reported.
    pub(super) reported: Range<i64>,
    /// Jumped over its bytes.
    pub(super) jump: u64,
    /// Went on for data sent before the timeout.
    pub(super) went_on: u64,
}

/// What is known of the direction beside the retransmission itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Both ends agreed on SACK, so that duplicates are reported.
    pub(super) sack: bool,
    /// Least time from the tap to the receiver and back.
    pub(super) min_down: Option<Span>,
    pub(super) vantage: Vantage,
    /// Something came late or was sent again without need: the path does not keep the order.
    pub(super) reorders: bool,
}

/// A verdict and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ruling {
    pub(super) rule: &'static str,
    pub(super) verdict: Verdict,
    pub(super) confidence: f64,
}

impl Open {
    /// Whether an earlier copy passed the tap.
    pub(super) const fn seen_before(&self) -> bool {
        self.original_frame.is_some()
    }
}
