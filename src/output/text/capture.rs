//! The capture: one line that says what it is, and a section that says how far it can be trusted.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::layout;
use crate::decode::SKIP_REASONS;
use crate::human;
use crate::output::{Palette, escape};
use crate::report::CaptureReport;
use crate::units::Timestamp;

/// File, format, link types, frames, length and first stamp.
pub(super) fn header(out: &mut dyn Write, capture: &CaptureReport, palette: &Palette) -> io::Result<()> {
    let line = format!("{}: {}", name(capture), facts(capture));
    for (place, line) in layout::wrap(&line, layout::WIDTH - 2).iter().enumerate() {
        let indent = if place == 0 { "" } else { "  " };
        writeln!(out, "{}{indent}{line}{}", palette.heading, palette.reset)?;
    }
    Ok(())
}

/// What the capture is called.
pub(in crate::output) fn name(capture: &CaptureReport) -> String {
    let name = if capture.path == "-" { "standard input".into() } else { escape(&capture.path) };
    let more = match capture.files.len() {
        0 | 1 => String::new(),
        files => format!(" and {}", human::counted(files as u64 - 1, "further file")),
    };
    format!("{name}{more}")
}

/// Format, link types, frames, length and first stamp.
pub(in crate::output) fn facts(capture: &CaptureReport) -> String {
    let mut facts = Vec::new();
    if !capture.format.is_empty() {
        facts.push(match &capture.compression {
            Some(compression) => format!("{} in {}", escape(&capture.format), escape(compression)),
            None => escape(&capture.format).into_owned(),
        });
    }
    let links = escape(&capture.link_types.join(", ")).into_owned();
    match (capture.interfaces, links.is_empty()) {
        (0 | 1, true) => {}
        (0 | 1, false) => facts.push(links),
        (many, true) => facts.push(human::counted(u64::from(many), "interface")),
        (many, false) => facts.push(format!("{} ({links})", human::counted(u64::from(many), "interface"))),
    }
    facts.push(human::counted(capture.frames, "frame"));
    if let (Some(first), Some(last)) = (capture.first_ns, capture.last_ns) {
        let length = human::span_ns(last.saturating_sub(first));
        facts.push(format!("{length} from {}", stamp(first)));
    }
    facts.join(", ")
}

/// What was read, passed over, put right and missed. Lines that say "none" are left out unless `verbose`.
pub(super) fn quality(
    out: &mut dyn Write,
    capture: &CaptureReport,
    verbose: bool,
    palette: &Palette,
) -> io::Result<()> {
    writeln!(out, "\n{}capture quality: {}{}", palette.heading, verdict(capture), palette.reset)?;
    fields(capture, verbose).iter().try_for_each(|(label, value)| layout::field(out, label, value))
}

/// Whether the capture is whole, in words.
pub(in crate::output) fn verdict(capture: &CaptureReport) -> &'static str {
    let drops = capture.capture_drops;
    let incomplete = capture.truncated
        || capture.read_error.is_some()
        || drops.interface.is_some_and(|dropped| dropped > 0)
        || drops.unseen_bytes > 0;
    match capture.frames {
        _ if incomplete => "incomplete, see below",
        0 => "there is no frame in it",
        _ => "nothing is known to be missing",
    }
}

