//! What went by in one period of an endless capture.

use serde::Serialize;

/// A stretch of the capture's own time, told as soon as it is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PeriodRow {
    /// Where it begins, ns since the epoch.
    pub start_ns: i64,
    /// Where it ends, ns since the epoch.
    pub end_ns: i64,
    /// Frames in it.
    pub frames: u64,
    /// Bytes of these frames on the wire.
    pub bytes: u64,
    /// Bytes over time, bits a second.
    pub throughput_bps: f64,
    /// Connections that began in it.
    pub connections_started: u64,
    /// Connections that were finished in it.
    pub connections_finished: u64,
    /// Connections that are followed at its end.
    pub connections_live: u64,
    /// Retransmissions whose verdict became final in it.
    pub retransmitted_packets: u64,
    /// Of these, sent again since the first copy was lost.
    pub lost_packets: u64,
    /// Of these, needless.
    pub spurious_packets: u64,
    /// Of these, undecided.
    pub undecided_packets: u64,
    /// Packets that were found to have come late, not sent again.
    pub reordered_packets: u64,
    /// Losses that left no retransmission in the capture but other traces.
    pub inferred_losses: u64,
}
