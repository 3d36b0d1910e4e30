//! The summary for people.

use std::fmt::Write as _;

use crate::human;
use crate::output::{endpoint, escape};
use crate::report::fleet::{FleetAlgorithm, FleetConnection, FleetDocument, FleetGroup};
use crate::units::Timestamp;

/// Rows of each list; summary.json has more.
const SHOWN: usize = 5;

/// A value with its unit.
pub(super) fn shown(value: f64, unit: &str) -> String {
    match unit {
        "bit/s" => human::rate(value),
        "µs" => human::span_us(value),
        "" => format!("{:.3} %", value * 100.0),
        unit => format!("{value:.0} {unit}"),
    }
}

/// A part of a whole, or `-`.
pub(super) fn share(part: u64, whole: u64) -> String {
    human::percent(part, whole).unwrap_or_else(|| "-".to_owned())
}

/// The server's address and port.
pub(super) fn server(one: &FleetConnection) -> String {
    // What a dataset of another program has there may be no port.
    endpoint(&one.server_ip, u16::try_from(one.server_port).unwrap_or_default())
}

/// `+12 %`.
pub(super) fn change(algorithm: &FleetAlgorithm) -> String {
    algorithm.change.map_or_else(|| "-".to_owned(), |change| format!("{:+.1} %", change * 100.0))
}

/// Sentences on the whole, for the top of every form.
pub(super) fn sentences(summary: &FleetDocument) -> Vec<String> {
    let FleetDocument { traces, failed_traces, file_bytes, frames, connections, totals, .. } = summary;
    let mut said = vec![format!(
        "{} ({} failed), {}, {}, {}",
        human::counted(*traces, "trace"),
        human::count(*failed_traces),
        human::bytes(*file_bytes),
        human::counted(*frames, "frame"),
        human::counted(*connections, "connection"),
    )];
    if let (Some(first), Some(last)) = (summary.first_ns, summary.last_ns) {
        let (first, last) = (Timestamp::from_nanos(first), Timestamp::from_nanos(last));
        said.push(format!("from {first} to {last}"));
    }
    let decided = totals.lost_packets + totals.spurious_packets;
    said.push(format!(
        "{} of payload in {}; {} sent again ({}), {} lost ({})",
        human::bytes(totals.unique_bytes),
        human::counted(totals.data_packets, "packet"),
        human::count(totals.retransmitted_packets),
        share(totals.retransmitted_packets, totals.data_packets),
        human::count(totals.lost_packets),
        share(totals.lost_packets, totals.data_packets),
    ));
    if decided > 0 {
        said.push(format!(
            "of what is taken for loss {} was spurious: {} of {} that could be decided ({} could not)",
            share(totals.spurious_packets, decided),
            human::count(totals.spurious_packets),
            human::count(decided),
            human::count(totals.undecided_packets),
        ));
    }
    said
}

/// All of it.
pub(super) fn text(summary: &FleetDocument) -> String {
    let mut out = sentences(summary).join("\n");
    out.push('\n');
    // Writing to a String cannot fail.
    if !summary.distributions.is_empty() {
        out.push_str(
            "\ndistribution             count         p10         p50         p90         p99         max\n",
        );
        for row in &summary.distributions {
            let _ = write!(out, "  {:<18} {:>9}", row.metric, human::count(row.count));
            for value in [row.p10, row.p50, row.p90, row.p99, row.max] {
                let _ = write!(out, " {:>11}", shown(value, row.unit));
            }
            out.push('\n');
        }
    }
    for symptom in &summary.worst {
        let _ = writeln!(out, "\nworst by {}: {}", symptom.symptom, symptom.about);
        for row in symptom.worst.iter().take(SHOWN) {
            let _ = writeln!(
                out,
                "  {:>12}  {} #{} {}  {} -> {}",
                shown(row.value, symptom.unit),
                escape(&row.source),
                row.connection,
                row.dir,
                row.client_ip,
                server(row)
            );
        }
    }
    for groups in &summary.groups {
        let more = groups.others + groups.groups.len().saturating_sub(SHOWN) as u64;
        let more = if more > 0 { format!(" ({} more)", human::count(more)) } else { String::new() };
        let _ = writeln!(out, "\nby {}{more}", groups.by);
        for group in groups.groups.iter().take(SHOWN) {
            let _ = writeln!(out, "  {}", line(group));
        }
    }
    if let Some(switching) = &summary.switching {
        let _ = writeln!(
            out,
            "\nanother algorithm for all {} whose own is known (measured: {} together)",
            human::counted(switching.transfers, "bulk transfer"),
            human::rate(switching.measured_bps)
        );
        for row in &switching.algorithms {
            let _ = writeln!(
                out,
                "  {:<10} ~{:<12} [{}, {}]  {}; {} faster, {} slower beyond doubt",
                row.cc,
                human::rate(row.goodput_p50_bps),
                human::rate(row.goodput_p10_bps),
                human::rate(row.goodput_p90_bps),
                change(row),
                human::count(row.faster),
                human::count(row.slower)
            );
        }
    }
    if !summary.failures.is_empty() {
        out.push_str("\nfailed\n");
        for failure in &summary.failures {
            let _ =
                writeln!(out, "  {}: {}: {}", escape(&failure.source), failure.kind, escape(&failure.reason));
        }
    }
    out
}

fn line(group: &FleetGroup) -> String {
    let FleetGroup { key, counts, rtt_p50_us, goodput_p50_bps } = group;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let decided = counts.lost_packets + counts.spurious_packets;
    format!(
        "{:<20} {:>9} in {} directions, lost {}, spurious {} of decided, RTT p50 {}, goodput p50 {}",
        escape(key.as_deref().unwrap_or("unknown")),
        human::bytes(counts.unique_bytes),
        human::count(counts.directions),
        share(counts.lost_packets, counts.data_packets),
        share(counts.spurious_packets, decided),
        or_none(rtt_p50_us.map(human::span_us)),
        or_none(goodput_p50_bps.map(human::rate)),
    )
}