/// The lines of the quality, each with its label; one without a label goes on from the one before.
pub(in crate::output) fn fields(capture: &CaptureReport, verbose: bool) -> Vec<(&'static str, String)> {
    let drops = capture.capture_drops;
    let on_wire = human::bytes(capture.bytes);
    let captured = human::bytes(capture.captured_bytes);
    let frames = human::count(capture.frames);
    let mut out = vec![("frames", format!("{frames}, {on_wire} on the wire, {captured} of them captured"))];
    if verbose && capture.files.len() > 1 {
        out.push(("files", escape(&capture.files.join(", ")).into_owned()));
    }
    out.push(("TCP segments", human::count(capture.tcp_segments)));
    let skipped: u64 = capture.skipped.values().sum();
    if skipped > 0 {
        out.push(("frames without TCP", human::count(skipped)));
        for (reason, frames) in by_size(&capture.skipped) {
            let meaning = SKIP_REASONS.iter().find(|row| row.1 == reason).map_or("", |row| row.2);
            let line = format!("{} {}: {meaning}", human::count(frames), escape(reason));
            out.push(("", line.trim_end_matches([':', ' ']).to_owned()));
        }
    } else if verbose {
        out.push(("frames without TCP", "none".to_owned()));
    }
    for (reason, records) in by_size(&capture.skipped_records) {
        out.push(("records passed over", format!("{} {}", human::count(records), escape(reason))));
    }
    if let Some(error) = &capture.read_error {
        out.push(("ended early", escape(error).into_owned()));
    }
    let interface = drops.interface.map_or_else(
        || "unknown (the capture keeps no count of them)".to_owned(),
        |dropped| format!("{} counted by the capture interface", human::counted(dropped, "frame")),
    );
    out.push(("capture drops", interface));
    for (number, label, text) in rare(capture) {
        if number > 0 {
            out.push((label, text));
        } else if verbose {
            out.push((label, "none".to_owned()));
        }
    }
    out
}

/// What most captures have none of, with its number.
fn rare(capture: &CaptureReport) -> [(u64, &'static str, String); 7] {
    let (cleaned, drops) = (capture.cleaned, capture.capture_drops);
    let cut = match human::percent(capture.cut_frames, capture.frames) {
        Some(share) if capture.cut_frames > 0 => {
            format!("{} ({share}) cut by the snap length", human::count(capture.cut_frames))
        }
        _ => "none".to_owned(),
    };
    let unseen = format!(
        "{} in {} ({}) acknowledged but never seen; not counted as loss",
        human::bytes(drops.unseen_bytes),
        human::counted(drops.unseen_gaps, "gap"),
        human::counted(drops.unseen_segments, "segment"),
    );
    [
        (drops.unseen_bytes, "unseen", unseen),
        (capture.cut_frames, "cut frames", cut),
        (
            cleaned.duplicates,
            "duplicates removed",
            format!("{} captured before", human::counted(cleaned.duplicates, "frame")),
        ),
        (
            cleaned.clock_disorder,
            "clock disorder",
            format!("{} stamped before the one ahead of it", human::counted(cleaned.clock_disorder, "frame")),
        ),
        (cleaned.odd_stamps, "impossible stamps", human::counted(cleaned.odd_stamps, "frame")),
        (
            capture.super_segments,
            "offload",
            format!(
                "{} larger than the MSS, as the network card splits or joins them",
                human::counted(capture.super_segments, "segment")
            ),
        ),
        (capture.evicted_connections, "finished early", evicted(capture)),
    ]
}

/// Connections that were finished to bound the memory, by which bound.
fn evicted(capture: &CaptureReport) -> String {
    let half_open = capture.evicted_half_open;
    let open = capture.evicted_connections.saturating_sub(half_open);
    let beyond =
        (open > 0).then(|| format!("{} beyond --max-connections", human::counted(open, "connection")));
    let pending =
        (half_open > 0).then(|| format!("{} half open, more than are followed", human::count(half_open)));
    beyond.into_iter().chain(pending).collect::<Vec<_>>().join("; ")
}

/// A stamp to the microsecond, or to the nanosecond where it has one: nothing is rounded away.
pub(in crate::output) fn stamp(nanos: i64) -> String {
    let text = Timestamp::from_nanos(nanos).to_string();
    match text.strip_suffix("000Z") {
        Some(micros) => format!("{micros}Z"),
        None => text,
    }
}

/// The largest first; equal ones by name.
fn by_size(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut rows: Vec<_> = counts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    rows.retain(|(_, count)| *count > 0);
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    rows
}
