//! What `join` writes as JSON: what became of the packets between two captures.

use serde::Serialize;

/// Two captures, joined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JoinReport {
    /// [`super::SCHEMA`].
    pub schema: &'static str,
    /// The capture that was named first.
    pub sender: TapReport,
    /// The one named second.
    pub receiver: TapReport,
    /// The receiver's clock against the sender's.
    pub clock: ClockReport,
    /// Connections found in both, in the order of the sender's capture.
    pub connections: Vec<JoinedConnection>,
    /// How right each capture alone was.
    pub scores: Vec<TapScore>,
}

/// One of the captures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TapReport {
    /// The file.
    pub path: String,
    /// Frames read.
    pub frames: u64,
    /// First frame's time, ns since the epoch.
    pub first_ns: Option<i64>,
    /// Last frame's time, ns since the epoch.
    pub last_ns: Option<i64>,
    /// Connections of which no packet is in the other capture.
    pub connections_alone: u64,
    /// Connections finished early, since more were live than `--max-connections` allows or than are followed half open: later packets count as another.
    pub evicted_connections: u64,
}

/// The receiver's clock against the sender's, from the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClockReport {
    /// It was said to be the same clock.
    pub same: bool,
    /// By how much it is ahead at the beginning, µs, if the least delays of both directions are equal; null where no
    /// packet tells.
    pub offset_us: Option<f64>,
    /// The offset can be off by so much either way, µs; null where one direction alone tells.
    pub offset_error_us: Option<f64>,
    /// By how much it runs fast, parts per million; null where it cannot be told from none.
    pub drift_ppm: Option<f64>,
}

/// A connection that is in both captures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JoinedConnection {
    /// Its number in the sender's capture.
    pub connection: u64,
    /// Its number in the receiver's.
    pub second_connection: Option<u64>,
    /// Client's address.
    pub client_ip: String,
    /// Client's port.
    pub client_port: u16,
    /// Server's address.
    pub server_ip: String,
    /// Server's port.
    pub server_port: u16,
    /// First packet in the sender's capture, ns since the epoch.
    pub first_ns: i64,
    /// Last packet there.
    pub last_ns: i64,
    /// What the client sent.
    pub c2s: JoinedDirection,
    /// What the server sent.
    pub s2c: JoinedDirection,
}

/// One direction between the taps. Counts are of packets on the wire: what was captured before segmentation counts as
/// the packets that it becomes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JoinedDirection {
    /// Which capture the packets pass first: `sender` or `receiver`; null where nothing tells.
    pub near: Option<&'static str>,
    /// Packets that passed it.
    pub packets: u64,
    /// Of these, with payload.
    pub data_packets: u64,
    /// Their payload, each copy counted.
    pub data_bytes: u64,
    /// Packets that did not pass the other tap.
    pub lost_packets: u64,
    /// Of these, with payload.
    pub lost_data_packets: u64,
    /// Their payload.
    pub lost_data_bytes: u64,
    /// Of these, with nothing but an acknowledgment.
    pub lost_acks: u64,
    /// Runs of data packets lost one after the other.
    pub loss_events: u64,
    /// Packets of the shortest run; null without losses.
    pub loss_burst_min: Option<u64>,
    /// Packets of the longest run.
    pub loss_burst_max: Option<u64>,
    /// Packets with bytes that had been sent before.
    pub retransmitted_packets: u64,
    /// Those bytes.
    pub retransmitted_bytes: u64,
    /// Retransmissions of which no earlier copy passed the far tap.
    pub needed_packets: u64,
    /// Retransmissions of which an earlier copy of every byte arrived.
    pub spurious_packets: u64,
    /// Retransmissions of which an earlier copy of some bytes arrived.
    pub partly_needed_packets: u64,
    /// Retransmissions of which the captures miss what would tell.
    pub undecided_packets: u64,
    /// Retransmissions of which an earlier copy passed both taps and was lost behind them, by what the far one alone tells.
    pub lost_behind_packets: u64,
    /// Losses ahead of the near tap, as far as it alone can tell.
    pub lost_before_packets: u64,
    /// Data packets that arrived after one sent later.
    pub reordered_packets: u64,
    /// The largest reordering extent (RFC 4737): packets that came since the first that was sent later.
    pub reordering_extent: Option<u64>,
    /// Packets that arrived once more than they were sent.
    pub copied_packets: u64,
    /// Packets marked "congestion experienced" between the taps.
    pub ce_marked_packets: u64,
    /// Packets that arrived and that the near capture misses.
    pub not_captured_near: u64,
    /// Data packets that were acknowledged and that the far capture misses.
    pub not_captured_far: u64,
    /// Packets that passed one tap while the other capture did not run.
    pub outside_packets: u64,
    /// One-way delay from tap to tap; null where no packet is in both.
    pub delay: Option<DelayReport>,
}

/// One-way delays, by the sender's clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DelayReport {
    /// Packets that were timed.
    pub packets: u64,
    /// Least, µs.
    pub min_us: f64,
    /// Median, µs.
    pub p50_us: f64,
    /// Mean, µs.
    pub mean_us: f64,
    /// 95th percentile, µs.
    pub p95_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
    /// Largest, µs.
    pub max_us: f64,
}

/// What one capture alone said, against what both saw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TapScore {
    /// Which capture: `sender` or `receiver`.
    pub capture: &'static str,
    /// Where it stands on the way of the data that is judged: `sender` or `receiver`.
    pub side: &'static str,
    /// Retransmissions and late packets, and what was said and was not there.
    pub judged: u64,
    /// What was said rightly.
    pub right: u64,
    /// That share, 0 to 1.
    pub share_right: f64,
    /// Retransmissions that were needed, called `lost`.
    pub lost: ClassScore,
    /// Retransmissions that were not needed, called `spurious`.
    pub spurious: ClassScore,
    /// Late packets, called `reordered`; judged near the receiver only.
    pub reordered: ClassScore,
}

/// One class of packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassScore {
    /// How many there were.
    pub packets: u64,
    /// The share of them that was called so; null without any.
    pub recall: Option<f64>,
    /// The share of those called so that were; null without any.
    pub precision: Option<f64>,
    /// Those called undecided.
    pub undecided: u64,
    /// Those of which nothing was said.
    pub missed: u64,
    /// What was called so and was not there at all.
    pub made_up: u64,
}
