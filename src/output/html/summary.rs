//! The top of the page: what was read, what stands out, how good the capture is.

use std::io::{self, Write};

use super::markup::html;
use crate::human;
use crate::output::text::capture::{facts, fields, name, verdict};
use crate::output::text::connection::endpoint;
use crate::report::{CaptureReport, ConnectionReport};
use crate::warning::Warning;

/// Diagnoses shown at the top.
pub(super) const MOST_DIAGNOSES: usize = 3;

/// The heading and title of the page.
pub(super) fn title(capture: &CaptureReport) -> String {
    format!("{} – TCP report", name(capture))
}

/// What was read and what was found.
pub(super) fn summary(
    out: &mut dyn Write,
    capture: &CaptureReport,
    reported: u64,
    bytes: u64,
    diagnosed: &[&ConnectionReport],
) -> io::Result<()> {
    writeln!(out, "<section aria-labelledby=\"summary\">\n<h2 id=\"summary\">Summary</h2>")?;
    writeln!(out, "<p>{}</p>", html(&facts(capture)))?;
    // Fewer than there are where some were selected.
    let connections = match capture.connections {
        all if all > reported => {
            format!("{} of {}", human::count(reported), human::counted(all, "connection"))
        }
        all => human::counted(all, "connection"),
    };
    writeln!(
        out,
        "<p>{connections} with {} of payload. Capture quality: {}.</p>",
        human::bytes(bytes),
        verdict(capture).trim_end_matches(", see below")
    )?;
    for connection in diagnosed.iter().take(MOST_DIAGNOSES) {
        let Some(diagnosis) = &connection.diagnosis else { continue };
        let client = endpoint(&connection.client_ip, connection.client_port);
        let server = endpoint(&connection.server_ip, connection.server_port);
        let number = connection.connection;
        writeln!(
            out,
            "<div class=\"diagnosis\"><p><a href=\"#c{number}\">Connection {number}</a>, {} → {}, {}</p>\n<p>{}</p></div>",
            html(&client),
            html(&server),
            human::bytes(connection.unique_bytes()),
            html(diagnosis)
        )?;
    }
    warnings(out, &capture.warnings)?;
    writeln!(out, "</section>")
}

fn warnings(out: &mut dyn Write, warnings: &[Warning]) -> io::Result<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h3>Warnings</h3>")?;
    for Warning { id, seen, why, remedy } in warnings {
        let sentence = |text: &str| format!("{}.", html(text.trim_end_matches('.')));
        let rest = format!("{} {}", sentence(why), sentence(remedy));
        writeln!(
            out,
            "<div class=\"warning\"><p><strong>{}</strong>: {}</p>\n<p>{rest}</p></div>",
            html(id),
            sentence(seen)
        )?;
    }
    Ok(())
}

/// What was read, passed over, put right and missed.
pub(super) fn quality(out: &mut dyn Write, capture: &CaptureReport) -> io::Result<()> {
    writeln!(out, "<section aria-labelledby=\"quality\">\n<h2 id=\"quality\">Capture quality</h2>")?;
    writeln!(out, "<p>{}.</p>\n<dl>", html(&sentence_case(verdict(capture))))?;
    let mut open = false;
    for (label, value) in fields(capture, true) {
        if label.is_empty() && open {
            write!(out, "<br>{}", html(&value))?;
            continue;
        }
        if open {
            writeln!(out, "</dd>")?;
        }
        write!(out, "<dt>{}</dt><dd>{}", html(label), html(&value))?;
        open = true;
    }
    writeln!(out, "</dd></dl>\n</section>")
}

fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
