//! The block of one connection: what holds for both directions, then the two side by side.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::capture::stamp;
use super::layout;
use super::rows::{ROWS, Shown};
use crate::human;
use crate::output::{Settings, escape};
use crate::report::{
    ClosedBy, ConnectionReport, ConnectionState, DirectionReport, HandshakeReport, RoleBasis,
};

/// Indent of a sentence below the rows.
const INDENT: usize = 4;

/// Writes the block.
pub(super) fn block(
    out: &mut dyn Write,
    connection: &ConnectionReport,
    settings: &Settings,
) -> io::Result<()> {
    heading(out, connection, settings)?;
    fields(connection).iter().try_for_each(|(label, value)| layout::field(out, label, value))?;
    layout::columns(out, "", "client -> server", "server -> client")?;
    for row in ROWS {
        let cells = [(row.show)(&connection.c2s), (row.show)(&connection.s2c)];
        let wanted = cells.iter().any(|cell| match cell {
            Shown::No => false,
            Shown::Zero(_) => settings.verbose,
            Shown::Yes(_) => settings.verbose || !row.detail,
        });
        if wanted {
            layout::columns(out, row.label, cells[0].text(), cells[1].text())?;
        }
    }
    for (who, direction) in [("client", &connection.c2s), ("server", &connection.s2c)] {
        if let Some(text) = upshot(who, direction) {
            layout::paragraph(out, INDENT, &text)?;
        }
    }
    if let Some(diagnosis) = &connection.diagnosis {
        writeln!(out)?;
        for line in layout::wrap(diagnosis, layout::WIDTH - 4) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// What holds for both directions, each with its label.
pub(in crate::output) fn fields(connection: &ConnectionReport) -> Vec<(&'static str, String)> {
    let mut out = vec![("opened", opened(connection).to_owned())];
    if let Some(encapsulation) = &connection.encapsulation {
        out.push(("encapsulation", escape(encapsulation).into_owned()));
    }
    out.push(("time", format!("{} to {}", stamp(connection.first_ns), stamp(connection.last_ns))));
    out.push(("handshake", handshake(connection)));
    if let Some(turns) = transactions(connection) {
        out.push(("transactions", turns));
    }
    if connection.port_reused {
        out.push(("ports", "used before by an earlier connection of this trace".to_owned()));
    }
    if connection.evicted {
        let why = if connection.state.is_half_open() {
            "more connections were half open than are followed"
        } else {
            "more connections were open than --max-connections allows"
        };
        out.push(("finished early", why.to_owned()));
    }
    out
}

/// Requests that were answered, where there were several.
fn transactions(connection: &ConnectionReport) -> Option<String> {
    let count = connection.transactions.filter(|count| *count > 1)?;
    let seconds = connection.duration_ns() as f64 / 1e9;
    let rate =
        if seconds > 0.0 { format!(", {:.1} a second", count as f64 / seconds) } else { String::new() };
    let span = |micros: Option<f64>| micros.map_or_else(|| "-".to_owned(), human::span_us);
    Some(format!(
        "{}{rate}; p50 / p95 / p99 {} / {} / {}, of which turn-around {} / {} / {}",
        human::count(count),
        span(connection.transaction_p50_us),
        span(connection.transaction_p95_us),
        span(connection.transaction_p99_us),
        span(connection.turnaround_p50_us),
        span(connection.turnaround_p95_us),
        span(connection.turnaround_p99_us),
    ))
}

/// What the retransmissions of one side come to.
pub(in crate::output) fn upshot(who: &str, v: &DirectionReport) -> Option<String> {
    let again = v.retransmitted_packets.filter(|again| *again > 0)?;
    let (lost, spurious) = (v.lost_packets?, v.spurious_packets?);
    let mut text = format!(
        "The {who} retransmitted {}, of which lost {}, spurious {}",
        human::counted(again, "packet"),
        human::count(lost),
        human::count(spurious)
    );
    // Writing to a String cannot fail.
    let undecided = v.undecided_packets.unwrap_or(0);
    if undecided > 0 {
        let _ = write!(text, ", undecided {}", human::count(undecided));
    }
    if let Some(times) = v.retransmissions_per_loss {
        let times = if times < 9.95 { format!("{times:.1}") } else { format!("{times:.0}") };
        let _ = write!(text, ": retransmissions are {times} times the losses");
    }
    if spurious > lost + undecided {
        text += ": most were not needed";
        if v.reordered_packets.unwrap_or(0) > 0 {
            text += ", on a path that reorders";
        }
    }
    Some(text + ".")
}

/// Address and port.
pub(crate) fn endpoint(ip: &str, port: u16) -> String {
    let ip = escape(ip);
    if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
}

fn heading(out: &mut dyn Write, connection: &ConnectionReport, settings: &Settings) -> io::Result<()> {
    let client = endpoint(&connection.client_ip, connection.client_port);
    let server = endpoint(&connection.server_ip, connection.server_port);
    let summary = format!("{}, {}", human::span_ns(connection.duration_ns()), closed(connection));
    let line = format!("#{}  {client} -> {server}   {summary}", connection.connection);
    let palette = &settings.palette;
    let lines = if line.chars().count() <= layout::WIDTH {
        vec![line]
    } else {
        vec![format!("#{}  {client}", connection.connection), format!("    -> {server}   {summary}")]
    };
    for line in lines {
        writeln!(out, "{}{line}{}", palette.heading, palette.reset)?;
    }
    Ok(())
}

/// Who is the client, and how that is known.
fn opened(connection: &ConnectionReport) -> &'static str {
    match connection.role_basis {
        RoleBasis::Syn => "by the client, whose SYN was captured",
        RoleBasis::SynAck => "by the client, as the server's SYN/ACK tells; the SYN was not captured",
        RoleBasis::SimultaneousOpen => "by both sides at once; the SYN of the one called client came first",
        RoleBasis::Port => {
            "unknown (handshake not captured); the more usual service port is taken for the server's"
        }
        RoleBasis::FirstSeen => {
            "unknown (handshake not captured, ports do not tell); the client was seen first"
        }
    }
}

/// How it ended, or did not.
pub(in crate::output) fn closed(connection: &ConnectionReport) -> &'static str {
    match (connection.state, connection.closed_by) {
        (ConnectionState::SynSent, _) => "never answered",
        (ConnectionState::Refused, _) => "refused with RST",
        (ConnectionState::SynReceived, None) => "handshake never completed",
        (_, Some(ClosedBy::ClientRst)) => "reset by the client",
        (_, Some(ClosedBy::ServerRst)) => "reset by the server",
        (ConnectionState::Reset, _) => "reset",
        (ConnectionState::HalfClosed, Some(ClosedBy::ClientFin)) => "half closed by the client's FIN",
        (ConnectionState::HalfClosed, Some(ClosedBy::ServerFin)) => "half closed by the server's FIN",
        (ConnectionState::HalfClosed, None) => "half closed",
        (_, Some(ClosedBy::ClientFin)) => "closed by FIN, the client's first",
        (_, Some(ClosedBy::ServerFin)) => "closed by FIN, the server's first",
        (ConnectionState::Closed, None) => "closed by FIN",
        (ConnectionState::Established, None) => "still open at the end",
    }
}

