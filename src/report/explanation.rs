//! What `explain` writes as JSON: all that is known of one frame.

use serde::Serialize;

use super::{Dir, Kind, Trigger, Verdict};

/// One frame of a capture, explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// Its number, from 1.
    pub frame: u64,
    /// When it was captured, ns since the epoch.
    pub ts_ns: i64,
    /// What it is: `new_data`, `hole_before`, `retransmission`, `reordering`, `duplicate`, `keep_alive`,
    /// `zero_window_probe`, `inferred_loss`, `late_in_capture`, `unplaced_data`, `acknowledgment`, `duplicate_ack`, `syn`,
    /// `syn_repeat`, `fin`, `fin_repeat`, `rst`, `skipped`.
    pub what: &'static str,
    /// What that means.
    pub meaning: &'static str,
    /// Why it holds no TCP segment; null if it holds one.
    pub skip_reason: Option<&'static str>,
    /// The segment; null if there is none.
    pub segment: Option<SegmentReport>,
    /// Frame of which a `duplicate` is a second capture; null where that is not known.
    pub duplicate_of: Option<u64>,
    /// Which copy of its bytes it is; null where the question does not arise.
    pub copy: Option<CopyReport>,
    /// What made the sender send it again; null where it did not.
    pub cause: Option<Cause>,
    /// The verdict; null where there is none to be given.
    pub verdict: Option<VerdictReport>,
    /// The rules in the order in which they were tried.
    pub rules: Vec<RuleReport>,
    /// What other programs call it.
    pub peers: Vec<PeerReport>,
}

/// A segment and its place in its connection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SegmentReport {
    /// Connection number, as `analyze` counts.
    pub connection: u64,
    /// Direction.
    pub dir: Dir,
    /// Sender, address and port.
    pub src: String,
    /// Receiver.
    pub dst: String,
    /// VLANs and tunnels around it; null where there are none.
    pub encap: Option<String>,
    /// Names of its flags.
    pub flags: Vec<&'static str>,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number; null without ACK.
    pub ack: Option<u32>,
    /// Stream offset of its first byte; 0 is the first data byte. Null for second captures.
    pub offset: Option<i64>,
    /// Payload bytes.
    pub len: u32,
    /// Of these, bytes that were never seen before.
    pub fresh_bytes: Option<u32>,
    /// What it acknowledges, as a stream offset of the other direction.
    pub ack_offset: Option<i64>,
    /// Its window in bytes, scaled if the shift is known.
    pub window_bytes: u64,
    /// Whether the shift is known.
    pub window_scaled: bool,
    /// `TSval`.
    pub tsval: Option<u32>,
    /// `TSecr`.
    pub tsecr: Option<u32>,
    /// SACK blocks as they stand in the header.
    pub sack: Vec<[u32; 2]>,
    /// Whether they report a duplicate (RFC 2883).
    pub dsack: bool,
    /// Other options, in words.
    pub options: Vec<String>,
    /// IPv4 identification.
    pub ip_id: Option<u16>,
    /// The ECN field is CE.
    pub ecn_ce: bool,
}

/// Which copy of its bytes a segment is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CopyReport {
    /// Its number: 1 if no earlier copy passed the tap.
    pub number: u16,
    /// Frame of the first copy.
    pub first_frame: Option<u64>,
    /// Frame of the latest copy before it.
    pub before_frame: Option<u64>,
    /// How long before it that passed, ns.
    pub before_ns: Option<i64>,
    /// Frame that passed over its bytes and so showed that they were missing.
    pub hole_shown_by: Option<u64>,
    /// First and after-last offset of that hole.
    pub hole: Option<[i64; 2]>,
}

/// What the sender knew when it sent again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// Why it did.
    pub trigger: Trigger,
    /// How long it had neither sent nor heard anything, ns.
    pub silence_ns: i64,
    /// Duplicate acknowledgments in a row before it.
    pub duplicate_acks: u32,
    /// Bytes selectively acknowledged above it.
    pub sacked_above: u64,
    /// Smoothed round trip, ns.
    pub round_trip_ns: i64,
    /// The retransmission timeout that the sender should have (RFC 6298), ns.
    pub timeout_ns: i64,
    /// It begins at the first byte that is not acknowledged.
    pub first_outstanding: bool,
    /// It is the last that was sent.
    pub last_sent: bool,
}

/// The row of the `retransmissions` table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictReport {
    /// What the segment is.
    pub kind: Kind,
    /// Whether it was needed; null for kinds of which that is no question.
    pub verdict: Option<Verdict>,
    /// The rule that decided.
    pub evidence: &'static str,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

/// Whether a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It had nothing to look at, or was not needed.
    NotAsked,
}

/// A rule and what it saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleReport {
    /// Its name.
    pub id: &'static str,
    /// What it looks at.
    pub about: &'static str,
    /// Whether it holds.
    pub outcome: Outcome,
    /// Whether it gave the verdict.
    pub decides: bool,
    /// What it saw.
    pub saw: String,
}

/// What another program calls a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeerReport {
    /// The program.
    pub program: &'static str,
    /// The version whose rules these are.
    pub version: &'static str,
    /// What it calls the frame, in its own words; empty for nothing in particular.
    pub calls: Vec<PeerCall>,
}

/// One word of another program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PeerCall {
    /// The word.
    pub name: &'static str,
    /// Why, by its published rules.
    pub why: String,
}

impl Outcome {
    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotAsked => "-",
        }
    }
}
