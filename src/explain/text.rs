//! An explanation for people, at most 100 columns wide.

use std::io::{self, Write};

use super::words;
use crate::human;
use crate::output::{Palette, WIDTH, wrap};
use crate::report::explanation::{Cause, CopyReport, Explanation, PeerReport, SegmentReport};
use crate::report::{Dir, Trigger, Verdict};
use crate::units::Timestamp;

/// Width of the names of rules.
const NAME: usize = 20;
/// Width of the outcome of a rule.
const OUTCOME: usize = 5;

/// Writes it.
pub fn write(out: &mut dyn Write, found: &Explanation, palette: &Palette) -> io::Result<()> {
    let head = format!("frame {}, {}", human::count(found.frame), Timestamp::from_nanos(found.ts_ns));
    writeln!(out, "{}{head}{}", palette.heading, palette.reset)?;
    if let Some(reason) = found.skip_reason {
        return lines(out, 2, &format!("no TCP segment ({reason}): {}", found.meaning));
    }
    if let Some(segment) = &found.segment {
        place(out, segment)?;
    }
    lines(out, 2, &format!("{}: {}", found.what.replace('_', " "), found.meaning))?;
    if found.what == "duplicate" {
        lines(
            out,
            2,
            &match found.duplicate_of {
                Some(frame) => format!("the packet was first captured as frame {}", human::count(frame)),
                None => "the frame it repeats is not known".to_owned(),
            },
        )?;
    }
    if let Some(copy) = &found.copy {
        lines(out, 2, &copy_of(copy))?;
    }
    verdict(out, found, palette)?;
    for rule in &found.rules {
        let decides = if rule.decides { "*" } else { " " };
        let name = format!("  {decides} {:NAME$} {:OUTCOME$}", rule.id, rule.outcome.name());
        let mut label = name.as_str();
        for line in wrap(&rule.saw, WIDTH - name.len()) {
            writeln!(out, "{label:width$}{line}", width = name.len())?;
            label = "";
        }
    }
    for peer in &found.peers {
        lines(out, 2, &peer_says(peer))?;
    }
    out.flush()
}

/// Where in its connection it stands, and what its header says.
fn place(out: &mut dyn Write, segment: &SegmentReport) -> io::Result<()> {
    let way = match segment.dir {
        Dir::C2s => "client -> server",
        Dir::S2c => "server -> client",
    };
    let around = segment.encap.as_ref().map_or(String::new(), |encap| format!(", inside {encap}"));
    let connection = human::count(segment.connection);
    lines(out, 2, &format!("connection {connection} {way}, {} -> {}{around}", segment.src, segment.dst))?;
    let mut facts = vec![match (segment.len, segment.offset) {
        (0, Some(offset)) => format!("no data, at offset {}", words::offset(offset)),
        (0, None) => "no data".to_owned(),
        (len, Some(offset)) => {
            format!("{} at offset {}", human::exact_bytes(len.into()), words::offset(offset))
        }
        (len, None) => human::exact_bytes(len.into()),
    }];
    if let Some(fresh) = segment.fresh_bytes.filter(|fresh| (1..segment.len).contains(fresh)) {
        facts.push(format!("{} of it new", human::exact_bytes(fresh.into())));
    }
    facts.push(format!(
        "flags {}",
        if segment.flags.is_empty() { "none".to_owned() } else { segment.flags.join(" ") }
    ));
    facts.push(format!("seq {}", segment.seq));
    if let Some(ack) = segment.ack {
        let place =
            segment.ack_offset.map_or(String::new(), |place| format!(" (offset {})", words::offset(place)));
        facts.push(format!("ack {ack}{place}"));
    }
    let scale = if segment.window_scaled { "" } else { " (scale unknown)" };
    facts.push(format!("window {}{scale}", human::exact_bytes(segment.window_bytes)));
    if let (Some(value), Some(echo)) = (segment.tsval, segment.tsecr) {
        facts.push(format!("TSval {value} TSecr {echo}"));
    }
    if !segment.sack.is_empty() {
        let blocks: Vec<String> =
            segment.sack.iter().map(|[start, end]| format!("[{start}, {end})")).collect();
        let duplicate = if segment.dsack { ", the first of which reports a duplicate" } else { "" };
        facts.push(format!("SACK {}{duplicate}", blocks.join(" ")));
    }
    facts.extend(segment.options.iter().cloned());
    facts.extend(segment.ip_id.map(|id| format!("IP identification {id}")));
    if segment.ecn_ce {
        facts.push("marked Congestion Experienced".to_owned());
    }
    lines(out, 2, &facts.join(", "))
}

