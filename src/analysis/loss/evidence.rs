//! One retransmission whose verdict is open, with all that is known for and against it.

use std::cmp::Ordering;
use std::ops::Range;

use super::scoreboard::Copy;
use crate::report::{Kind, Trigger, Vantage, Verdict};
use crate::units::{Span, Timestamp};

/// A retransmission and its evidence. It is spurious if an earlier copy of its bytes reached the receiver.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub bytes: Range<i64>,
    pub copy: Copy,
    pub kind: Kind,
    pub trigger: Trigger,
    /// Frame of the copy before; `None` where none passed the tap.
    pub original_frame: Option<u64>,
    /// `TSval` of the copy before.
    pub before_tsval: Option<u32>,
    /// Which rule told that it was sent again rather than late; empty where an earlier copy was seen.
    pub resent_by: &'static str,
    /// All its bytes had been acknowledged (also selectively) when it passed.
    pub delivered_before: bool,
    /// Bytes above had been selectively acknowledged when it passed, its own had not.
    pub hole_reported: bool,
    /// When its bytes were first acknowledged after it passed.
    pub delivered: Option<Timestamp>,
    /// The `TSecr` of the acknowledgment that moved past its first byte, against its own `TSval`.
    pub echo: Option<Ordering>,
    /// A duplicate report (RFC 2883) answers this copy.
    pub dsacked: bool,
    /// The acknowledgment of a segment sent before it jumped over its bytes.
    pub jumped: bool,
    /// A copy that was sent before it came after it.
    pub overtaken: bool,
}

/// What is known of the direction beside the retransmission itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Both ends agreed on SACK, so that duplicates are reported.
    pub sack: bool,
    /// Least time from the tap to the receiver and back.
    pub min_down: Option<Span>,
    pub vantage: Vantage,
}

/// A verdict and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ruling {
    pub rule: &'static str,
    pub verdict: Verdict,
    pub confidence: f64,
}

impl Open {
    /// Whether an earlier copy passed the tap.
    pub const fn seen_before(&self) -> bool {
        self.original_frame.is_some()
    }
}
