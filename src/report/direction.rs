//! One direction of a connection: what its sender sent.

use serde::{Deserialize, Serialize};

use super::Limit;

/// Where the capture point stands on the path of this direction's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Vantage {
    /// Near the data's sender.
    Sender,
    /// Near the data's receiver.
    Receiver,
    /// In between.
    Middle,
    /// It cannot be told.
    #[default]
    Unknown,
}

/// What became of Explicit Congestion Notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ecn {
    /// Not asked for, or refused.
    Off,
    /// Classic ECN (RFC 3168), agreed by both.
    Classic,
    /// Accurate ECN (RFC 9768), agreed by both.
    Accurate,
    /// Asked for; the answer is not in the capture or was no.
    Requested,
}

impl DirectionReport {
    /// The share of the time with this limit.
    pub const fn limit_mut(&mut self, limit: Limit) -> &mut Option<f64> {
        match limit {
            Limit::Application => &mut self.limit_application,
            Limit::ReceiveWindow => &mut self.limit_receive_window,
            Limit::CongestionWindow => &mut self.limit_congestion_window,
            Limit::Bandwidth => &mut self.limit_bandwidth,
            Limit::LossRecovery => &mut self.limit_loss_recovery,
            Limit::Timeout => &mut self.limit_timeout,
            Limit::Handshake => &mut self.limit_handshake,
            Limit::Unknown => &mut self.limit_unknown,
        }
    }

    /// The same, to read.
    pub const fn limit(&self, limit: Limit) -> Option<f64> {
        match limit {
            Limit::Application => self.limit_application,
            Limit::ReceiveWindow => self.limit_receive_window,
            Limit::CongestionWindow => self.limit_congestion_window,
            Limit::Bandwidth => self.limit_bandwidth,
            Limit::LossRecovery => self.limit_loss_recovery,
            Limit::Timeout => self.limit_timeout,
            Limit::Handshake => self.limit_handshake,
            Limit::Unknown => self.limit_unknown,
        }
    }

    /// Each limit with its share of the time, the largest first; empty without data.
    pub fn limits(&self) -> Vec<(Limit, f64)> {
        let shares = Limit::ALL.into_iter().filter_map(|limit| Some((limit, self.limit(limit)?)));
        let mut known: Vec<_> = shares.filter(|(_, share)| *share > 0.0).collect();
        known.sort_by(|a, b| b.1.total_cmp(&a.1));
        known
    }
}

