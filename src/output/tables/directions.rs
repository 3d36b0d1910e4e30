//! The `directions` table.

use super::column::{Column, Int, boolean, choice, float, int, text};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::{Dir, DirectionReport};

/// The row of [`super::TABLES`].
pub(super) static DIRECTIONS: TableOf<DirectionRow> = TableOf {
    name: "directions",
    about: "Two rows for each connection: what its client sent, then what its server sent.",
    // The client's direction comes first and the sort keeps the order of equals.
    sort: &["connection"],
    rows: |finding, row| {
        if let Finding::Connection(connection) = finding {
            for (dir, report) in [(Dir::C2s, &connection.c2s), (Dir::S2c, &connection.s2c)] {
                row(&DirectionRow { connection: connection.connection, dir, report: report.clone() });
            }
        }
    },
    columns: COLUMNS,
};

/// One direction and whose it is.
pub(super) struct DirectionRow {
    connection: u64,
    dir: Dir,
    report: DirectionReport,
}

const COLUMNS: &[Column<DirectionRow>] = &[
    int("connection", "", "Number of the connection.", |row| row.connection.int()),
    choice("dir", &["c2s", "s2c"], "From client to server or from server to client.", |row| {
        Some(row.dir.name())
    }),
    int("packets", "packets", "All of them, without duplicate captures.", |row| row.report.packets.int()),
    int("wire_bytes", "bytes", "Their frames as they were on the wire.", |row| row.report.wire_bytes.int()),
    int("data_packets", "packets", "Those with payload.", |row| row.report.data_packets.int()),
    int("data_bytes", "bytes", "Payload, each copy counted.", |row| row.report.data_bytes.int()),
    int(
        "unique_bytes",
        "bytes",
        "Payload seen, each byte counted once; keep-alive bytes and RST text are not among them.",
        |row| row.report.unique_bytes.int(),
    ),
    int("retransmitted_packets", "packets", "Retransmissions; null where loss was not analysed.", |row| {
        row.report.retransmitted_packets.int()
    }),
    int("retransmitted_bytes", "bytes", "Bytes in them that had been sent before.", |row| {
        row.report.retransmitted_bytes.int()
    }),
    int("lost_packets", "packets", "Retransmissions whose earlier copy was lost.", |row| {
        row.report.lost_packets.int()
    }),
    int("spurious_packets", "packets", "Retransmissions whose earlier copy arrived.", |row| {
        row.report.spurious_packets.int()
    }),
    int("undecided_packets", "packets", "Retransmissions of which it cannot be told.", |row| {
        row.report.undecided_packets.int()
    }),
    int("reordered_packets", "packets", "Packets that arrived late without being sent again.", |row| {
        row.report.reordered_packets.int()
    }),
    int("inferred_losses", "packets", "Losses inferred without a hole or a second copy.", |row| {
        row.report.inferred_losses.int()
    }),
    int(
        "duplicate_acks",
        "packets",
        "Acknowledgments without data that repeat the last one while data is outstanding (RFC 5681 section 2).",
        |row| row.report.duplicate_acks.int(),
    ),
    int("sack_acks", "packets", "Packets with SACK blocks.", |row| row.report.sack_acks.int()),
    int("dsack_acks", "packets", "Packets whose SACK blocks report a duplicate (RFC 2883).", |row| {
        row.report.dsack_acks.int()
    }),
    int("zero_windows", "packets", "Packets that say the window is shut (SYN, FIN and RST aside).", |row| {
        row.report.zero_windows.int()
    }),
    int("mss", "bytes", "MSS option of the SYN.", |row| row.report.mss.int()),
    int(
        "window_scale",
        "bits",
        "Window scale of the SYN; null without the option or without the SYN.",
        |row| row.report.window_scale.int(),
    ),
    boolean("sack_permitted", "Whether the SYN allowed SACK; null without the SYN.", |row| {
        row.report.sack_permitted
    }),
    boolean("timestamps", "Whether segments carry timestamps; null where no header tells.", |row| {
        row.report.timestamps
    }),
    choice(
        "ecn",
        &["off", "classic", "accurate", "requested"],
        "Explicit Congestion Notification: not used, as of RFC 3168, as of RFC 9768, or asked for without a yes; null without a handshake.",
        |row| word(row.report.ecn),
    ),
    choice(
        "vantage",
        &["sender", "receiver", "middle", "unknown"],
        "Where the capture point stands on the path of this direction's data.",
        |row| word(row.report.vantage),
    ),
    int("rtt_samples", "samples", "Round-trip samples; null where RTT was not analysed.", |row| {
        row.report.rtt_samples.int()
    }),
    float("rtt_min_us", "µs", "Smallest round trip.", |row| row.report.rtt_min_us),
    float("rtt_p50_us", "µs", "Median.", |row| row.report.rtt_p50_us),
    float("rtt_mean_us", "µs", "Mean.", |row| row.report.rtt_mean_us),
    float("rtt_p95_us", "µs", "95th percentile.", |row| row.report.rtt_p95_us),
    float("rtt_max_us", "µs", "Largest.", |row| row.report.rtt_max_us),
    float(
        "goodput_bps",
        "bit/s",
        "Unique payload, from the first data packet to the last data or its acknowledgment.",
        |row| row.report.goodput_bps,
    ),
    float("throughput_bps", "bit/s", "Everything on the wire, over the same time.", |row| {
        row.report.throughput_bps
    }),
    int("flight_max_bytes", "bytes", "Most in flight.", |row| row.report.flight_max_bytes.int()),
    text("cc_identified", "The sender's congestion control; null until it is identified.", |row| {
        row.report.cc_identified.as_deref()
    }),
    float("cc_confidence", "", "How sure that is, 0 to 1.", |row| row.report.cc_confidence),
    // From here on more than the contract asks for.
    int(
        "rtt_refused_ambiguous",
        "packets",
        "Acknowledgments without a sample: their data was sent more than once (Karn's rule).",
        |row| row.report.rtt_refused_ambiguous.int(),
    ),
    int(
        "rtt_refused_unmatched",
        "packets",
        "Without a sample: their data is not in the capture, or was reported by SACK before.",
        |row| row.report.rtt_refused_unmatched.int(),
    ),
    int("rtt_refused_backwards", "packets", "Without a sample: stamped before their data.", |row| {
        row.report.rtt_refused_backwards.int()
    }),
    float(
        "rtt_queue_us",
        "µs",
        "Mean round trip less the smallest: the queue on the way, on average.",
        |row| row.report.rtt_queue_us,
    ),
    float(
        "rto_us",
        "µs",
        "Retransmission timeout that a Linux sender must have at the end (RFC 6298).",
        |row| row.report.rto_us,
    ),
    float(
        "limit_application",
        "",
        "Share of the time in which the application held the sender back.",
        |row| row.report.limit_application,
    ),
    float("limit_receive_window", "", "In which the receive window did.", |row| {
        row.report.limit_receive_window
    }),
    float("limit_congestion_window", "", "In which the congestion window did.", |row| {
        row.report.limit_congestion_window
    }),
    float("limit_bandwidth", "", "In which the path was full.", |row| row.report.limit_bandwidth),
    float("limit_loss_recovery", "", "In which a recovery was under way.", |row| {
        row.report.limit_loss_recovery
    }),
    float(
        "limit_timeout",
        "",
        "In which a timer was waited for, or the slow start after it went on.",
        |row| row.report.limit_timeout,
    ),
    float("limit_handshake", "", "In which the connection was being opened.", |row| {
        row.report.limit_handshake
    }),
    float("limit_unknown", "", "Of which it cannot be told.", |row| row.report.limit_unknown),
    int(
        "stream_bytes",
        "bytes",
        "Of the stream, from the first to the last known, seen or acknowledged.",
        |row| row.report.stream_bytes.int(),
    ),
    int("ack_packets", "packets", "Packets with the ACK flag.", |row| row.report.ack_packets.int()),
    int("pure_acks", "packets", "Packets with nothing but an acknowledgment.", |row| {
        row.report.pure_acks.int()
    }),
    int("push_packets", "packets", "Packets with PSH and payload.", |row| row.report.push_packets.int()),
    int("syn_packets", "packets", "Packets with SYN.", |row| row.report.syn_packets.int()),
    int("fin_packets", "packets", "Packets with FIN.", |row| row.report.fin_packets.int()),
    int("rst_packets", "packets", "Packets with RST.", |row| row.report.rst_packets.int()),
    int("urgent_packets", "packets", "Packets with URG.", |row| row.report.urgent_packets.int()),
    int(
        "rst_payload_bytes",
        "bytes",
        "Payload of RST packets: diagnostic text, not stream data (RFC 9293 section 3.5.3).",
        |row| row.report.rst_payload_bytes.int(),
    ),
    int("max_sack_blocks", "blocks", "Most SACK blocks in one packet.", |row| {
        row.report.max_sack_blocks.int()
    }),
    int("zero_window_events", "", "Times the window was shut after it had been open.", |row| {
        row.report.zero_window_events.int()
    }),
    float("zero_window_us", "µs", "How long the window was shut.", |row| Some(row.report.zero_window_us)),
    int("zero_window_probes", "packets", "Probes of a closed window.", |row| {
        row.report.zero_window_probes.int()
    }),
    int("keep_alives", "packets", "Keep-alive packets (RFC 9293 section 3.8.4).", |row| {
        row.report.keep_alives.int()
    }),
    int("segment_max", "bytes", "Payload of the largest segment seen.", |row| row.report.segment_max.int()),
    int("segment_min", "bytes", "Payload of the smallest segment seen.", |row| row.report.segment_min.int()),
    int(
        "super_segments",
        "packets",
        "Packets with more payload than the peer's MSS allows on the wire.",
        |row| row.report.super_segments.int(),
    ),
    int(
        "out_of_window_packets",
        "packets",
        "Packets whose sequence numbers lie so far off that they are no part of the stream.",
        |row| row.report.out_of_window_packets.int(),
    ),
    int("ce_packets", "packets", "Packets marked CE on the way.", |row| row.report.ce_packets.int()),
    int("ece_packets", "packets", "Packets with ECE after the handshake.", |row| {
        row.report.ece_packets.int()
    }),
    int("cwr_packets", "packets", "Packets with CWR after the handshake.", |row| {
        row.report.cwr_packets.int()
    }),
    choice(
        "fast_open",
        &["request", "cookie", "data"],
        "Fast Open (RFC 7413): how far it went; null where it was not used.",
        |row| row.report.fast_open,
    ),
    boolean("mptcp", "Whether Multipath TCP options were seen.", |row| Some(row.report.mptcp)),
    int(
        "reinjected_packets",
        "packets",
        "Packets with data of a Multipath TCP connection that was sent before, mostly on another subflow.",
        |row| row.report.reinjected_packets.int(),
    ),
    int(
        "window_max_bytes",
        "bytes",
        "Largest receive window offered; unscaled where `window_scale_known` is false.",
        |row| row.report.window_max_bytes.int(),
    ),
    int("window_min_bytes", "bytes", "Smallest receive window offered (RST aside).", |row| {
        row.report.window_min_bytes.int()
    }),
    boolean(
        "window_scale_known",
        "Whether the windows could be scaled: both SYNs were seen, or neither side scales.",
        |row| Some(row.report.window_scale_known),
    ),
    int(
        "initial_window_bytes",
        "bytes",
        "Payload sent before the first acknowledgment of any of it came back: the initial window, at a capture point near the sender.",
        |row| row.report.initial_window_bytes.int(),
    ),
    int("unseen_bytes", "bytes", "Acknowledged by the receiver yet not in the capture.", |row| {
        row.report.unseen_bytes.int()
    }),
    int("unseen_gaps", "", "Stretches of such bytes.", |row| row.report.unseen_gaps.int()),
    int("cut_bytes", "bytes", "Payload not captured because of the snap length.", |row| {
        row.report.cut_bytes.int()
    }),
    int(
        "duplicates",
        "packets",
        "Second captures of packets of this direction, left out of the counts above.",
        |row| row.report.duplicates.int(),
    ),
    float("idle_max_us", "µs", "Longest time between two packets.", |row| row.report.idle_max_us),
    int("first_data_ns", "ns", "First packet with payload, since the epoch.", |row| {
        row.report.first_data_ns.int()
    }),
    int("last_data_ns", "ns", "Last packet with payload, since the epoch.", |row| {
        row.report.last_data_ns.int()
    }),
    int("ttl_min", "hops", "Lowest TTL or hop limit.", |row| row.report.ttl_min.int()),
    int("ttl_max", "hops", "Highest TTL or hop limit.", |row| row.report.ttl_max.int()),
    choice(
        "sender_os",
        &["linux", "freebsd", "macos", "windows"],
        "The sender's system by its SYN; null where that does not tell.",
        |row| row.report.sender_os,
    ),
    float("timestamp_hz", "1/s", "Ticks of its timestamps, over a second or more.", |row| {
        row.report.timestamp_hz
    }),
    int(
        "data_segments",
        "packets",
        "Packets on the wire that the data are: a segment above the MSS counts as those that it becomes.",
        |row| row.report.data_segments.int(),
    ),
    int("retransmitted_segments", "packets", "Of these, sent again.", |row| {
        row.report.retransmitted_segments.int()
    }),
    int("lost_segments", "packets", "Of these, the earlier copy was lost.", |row| {
        row.report.lost_segments.int()
    }),
    int("spurious_segments", "packets", "Of these, the earlier copy arrived.", |row| {
        row.report.spurious_segments.int()
    }),
    int("loss_events", "", "Runs of packets that were lost one after the other.", |row| {
        row.report.loss_events.int()
    }),
    int("loss_burst_min", "packets", "Packets of the shortest run; null without losses.", |row| {
        row.report.loss_burst_min.int()
    }),
    int("loss_burst_max", "packets", "Packets of the longest run; null without losses.", |row| {
        row.report.loss_burst_max.int()
    }),
    float(
        "retransmission_overhead",
        "",
        "Bytes sent again for each of unique_bytes; null without payload.",
        |row| row.report.retransmission_overhead,
    ),
    float(
        "retransmissions_per_loss",
        "",
        "retransmitted_packets for each of lost_packets; null where nothing was lost.",
        |row| row.report.retransmissions_per_loss,
    ),
];
