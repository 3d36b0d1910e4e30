//! One row for each segment that was sent again, came late, or must have been lost.

use serde::Serialize;

use super::Dir;

/// What the segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Bytes that were sent before, on the wire again.
    Retransmission,
    /// Overtaken on its way, sent once.
    Reordering,
    /// The same packet twice: copied by the network or captured twice.
    Duplicate,
    /// A keep-alive.
    KeepAlive,
    /// A probe of a closed window.
    ZeroWindowProbe,
    /// No hole and no second copy was seen, but a first copy must have been lost before the tap.
    InferredLoss,
    /// Data of a Multipath TCP connection that was sent before, on another subflow or elsewhere on this one (RFC 8684).
    Reinjection,
}

/// What made the sender send again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Three duplicate acknowledgments, or more than two segments selectively acknowledged above (RFC 5681, 6675).
    Fast,
    /// A segment sent later was delivered a reordering window ago (RFC 8985).
    Rack,
    /// The retransmission timer (RFC 6298).
    Rto,
    /// A tail loss probe (RFC 8985 section 7).
    Tlp,
    /// A further segment of a recovery that one of the others began.
    Recovery,
    /// It cannot be told.
    #[default]
    Unknown,
}

/// Whether it was needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No earlier copy reached the receiver.
    Lost,
    /// An earlier copy reached the receiver, or was still going to.
    Spurious,
    /// Arrived late, was not sent again.
    Reordered,
    /// It cannot be told from this capture.
    Undecided,
}

/// A row of the `retransmissions` table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RetransmissionRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// Frame of the segment.
    pub frame: u64,
    /// When it passed the tap, ns since the epoch.
    pub ts_ns: i64,
    /// Stream offset of its first byte; 0 is the first data byte.
    pub offset: i64,
    /// Payload bytes.
    pub len: u32,
    /// What it is.
    pub kind: Kind,
    /// What made the sender send it.
    pub trigger: Trigger,
    /// Whether it was needed; null for kinds of which that is no question.
    pub verdict: Option<Verdict>,
    /// The rule that decided.
    pub evidence: &'static str,
    /// How sure the verdict is, 0 to 1.
    pub confidence: f64,
    /// Frame of the earlier copy; null where the capture has none.
    pub original_frame: Option<u64>,
}