/// One direction. Counts are of packets as captured, without duplicate captures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionReport {
    /// Packets.
    pub packets: u64,
    /// Bytes of their frames on the wire.
    pub wire_bytes: u64,
    /// Packets with payload.
    pub data_packets: u64,
    /// Payload bytes, each copy counted.
    pub data_bytes: u64,
    /// Payload bytes seen, each counted once; keep-alive bytes and RST text not among them.
    pub unique_bytes: u64,
    /// Stream bytes from the first to the last known, seen or acknowledged (tcptrace's "ttl stream length").
    pub stream_bytes: Option<u64>,
    /// Packets with the ACK flag.
    pub ack_packets: u64,
    /// Packets with nothing but an acknowledgment.
    pub pure_acks: u64,
    /// Packets with PSH and payload.
    pub push_packets: u64,
    /// Packets with SYN.
    pub syn_packets: u64,
    /// Packets with FIN.
    pub fin_packets: u64,
    /// Packets with RST.
    pub rst_packets: u64,
    /// Packets with URG.
    pub urgent_packets: u64,
    /// Payload bytes of RST packets: diagnostic text, not stream data (RFC 9293 section 3.5.3).
    pub rst_payload_bytes: u64,
    /// Retransmitted packets; null until loss is analysed.
    pub retransmitted_packets: Option<u64>,
    /// Bytes in them that had been sent before.
    pub retransmitted_bytes: Option<u64>,
    /// Retransmissions whose earlier copy was lost.
    pub lost_packets: Option<u64>,
    /// Retransmissions whose earlier copy arrived.
    pub spurious_packets: Option<u64>,
    /// Retransmissions of which it cannot be told.
    pub undecided_packets: Option<u64>,
    /// Packets that arrived late without being sent again.
    pub reordered_packets: Option<u64>,
    /// Losses inferred without a hole or a second copy.
    pub inferred_losses: Option<u64>,
    /// Packets with data of a Multipath TCP connection that another subflow had carried before; no loss of this one.
    pub reinjected_packets: u64,
    /// Packets on the wire that the data are: a segment above the MSS counts as those that it becomes.
    pub data_segments: Option<u64>,
    /// Of these, sent again.
    pub retransmitted_segments: Option<u64>,
    /// Of these, the earlier copy was lost.
    pub lost_segments: Option<u64>,
    /// Of these, the earlier copy arrived.
    pub spurious_segments: Option<u64>,
    /// Runs of packets that were lost one after the other.
    pub loss_events: Option<u64>,
    /// Packets (on the wire) of the shortest run; null without losses.
    pub loss_burst_min: Option<u64>,
    /// Packets of the longest run.
    pub loss_burst_max: Option<u64>,
    /// Bytes sent again, of each payload byte; null without payload.
    pub retransmission_overhead: Option<f64>,
    /// Retransmissions for each one that was needed; null where none was.
    pub retransmissions_per_loss: Option<f64>,
    /// Acknowledgments without data that repeat the last one while data is outstanding (RFC 5681 section 2).
    pub duplicate_acks: u64,
    /// Packets with SACK blocks.
    pub sack_acks: u64,
    /// Packets whose SACK blocks report a duplicate (RFC 2883).
    pub dsack_acks: u64,
    /// Most SACK blocks in one packet.
    pub max_sack_blocks: u8,
    /// Packets that say the window is shut (SYN, FIN and RST aside).
    pub zero_windows: u64,
    /// Times the window was shut after it had been open.
    pub zero_window_events: u64,
    /// How long the window was shut, µs.
    pub zero_window_us: f64,
    /// Probes of a closed window.
    pub zero_window_probes: u64,
    /// Keep-alive packets (RFC 9293 section 3.8.4).
    pub keep_alives: u64,
    /// MSS option of the SYN, bytes.
    pub mss: Option<u16>,
    /// Largest segment seen, payload bytes.
    pub segment_max: Option<u32>,
    /// Smallest segment seen, payload bytes.
    pub segment_min: Option<u32>,
    /// Packets with more payload than the peer's MSS allows on the wire.
    pub super_segments: u64,
    /// Packets whose sequence numbers lie so far off that they are no part of the stream (corrupt or forged).
    pub out_of_window_packets: u64,
    /// Window scale of the SYN; null without the option or without the SYN.
    pub window_scale: Option<u8>,
    /// Whether the SYN allowed SACK; null without the SYN.
    pub sack_permitted: Option<bool>,
    /// Whether segments carry timestamps; null where no header tells.
    pub timestamps: Option<bool>,
    /// ECN; null without a handshake.
    pub ecn: Option<Ecn>,
    /// Packets marked CE on the way.
    pub ce_packets: u64,
    /// Packets with ECE after the handshake.
    pub ece_packets: u64,
    /// Packets with CWR after the handshake.
    pub cwr_packets: u64,
    /// Fast Open (RFC 7413): "request", "cookie" or "data"; null where it was not used.
    pub fast_open: Option<&'static str>,
    /// Multipath TCP options were seen.
    pub mptcp: bool,
    /// Largest receive window offered, bytes; unscaled with `window_scale_known` false.
    pub window_max_bytes: Option<u64>,
    /// Smallest receive window offered (RST aside), bytes.
    pub window_min_bytes: Option<u64>,
    /// Whether the windows could be scaled: both SYNs were seen, or neither side scales.
    pub window_scale_known: bool,
    /// Payload bytes sent before the first acknowledgment of any of them came back: the initial window, at a tap near the sender.
    pub initial_window_bytes: Option<u64>,
    /// Most bytes in flight.
    pub flight_max_bytes: Option<u64>,
    /// Bytes acknowledged by the receiver that the capture does not hold.
    pub unseen_bytes: u64,
    /// Stretches of such bytes.
    pub unseen_gaps: u64,
    /// Payload bytes not captured because of the snap length.
    pub cut_bytes: u64,
    /// Second captures of packets of this direction, left out of the counts above.
    pub duplicates: u64,
    /// Longest time between two packets, µs.
    pub idle_max_us: Option<f64>,
    /// First packet with payload, ns since the epoch.
    pub first_data_ns: Option<i64>,
    /// Last packet with payload, ns since the epoch.
    pub last_data_ns: Option<i64>,
    /// Lowest TTL or hop limit.
    pub ttl_min: Option<u8>,
    /// Highest TTL or hop limit.
    pub ttl_max: Option<u8>,
    /// The sender's system by the options and the TTL of its SYN: linux, freebsd, macos or windows; null where that does not tell.
    pub sender_os: Option<&'static str>,
    /// Ticks a second of its timestamps, as they were over a second or more.
    pub timestamp_hz: Option<f64>,
    /// Where the capture point stands on this direction's path.
    pub vantage: Vantage,
    /// Round-trip samples; null until RTT is analysed.
    pub rtt_samples: Option<u64>,
    /// Smallest, µs.
    pub rtt_min_us: Option<f64>,
    /// Median, µs.
    pub rtt_p50_us: Option<f64>,
    /// Mean, µs.
    pub rtt_mean_us: Option<f64>,
    /// 95th percentile, µs.
    pub rtt_p95_us: Option<f64>,
    /// Largest, µs.
    pub rtt_max_us: Option<f64>,
    /// Unique payload bits a second, from the first data packet to the last data or its acknowledgment.
    pub goodput_bps: Option<f64>,
    /// Bits on the wire a second, over the same time.
    pub throughput_bps: Option<f64>,
    /// Acknowledgments that gave no round-trip sample since their data was sent more than once and no timestamp told which
    /// copy they are for (Karn's rule, RFC 6298 section 3); null without data.
    pub rtt_refused_ambiguous: Option<u64>,
    /// Since their data is not in the capture, or was reported by SACK before.
    pub rtt_refused_unmatched: Option<u64>,
    /// Since they are stamped before their data.
    pub rtt_refused_backwards: Option<u64>,
    /// What the smallest RTT of the path and the mean are apart, µs: the queue on the way, on average.
    pub rtt_queue_us: Option<f64>,
    /// The retransmission timeout that a Linux sender must have at the end (RFC 6298), µs.
    pub rto_us: Option<f64>,
    /// Share of the time in which the application held the sender back, 0 to 1; null without data.
    pub limit_application: Option<f64>,
    /// In which the receive window did.
    pub limit_receive_window: Option<f64>,
    /// In which the congestion window did.
    pub limit_congestion_window: Option<f64>,
    /// In which the path was full.
    pub limit_bandwidth: Option<f64>,
    /// In which a recovery was under way.
    pub limit_loss_recovery: Option<f64>,
    /// In which a retransmission timer was waited for, or the slow start after it went on.
    pub limit_timeout: Option<f64>,
    /// In which the connection was being opened.
    pub limit_handshake: Option<f64>,
    /// Of which it cannot be told.
    pub limit_unknown: Option<f64>,
    /// The sender's congestion control; null until it is identified.
    pub cc_identified: Option<String>,
    /// How sure that is, 0 to 1.
    pub cc_confidence: Option<f64>,
    /// Congestion controls with the mean error of their replicas, best first; empty where too little was sent. Not serialized.
    #[serde(skip)]
    pub cc_ranking: Vec<(&'static str, f64)>,
}