fn handshake(connection: &ConnectionReport) -> String {
    let HandshakeReport { server_rtt_us, client_rtt_us, rtt_us, .. } = connection.handshake;
    let (syns, answers) = (connection.c2s.syn_packets, connection.s2c.syn_packets);
    let span = |micros: Option<f64>| micros.map(human::span_us);
    let mut text = match (span(rtt_us), span(server_rtt_us), span(client_rtt_us)) {
        (Some(whole), Some(server), Some(client)) => {
            format!("RTT {whole} = {server} on the server's side + {client} on the client's side")
        }
        (_, Some(server), None) => {
            format!("RTT {server} on the server's side; the client's ACK was not captured")
        }
        (_, None, Some(client)) => format!("RTT {client} on the client's side; the server's side is unknown"),
        _ if syns == 0 && answers == 0 => "RTT unknown (SYN not captured)".to_owned(),
        _ if connection.state == ConnectionState::Refused => "refused".to_owned(),
        _ if answers == 0 => "RTT unknown (no SYN/ACK)".to_owned(),
        _ if syns == 0 => "RTT unknown (SYN not captured)".to_owned(),
        _ => "RTT unknown (SYN or SYN/ACK was repeated)".to_owned(),
    };
    let repeats = [
        (connection.handshake.syn_retransmissions, "SYN"),
        (connection.handshake.syn_ack_retransmissions, "SYN/ACK"),
    ];
    for (times, name) in repeats {
        if times > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "; {name} repeated {}", human::counted(u64::from(times), "time"));
        }
    }
    text
}
