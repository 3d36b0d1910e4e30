//! The `connections` table.

use super::column::{Int, boolean, choice, float, int, text};
use super::word::word;
use super::{Finding, TableOf};
use crate::report::ConnectionReport;

/// The row of [`super::TABLES`].
pub(super) static CONNECTIONS: TableOf<ConnectionReport> = TableOf {
    name: "connections",
    about: "A row for each connection.",
    sort: &["connection"],
    rows: |finding, row| {
        if let Finding::Connection(connection) = finding {
            row(connection);
        }
    },
    columns: &[
        int("connection", "", "Number, from 0 in order of the first packet.", |row| row.connection.int()),
        text("client_ip", "The client's address.", |row| Some(&row.client_ip)),
        int("client_port", "", "The client's port.", |row| row.client_port.int()),
        text("server_ip", "The server's address.", |row| Some(&row.server_ip)),
        int("server_port", "", "The server's port.", |row| row.server_port.int()),
        choice(
            "role_basis",
            &["syn", "syn_ack", "simultaneous_open", "port", "first_seen"],
            "How client and server were told apart: by the SYN, by the SYN/ACK alone, by the first of two SYNs, \
             by the ports, or by who was seen first.",
            |row| word(row.role_basis),
        ),
        int("first_ns", "ns", "First packet, since the epoch.", |row| row.first_ns.int()),
        int("last_ns", "ns", "Last packet, since the epoch.", |row| row.last_ns.int()),
        int("packets", "packets", "In both directions, without duplicate captures.", |row| row.packets.int()),
        choice(
            "state",
            &["syn_sent", "syn_received", "established", "half_closed", "closed", "reset", "refused"],
            "How far it had come when it was last seen.",
            |row| word(row.state),
        ),
        choice(
            "closed_by",
            &["client_fin", "server_fin", "client_rst", "server_rst"],
            "What ended it; null if it was still open.",
            |row| word(row.closed_by),
        ),
        // From here on more than the contract asks for.
        text("encapsulation", "VLANs and tunnels around it, outermost first; null for none.", |row| {
            row.encapsulation.as_deref()
        }),
        int("first_frame", "frame", "Frame of the first packet.", |row| row.first_frame.int()),
        boolean(
            "port_reused",
            "Whether the same addresses and ports had an earlier connection in this trace.",
            |row| Some(row.port_reused),
        ),
        boolean("evicted", "Whether it was finished early to bound the number of live connections.", |row| {
            Some(row.evicted)
        }),
        float(
            "handshake_server_rtt_us",
            "µs",
            "SYN to SYN/ACK: the round trip between the capture point and the server. Null where the SYN was repeated.",
            |row| row.handshake.server_rtt_us,
        ),
        float(
            "handshake_client_rtt_us",
            "µs",
            "SYN/ACK to the client's first ACK: the round trip between the capture point and the client.",
            |row| row.handshake.client_rtt_us,
        ),
        float("handshake_rtt_us", "µs", "Their sum: the whole round trip.", |row| row.handshake.rtt_us),
        int("handshake_syn_retransmissions", "packets", "SYNs beyond the first.", |row| {
            row.handshake.syn_retransmissions.int()
        }),
        int("handshake_syn_ack_retransmissions", "packets", "SYN/ACKs beyond the first.", |row| {
            row.handshake.syn_ack_retransmissions.int()
        }),
        int("transactions", "count", "Requests that were answered; null where nobody answered.", |row| {
            row.transactions.int()
        }),
        float(
            "transaction_p50_us",
            "µs",
            "First byte of a request to last of its response, median.",
            |row| row.transaction_p50_us,
        ),
        float("transaction_p95_us", "µs", "95th percentile.", |row| row.transaction_p95_us),
        float("transaction_p99_us", "µs", "99th percentile.", |row| row.transaction_p99_us),
        float("turnaround_p50_us", "µs", "Last byte of a request to first of its response, median.", |row| {
            row.turnaround_p50_us
        }),
        float("turnaround_p95_us", "µs", "95th percentile.", |row| row.turnaround_p95_us),
        float("turnaround_p99_us", "µs", "99th percentile.", |row| row.turnaround_p99_us),
        text("diagnosis", "What held the larger direction back and what to try.", |row| {
            row.diagnosis.as_deref()
        }),
    ],
};
