//! The capture: one line that says what it is, and a section that says how far it can be trusted.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::layout;
use crate::decode::SKIP_REASONS;
use crate::output::{Palette, escape, human};
use crate::report::CaptureReport;
use crate::units::Timestamp;

/// File, format, link types, frames, length and first stamp.
pub(super) fn header(out: &mut dyn Write, capture: &CaptureReport, palette: &Palette) -> io::Result<()> {
    let name = if capture.path == "-" { "standard input".into() } else { escape(&capture.path) };
    let more = match capture.files.len() {
        0 | 1 => String::new(),
        files => format!(" and {}", human::counted(files as u64 - 1, "further file")),
    };
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
    let line = format!("{name}{more}: {}", facts.join(", "));
    for (place, line) in layout::wrap(&line, layout::WIDTH - 2).iter().enumerate() {
        let indent = if place == 0 { "" } else { "  " };
        writeln!(out, "{}{indent}{line}{}", palette.heading, palette.reset)?;
    }
    Ok(())
}

/// What was read, passed over, put right and missed. Lines that say "none" are left out unless `verbose`.
pub(super) fn quality(
    out: &mut dyn Write,
    capture: &CaptureReport,
    verbose: bool,
    palette: &Palette,
) -> io::Result<()> {
    let cleaned = capture.cleaned;
    let drops = capture.capture_drops;
    let incomplete = capture.truncated
        || capture.read_error.is_some()
        || drops.interface.is_some_and(|dropped| dropped > 0)
        || drops.unseen_bytes > 0;
    let verdict = match capture.frames {
        _ if incomplete => "incomplete, see below",
        0 => "there is no frame in it",
        _ => "nothing is known to be missing",
    };
    writeln!(out, "\n{}capture quality: {verdict}{}", palette.heading, palette.reset)?;

    let on_wire = human::bytes(capture.bytes);
    let captured = human::bytes(capture.captured_bytes);
    let frames = human::count(capture.frames);
    layout::field(out, "frames", &format!("{frames}, {on_wire} on the wire, {captured} of them captured"))?;
    if verbose && capture.files.len() > 1 {
        layout::field(out, "files", &escape(&capture.files.join(", ")))?;
    }
    layout::field(out, "TCP segments", &human::count(capture.tcp_segments))?;
    let skipped: u64 = capture.skipped.values().sum();
    if skipped > 0 {
        layout::field(out, "frames without TCP", &human::count(skipped))?;
        for (reason, frames) in by_size(&capture.skipped) {
            let meaning = SKIP_REASONS.iter().find(|row| row.1 == reason).map_or("", |row| row.2);
            let line = format!("{} {}: {meaning}", human::count(frames), escape(reason));
            layout::field(out, "", line.trim_end_matches([':', ' ']))?;
        }
    } else if verbose {
        layout::field(out, "frames without TCP", "none")?;
    }
    for (reason, records) in by_size(&capture.skipped_records) {
        layout::field(out, "records passed over", &format!("{} {}", human::count(records), escape(reason)))?;
    }
    if let Some(error) = &capture.read_error {
        layout::field(out, "ended early", &escape(error))?;
    }
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
    let interface = drops.interface.map_or_else(
        || "unknown (the capture keeps no count of them)".to_owned(),
        |dropped| format!("{} counted by the capture interface", human::counted(dropped, "frame")),
    );
    layout::field(out, "capture drops", &interface)?;
    let optional = [
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
        (
            capture.evicted_connections,
            "finished early",
            format!("{} beyond --max-connections", human::counted(capture.evicted_connections, "connection")),
        ),
    ];
    for (number, label, text) in optional {
        if number > 0 {
            layout::field(out, label, &text)?;
        } else if verbose {
            layout::field(out, label, "none")?;
        }
    }
    Ok(())
}

/// A stamp to the microsecond, or to the nanosecond where it has one: nothing is rounded away.
pub(super) fn stamp(nanos: i64) -> String {
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