/// Which copy of its bytes it is.
fn copy_of(copy: &CopyReport) -> String {
    let hole = copy.hole.zip(copy.hole_shown_by).map(|([start, end], frame)| {
        format!(
            "it fills the hole [{}, {}) that frame {} showed",
            words::offset(start),
            words::offset(end),
            human::count(frame)
        )
    });
    let (Some(first), Some(before), Some(gap)) = (copy.first_frame, copy.before_frame, copy.before_ns) else {
        return hole.map_or_else(
            || "no earlier copy passed the tap".to_owned(),
            |hole| format!("no earlier copy passed the tap; {hole}"),
        );
    };
    let ordinal = match copy.number {
        2 => "second copy".to_owned(),
        3 => "third copy".to_owned(),
        number => format!("copy number {number}"),
    };
    let gap = human::span_ns(gap);
    if first == before {
        format!("{ordinal}; first in frame {}, {gap} before", human::count(first))
    } else {
        let (first, before) = (human::count(first), human::count(before));
        format!("{ordinal}; first in frame {first}, latest before it in frame {before}, {gap} before")
    }
}

fn verdict(out: &mut dyn Write, found: &Explanation, palette: &Palette) -> io::Result<()> {
    let Some(verdict) = &found.verdict else { return Ok(()) };
    let word = match verdict.verdict {
        Some(Verdict::Lost) => "LOST",
        Some(Verdict::Spurious) => "SPURIOUS",
        Some(Verdict::Reordered) => "REORDERED",
        Some(Verdict::Undecided) => "UNDECIDED",
        None => return Ok(()),
    };
    let trigger =
        found.cause.as_ref().map_or(String::new(), |cause| format!("   trigger: {}", trigger(cause.trigger)));
    writeln!(
        out,
        "  verdict   {}{word}{}   confidence {:.2}   by {}{trigger}",
        palette.heading, palette.reset, verdict.confidence, verdict.evidence
    )?;
    found.cause.as_ref().map_or(Ok(()), |cause| lines(out, 4, &knew(cause)))
}

/// The names that people use.
const fn trigger(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Fast => "fast retransmit",
        Trigger::Rack => "RACK",
        Trigger::Rto => "retransmission timeout",
        Trigger::Tlp => "tail loss probe",
        Trigger::Recovery => "recovery under way",
        Trigger::Unknown => "unknown",
    }
}

/// What the sender knew.
fn knew(cause: &Cause) -> String {
    let place = match (cause.first_outstanding, cause.last_sent) {
        (true, true) => "all that was outstanding",
        (true, false) => "the first bytes outstanding",
        (false, true) => "the last bytes sent",
        (false, false) => "neither the first bytes outstanding nor the last sent",
    };
    format!(
        "when it was sent: {}, {} selectively acknowledged above, silence for {}; these were {place}; round trip {}, \
         timeout {}",
        human::counted(cause.duplicate_acks.into(), "duplicate acknowledgment"),
        human::exact_bytes(cause.sacked_above),
        human::span_ns(cause.silence_ns),
        human::span_ns(cause.round_trip_ns),
        human::span_ns(cause.timeout_ns),
    )
}

fn peer_says(peer: &PeerReport) -> String {
    let program = format!("{} {}", peer.program, peer.version);
    if peer.calls.is_empty() {
        return format!("{program} says nothing in particular of it");
    }
    let calls: Vec<String> =
        peer.calls.iter().map(|call| format!("\"{}\" ({})", call.name, call.why)).collect();
    format!("{program} says {}", calls.join(" and "))
}

/// Wrapped at words; the lines that follow are indented by two more.
fn lines(out: &mut dyn Write, indent: usize, text: &str) -> io::Result<()> {
    let mut hanging = indent;
    for line in wrap(text, WIDTH - indent - 2) {
        writeln!(out, "{:hanging$}{line}", "")?;
        hanging = indent + 2;
    }
    Ok(())
}
