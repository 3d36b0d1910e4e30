//! One connection.

use serde::{Deserialize, Serialize};

use super::prediction::PredictionRow;
use super::{DirectionReport, PathRow};

/// How it was decided who is the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RoleBasis {
    /// The client sent the SYN.
    Syn,
    /// The server sent a SYN/ACK; the SYN is not in the capture.
    SynAck,
    /// Both sent a SYN; the client's came first.
    SimultaneousOpen,
    /// No handshake: the server has the port that is more likely a service's.
    Port,
    /// No handshake and ports that tell nothing: the client was seen first.
    #[default]
    FirstSeen,
}

/// How far the connection had come when it was last seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// A SYN without an answer.
    #[default]
    SynSent,
    /// A SYN/ACK without the ACK that completes the handshake.
    SynReceived,
    /// Open.
    Established,
    /// One side has sent its FIN.
    HalfClosed,
    /// Both FINs were acknowledged.
    Closed,
    /// Ended by RST.
    Reset,
    /// The SYN was answered with RST.
    Refused,
}

impl ConnectionState {
    /// A handshake without its end.
    pub const fn is_half_open(self) -> bool {
        matches!(self, Self::SynSent | Self::SynReceived)
    }
}

/// What ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// The client's FIN came first.
    ClientFin,
    /// The server's FIN came first.
    ServerFin,
    /// The client reset it.
    ClientRst,
    /// The server reset it.
    ServerRst,
}

/// The handshake as the capture point saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandshakeReport {
    /// SYN to SYN/ACK, µs: the round trip between the capture point and the server. Null where the SYN was repeated.
    pub server_rtt_us: Option<f64>,
    /// SYN/ACK to the client's first ACK, µs: the round trip between the capture point and the client.
    pub client_rtt_us: Option<f64>,
    /// Their sum, µs: the whole round trip.
    pub rtt_us: Option<f64>,
    /// SYNs beyond the first.
    pub syn_retransmissions: u32,
    /// SYN/ACKs beyond the first.
    pub syn_ack_retransmissions: u32,
}

/// One connection, its two directions as `c2s` and `s2c`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConnectionReport {
    /// Number, from 0 in order of the first packet.
    pub connection: u64,
    /// The client's address.
    pub client_ip: String,
    /// The client's port.
    pub client_port: u16,
    /// The server's address.
    pub server_ip: String,
    /// The server's port.
    pub server_port: u16,
    /// How client and server were told apart.
    pub role_basis: RoleBasis,
    /// VLANs and tunnels around it, outermost first; null for none.
    pub encapsulation: Option<String>,
    /// First packet, ns since the epoch.
    pub first_ns: i64,
    /// Last packet, ns since the epoch.
    pub last_ns: i64,
    /// Frame of the first packet.
    pub first_frame: u64,
    /// Packets in both directions, without duplicate captures.
    pub packets: u64,
    /// How far it had come.
    pub state: ConnectionState,
    /// What ended it; null if it was still open.
    pub closed_by: Option<ClosedBy>,
    /// The same addresses and ports had an earlier connection in this trace.
    pub port_reused: bool,
    /// Finished early, since more connections were live than `--max-connections` allows, or, of half-open ones, than are followed.
    pub evicted: bool,
    /// The handshake.
    pub handshake: HandshakeReport,
    /// Requests that were answered: turns of the side that sent data first; null where nobody answered.
    pub transactions: Option<u64>,
    /// From the first byte of a request to the last of its response, median, µs.
    pub transaction_p50_us: Option<f64>,
    /// 95th percentile.
    pub transaction_p95_us: Option<f64>,
    /// 99th percentile.
    pub transaction_p99_us: Option<f64>,
    /// From the last byte of a request to the first of its response at the tap, median, µs.
    pub turnaround_p50_us: Option<f64>,
    /// 95th percentile.
    pub turnaround_p95_us: Option<f64>,
    /// 99th percentile.
    pub turnaround_p99_us: Option<f64>,
    /// What held the larger direction back and what to try, in a sentence or two; null where too little was sent.
    pub diagnosis: Option<String>,
    /// Client to server.
    pub c2s: DirectionReport,
    /// Server to client.
    pub s2c: DirectionReport,
    /// The paths of its bulk transfers; empty without one.
    pub paths: Vec<PathRow>,
    /// What each algorithm would have got on them, best first; empty where nothing was predicted.
    pub predictions: Vec<PredictionRow>,
}

impl ConnectionReport {
    /// From first to last packet, ns.
    pub const fn duration_ns(&self) -> i64 {
        self.last_ns.saturating_sub(self.first_ns)
    }

    /// Payload bytes in both directions, each counted once.
    pub const fn unique_bytes(&self) -> u64 {
        self.c2s.unique_bytes + self.s2c.unique_bytes
    }
}
