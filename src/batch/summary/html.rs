//! The summary as a page of its own, with tables that can be sorted.

use std::io::{self, Write};

use super::plot;
use super::text::{change, sentences, server, share, shown};
use crate::human;
use crate::output::html::markup::html;
use crate::output::html::shell::Page;
use crate::output::html::table::{Cell, Column, begin, end, row};
use crate::report::fleet::{FleetDocument, FleetGroups, FleetSwitching, FleetSymptom};

const fn word(key: &'static str, heading: &'static str, about: &'static str) -> Column {
    Column { key, heading, about, number: false }
}

const fn number(key: &'static str, heading: &'static str, about: &'static str) -> Column {
    Column { key, heading, about, number: true }
}

/// Writes the page.
pub(super) fn write(out: &mut dyn Write, summary: &FleetDocument) -> io::Result<()> {
    let title = format!("{} and what became of them", human::counted(summary.connections, "connection"));
    let mut page = Page::start(out, &title, &[])?;
    let body = page.body();
    for sentence in sentences(summary) {
        writeln!(body, "<p>{}</p>", html(&sentence))?;
    }
    plot::distributions(body, summary)?;
    for symptom in &summary.worst {
        worst(body, symptom)?;
    }
    for by in &summary.groups {
        groups(body, by)?;
    }
    if let Some(switching) = &summary.switching {
        algorithms(body, switching)?;
    }
    failures(body, summary)?;
    page.finish()
}

fn worst(out: &mut dyn Write, symptom: &FleetSymptom) -> io::Result<()> {
    let columns = [
        word("source", "trace", "the trace"),
        number("connection", "connection", "its number in the trace"),
        word("dir", "direction", "c2s or s2c"),
        word("client", "client", "address"),
        word("server", "server", "address and port"),
        number("value", "value", symptom.about),
    ];
    writeln!(out, "<section>\n<h2>Worst by {}</h2>", html(symptom.symptom))?;
    begin(out, symptom.about, &columns, "value")?;
    for one in &symptom.worst {
        let cells = [
            Cell::word(&one.source),
            Cell::number(Some(one.connection as f64), |number| format!("{number:.0}")),
            Cell::word(&one.dir),
            Cell::word(&one.client_ip),
            Cell::word(server(one)),
            Cell::number(Some(one.value), |value| shown(value, symptom.unit)),
        ];
        out.write_all(row(&columns, &cells).as_bytes())?;
    }
    end(out)?;
    writeln!(out, "</section>")
}

fn groups(out: &mut dyn Write, by: &FleetGroups) -> io::Result<()> {
    let columns = [
        word("key", by.by, "what they have in common"),
        number("data", "payload", "each byte once"),
        number("directions", "directions", "with payload"),
        number("lost", "lost", "of packets with payload"),
        number("spurious", "spurious", "of what could be decided"),
        number("rtt", "RTT p50", "median of the directions' medians"),
        number("goodput", "goodput p50", "median of the directions"),
    ];
    writeln!(out, "<section>\n<h2>By {}</h2>", html(by.by))?;
    begin(out, &format!("Directions by {}", by.by), &columns, "data")?;
    for group in &by.groups {
        let counts = group.counts;
        let decided = counts.lost_packets + counts.spurious_packets;
        let part = |part: u64, whole: u64| {
            let value = (whole > 0).then(|| part as f64 / whole as f64);
            Cell::number(value, |_| share(part, whole))
        };
        let cells = [
            Cell::word(group.key.as_deref().unwrap_or("unknown")),
            Cell::number(Some(counts.unique_bytes as f64), |_| human::bytes(counts.unique_bytes)),
            Cell::number(Some(counts.directions as f64), |_| human::count(counts.directions)),
            part(counts.lost_packets, counts.data_packets),
            part(counts.spurious_packets, decided),
            Cell::number(group.rtt_p50_us, human::span_us),
            Cell::number(group.goodput_p50_bps, human::rate),
        ];
        out.write_all(row(&columns, &cells).as_bytes())?;
    }
    end(out)?;
    if by.others > 0 {
        writeln!(
            out,
            "<p class=\"note\">{} with less payload are not shown.</p>",
            human::counted(by.others, "group")
        )?;
    }
    writeln!(out, "</section>")
}

fn algorithms(out: &mut dyn Write, switching: &FleetSwitching) -> io::Result<()> {
    let columns = [
        word("cc", "algorithm", "for all of them"),
        number("p50", "goodput", "sum of the medians"),
        word("interval", "interval", "sums of the 10th and of the 90th percentiles"),
        number("change", "change", "against what was measured"),
        number("faster", "faster", "transfers whose interval is above what they got"),
        number("slower", "slower", "transfers whose interval is below"),
    ];
    writeln!(
        out,
        "<section>\n<h2>Another algorithm</h2>\n<p>{} whose own algorithm is known got {} together.</p>",
        human::counted(switching.transfers, "bulk transfer"),
        html(&human::rate(switching.measured_bps))
    )?;
    begin(out, "What all bulk transfers would get", &columns, "p50")?;
    for one in &switching.algorithms {
        let interval =
            format!("{} to {}", human::rate(one.goodput_p10_bps), human::rate(one.goodput_p90_bps));
        let cells = [
            Cell::word(&one.cc),
            Cell::number(Some(one.goodput_p50_bps), human::rate),
            Cell::word(interval),
            Cell::number(one.change, |_| change(one)),
            Cell::number(Some(one.faster as f64), |_| human::count(one.faster)),
            Cell::number(Some(one.slower as f64), |_| human::count(one.slower)),
        ];
        out.write_all(row(&columns, &cells).as_bytes())?;
    }
    end(out)?;
    writeln!(out, "</section>")
}

fn failures(out: &mut dyn Write, summary: &FleetDocument) -> io::Result<()> {
    if summary.failures.is_empty() {
        return Ok(());
    }
    let columns = [
        word("source", "trace", "the trace"),
        word("kind", "kind", "what it died of"),
        word("reason", "reason", "in words"),
    ];
    writeln!(out, "<section>\n<h2>Failed</h2>")?;
    begin(out, "Traces that are missing or cut", &columns, "source")?;
    for failure in &summary.failures {
        let cells = [Cell::word(&failure.source), Cell::word(failure.kind), Cell::word(&failure.reason)];
        out.write_all(row(&columns, &cells).as_bytes())?;
    }
    end(out)?;
    writeln!(out, "</section>")
}
