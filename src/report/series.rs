//! What changes over a connection's time, as rows that are handed out while the capture is read.

use serde::Serialize;

use super::Dir;

/// A row of one of the tables over time.
#[derive(Clone, Debug, PartialEq)]
pub enum SeriesRow {
    /// A round-trip sample.
    Rtt(RttRow),
    /// What is in flight and what may be.
    Window(WindowRow),
    /// A line of the interval table.
    Interval(IntervalRow),
    /// A stretch with one limit.
    Limit(LimitRow),
}

impl SeriesRow {
    /// The connection it belongs to.
    pub const fn connection(&self) -> u64 {
        match self {
            Self::Rtt(row) => row.connection,
            Self::Window(row) => row.connection,
            Self::Interval(row) => row.connection,
            Self::Limit(row) => row.connection,
        }
    }
}

/// What a round-trip sample was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RttSource {
    /// A segment and the ACK that covers it, under Karn's rule (RFC 6298 section 3).
    Ack,
    /// The echo of a timestamp (RFC 7323 section 4).
    Timestamp,
    /// A segment and the SACK block that first reports it (RFC 2018).
    Sack,
    /// SYN and SYN-ACK, or SYN-ACK and ACK.
    Handshake,
}

/// A row of the `rtt` table: one round trip from the data's sender to its receiver and back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RttRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// When the ACK passed the tap, ns since the epoch.
    pub ts_ns: i64,
    /// From the oldest segment it is for, as the sender's own estimator has it (`tcp_ack_update_rtt`): with the time
    /// that a delayed ACK waits. µs.
    pub rtt_us: f64,
    /// From the newest segment it is for: without that time. µs.
    pub newest_us: f64,
    /// What it was taken from.
    pub source: RttSource,
}

/// The state of the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowPhase {
    /// Below the slow-start threshold (RFC 5681 section 3.1).
    SlowStart,
    /// Congestion avoidance.
    Avoidance,
    /// Fast recovery, or the reduction after an ECN echo.
    Recovery,
    /// After a retransmission timeout.
    Timeout,
    /// The window is shut and is being probed.
    Probe,
    /// It cannot be told.
    #[default]
    Unknown,
}

/// A row of the `window` table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// The sender's time, ns since the epoch: that of the packet, moved by the way from the sender where the tap is far from it.
    pub ts_ns: i64,
    /// Sent, and neither acknowledged nor selectively acknowledged nor deemed lost, bytes.
    pub flight_bytes: u64,
    /// Congestion window, bytes; null where nothing tells.
    pub cwnd_bytes: Option<u64>,
    /// Lowest that it may be.
    pub cwnd_low_bytes: Option<u64>,
    /// Highest that it may be.
    pub cwnd_high_bytes: Option<u64>,
    /// Receive window, scaled, bytes; null where its scale is unknown.
    pub rwnd_bytes: Option<u64>,
    /// State of the sender.
    pub phase: WindowPhase,
}

/// A row of the `intervals` table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IntervalRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// Begin, ns since the epoch.
    pub start_ns: i64,
    /// End.
    pub end_ns: i64,
    /// Payload that was new, bytes.
    pub bytes: u64,
    /// The same a second, bits.
    pub throughput_bps: f64,
    /// Packets sent again; a super-segment is as many as it has segments of an MSS (`tcpi_total_retrans`).
    pub retransmitted_packets: u64,
    /// Smoothed RTT at the end (RFC 6298), µs; null without a sample so far.
    pub rtt_us: Option<f64>,
    /// Congestion window at the end, bytes; null where nothing tells.
    pub cwnd_bytes: Option<u64>,
}

/// What held a transfer back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The application had nothing to send, or its send buffer was full of what is not acknowledged.
    Application,
    /// The receiver's window.
    ReceiveWindow,
    /// The congestion window.
    CongestionWindow,
    /// The path is full: a queue stands before the bottleneck.
    Bandwidth,
    /// A fast recovery.
    LossRecovery,
    /// Waiting for a retransmission timer, and the slow start after it.
    Timeout,
    /// The connection was being opened.
    Handshake,
    /// It cannot be told.
    #[default]
    Unknown,
}

impl Limit {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Application,
        Self::ReceiveWindow,
        Self::CongestionWindow,
        Self::Bandwidth,
        Self::LossRecovery,
        Self::Timeout,
        Self::Handshake,
        Self::Unknown,
    ];

    /// For people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::ReceiveWindow => "receive window",
            Self::CongestionWindow => "congestion window",
            Self::Bandwidth => "bandwidth",
            Self::LossRecovery => "loss recovery",
            Self::Timeout => "timeout",
            Self::Handshake => "handshake",
            Self::Unknown => "unknown",
        }
    }
}

/// A row of the `limits` table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LimitRow {
    /// Connection number.
    pub connection: u64,
    /// Direction of the data.
    pub dir: Dir,
    /// Begin, ns since the epoch.
    pub start_ns: i64,
    /// End.
    pub end_ns: i64,
    /// What held it back.
    pub limit: Limit,
    /// Share of the evidence in it that says so, 0 to 1.
    pub score: f64,
}
