//! The table of connections: a row each, of its larger direction where a column is about one.

use super::table::{Cell, Column};
use crate::human;
use crate::output::text::connection::endpoint;
use crate::report::{ClosedBy, ConnectionReport, ConnectionState, Dir, DirectionReport};

/// What is shown of a connection.
type Show = fn(&ConnectionReport, Dir) -> Cell;

/// Every column with what it shows.
const ROWS: &[(Column, Show)] = &[
    (number("connection", "#", "number of the connection; opens its details"), |c, _| Cell {
        link: Some(format!("#c{}", c.connection)),
        ..count(Some(c.connection))
    }),
    (word("client", "client", "address and port of the client"), |c, _| {
        Cell::word(endpoint(&c.client_ip, c.client_port))
    }),
    (word("server", "server", "address and port of the server"), |c, _| {
        Cell::word(endpoint(&c.server_ip, c.server_port))
    }),
    (number("duration", "duration", "from the first packet to the last"), |c, _| {
        Cell::number(Some(c.duration_ns() as f64 / 1e9), |seconds| human::span_us(seconds * 1e6))
    }),
    (number("data", "data", "payload in both directions, each byte counted once"), |c, _| {
        Cell::number(Some(c.unique_bytes() as f64), |_| human::bytes(c.unique_bytes()))
    }),
    (
        word("dir", "way", "the direction with more payload, which the columns to the right are about"),
        |_, dir| Cell::word(dir.name()),
    ),
    (number("goodput", "goodput", "new payload bits a second"), |c, dir| {
        Cell::number(side(c, dir).goodput_bps, human::rate)
    }),
    (number("rtt", "RTT p50", "round-trip time, median"), |c, dir| {
        Cell::number(side(c, dir).rtt_p50_us.map(|us| us / 1e6), |seconds| human::span_us(seconds * 1e6))
    }),
    (number("retransmitted", "sent again", "packets sent again, of all data packets"), |c, dir| {
        let v = side(c, dir);
        let share = v.retransmitted_packets.filter(|_| v.data_packets > 0);
        Cell::number(share.map(|again| again as f64 / v.data_packets as f64), |_| {
            human::percent(v.retransmitted_packets.unwrap_or(0), v.data_packets).unwrap_or_default()
        })
    }),
    (number("lost", "lost", "of these, packets whose first copy was lost"), |c, dir| {
        count(side(c, dir).lost_packets)
    }),
    (number("spurious", "spurious", "of these, packets whose first copy arrived"), |c, dir| {
        count(side(c, dir).spurious_packets)
    }),
    (number("reordered", "reordered", "packets that came late and were sent once"), |c, dir| {
        count(side(c, dir).reordered_packets)
    }),
    (word("limit", "limited by", "what held the sender back for the largest share of the time"), |c, dir| {
        let limits = side(c, dir).limits();
        Cell::word(limits.first().map_or_else(
            || "–".to_owned(),
            |(limit, share)| format!("{} {:.0} %", limit.words(), share * 100.0),
        ))
    }),
    (word("cc", "algorithm", "congestion control that the sender seems to use"), |c, dir| {
        Cell::word(side(c, dir).cc_identified.as_deref().unwrap_or("–"))
    }),
    (word("end", "end", "how it ended"), |c, _| Cell::word(end(c))),
];

/// How it ended, in a word or two.
const fn end(connection: &ConnectionReport) -> &'static str {
    match (connection.state, connection.closed_by) {
        (ConnectionState::SynSent, _) => "no answer",
        (ConnectionState::Refused, _) => "refused",
        (_, Some(ClosedBy::ClientRst)) => "client RST",
        (_, Some(ClosedBy::ServerRst)) => "server RST",
        (_, Some(ClosedBy::ClientFin)) => "client FIN",
        (_, Some(ClosedBy::ServerFin)) => "server FIN",
        (ConnectionState::SynReceived, None) => "half open",
        (ConnectionState::HalfClosed, None) => "half closed",
        (ConnectionState::Closed, None) => "FIN",
        (ConnectionState::Reset, None) => "RST",
        (ConnectionState::Established, None) => "still open",
    }
}

const fn number(key: &'static str, heading: &'static str, about: &'static str) -> Column {
    Column { key, heading, about, number: true }
}

const fn word(key: &'static str, heading: &'static str, about: &'static str) -> Column {
    Column { key, heading, about, number: false }
}

fn count(number: Option<u64>) -> Cell {
    Cell::number(number.map(|number| number as f64), |_| number.map(human::count).unwrap_or_default())
}

const fn side(connection: &ConnectionReport, dir: Dir) -> &DirectionReport {
    match dir {
        Dir::C2s => &connection.c2s,
        Dir::S2c => &connection.s2c,
    }
}

/// The columns.
pub(super) fn columns() -> Vec<Column> {
    ROWS.iter().map(|(column, _)| *column).collect()
}

/// The cells of a connection.
pub(super) fn cells(connection: &ConnectionReport) -> Vec<Cell> {
    let larger = connection.s2c.unique_bytes > connection.c2s.unique_bytes;
    let dir = if larger { Dir::S2c } else { Dir::C2s };
    ROWS.iter().map(|(_, show)| show(connection, dir)).collect()
}
