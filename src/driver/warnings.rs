//! What a reader must know before trusting the numbers: one row for each thing that may be wrong with a capture.

use crate::analysis::Totals;
use crate::human::counted;
use crate::report::CaptureReport;
use crate::warning::Warning;

struct Evidence<'a> {
    capture: &'a CaptureReport,
    totals: &'a Totals,
}

impl Evidence<'_> {
    fn skipped(&self, reason: &str) -> u64 {
        self.capture.skipped.get(reason).copied().unwrap_or(0)
    }
}

/// One kind of warning: when it is due is a sentence with counts, else nothing.
struct Row {
    id: &'static str,
    seen: fn(&Evidence<'_>) -> Option<String>,
    why: &'static str,
    remedy: &'static str,
}

/// The warnings that are due, the gravest first.
pub(super) fn all(capture: &CaptureReport, totals: &Totals) -> Vec<Warning> {
    let evidence = Evidence { capture, totals };
    ROWS.iter()
        .filter_map(|row| {
            let seen = (row.seen)(&evidence)?;
            Some(Warning { id: row.id, seen, why: row.why, remedy: row.remedy })
        })
        .collect()
}

const ROWS: &[Row] = &[
    Row {
        id: "no_tcp",
        seen: |e| {
            (e.capture.frames > 0 && e.capture.tcp_segments == 0).then(|| {
                let (reason, frames) = e
                    .capture
                    .skipped
                    .iter()
                    .max_by_key(|row| row.1)
                    .map_or(("none", 0), |row| (row.0, *row.1));
                format!(
                    "none of {} frames holds a TCP segment (most often: {reason}, {frames})",
                    e.capture.frames
                )
            })
        },
        why: "There is nothing to analyse.",
        remedy: "Check the capture filter, and whether the link type or tunnel is one that is read (docs/limits.md).",
    },
    Row {
        id: "interface_drops",
        seen: |e| {
            let drops = e.capture.capture_drops.interface.filter(|&drops| drops > 0)?;
            Some(format!("the capture interface says that it dropped {}", counted(drops, "frame")))
        },
        why: "What it dropped is missing from every count and must not be taken for network loss.",
        remedy: "Capture with a larger buffer (tcpdump -B 4096) or a shorter snap length (-s 128).",
    },
    Row {
        id: "capture_drops",
        seen: |e| {
            let drops = &e.capture.capture_drops;
            (drops.unseen_bytes > 0).then(|| {
                format!(
                    "acknowledged but not in the capture: {} ({} at {})",
                    counted(drops.unseen_bytes, "byte"),
                    counted(drops.unseen_segments, "segment"),
                    counted(drops.unseen_gaps, "place")
                )
            })
        },
        why: "They reached their receiver, so they are not counted as network loss.",
        remedy: "Capture with a larger buffer (tcpdump -B 4096), a shorter snap length (-s 128), or nearer to one end \
                 if packets take several ways.",
    },
    Row {
        id: "one_sided",
        seen: |e| {
            let count = e.totals.one_sided;
            (count > 0).then(|| {
                format!("captured in one direction only: {} with data", counted(count, "connection"))
            })
        },
        why: "Without acknowledgments neither loss nor round-trip time can be told.",
        remedy: "Capture both directions, or on a path that both take.",
    },
    Row {
        id: "appended_to_itself",
        seen: |e| {
            let frames = e.capture.cleaned.repeated;
            (frames > 0).then(|| {
                format!(
                    "after the clock jumps back, {} from the first on come again, with the same stamps",
                    counted(frames, "frame")
                )
            })
        },
        why: "A capture was appended to itself; they were left out, since they would look like retransmissions.",
        remedy: "Look at how the file was written; what is left is the capture as it was.",
    },
    Row {
        id: "duplicates",
        seen: |e| {
            let copies = e.capture.cleaned.duplicates;
            (copies > 0).then(|| format!("left out: {} of a packet", counted(copies, "second capture")))
        },
        why: "Counted, they would look like retransmissions and duplicate acknowledgments.",
        remedy: "Mirror one direction of a port only, or capture on one interface instead of `any`.",
    },
    Row {
        id: "clock_disorder",
        seen: |e| {
            let frames = e.capture.cleaned.clock_disorder;
            (frames > 0)
                .then(|| format!("stamped earlier than the frame before: {}", counted(frames, "frame")))
        },
        why: "Close neighbours were put in order of their stamps; what lies further apart was left as it stands.",
        remedy: "Capture on one queue or interface, and keep the clock from being set during the capture.",
    },
    Row {
        id: "odd_stamps",
        seen: |e| {
            let frames = e.capture.cleaned.odd_stamps;
            (frames > 0).then(|| format!("with an impossible time stamp: {}", counted(frames, "frame")))
        },
        why: "Times, rates and round trips near them are unreliable.",
        remedy: "Check the tool that wrote the capture.",
    },
    Row {
        id: "super_segments",
        seen: |e| {
            let count = e.capture.super_segments;
            (count > 0).then(|| format!("larger than their connection's MSS: {}", counted(count, "segment")))
        },
        why: "They were captured before the card cut them up or after it joined them: one such packet is several on \
              the wire.",
        remedy: "For packet counts as on the wire switch off TSO, GSO, LRO and GRO, or capture at another host.",
    },
    Row {
        id: "cut_headers",
        seen: |e| {
            let frames = e.skipped("cut_tcp_header");
            (frames > 0)
                .then(|| format!("cut within the fixed part of the TCP header: {}", counted(frames, "frame")))
        },
        why: "They belong to no connection and are missing from its counts.",
        remedy: "Capture with a longer snap length; 128 bytes hold every header of plain TCP/IP, tunnels need more.",
    },
    Row {
        id: "unknown_link_type",
        seen: |e| {
            let frames = e.skipped("unknown_link_type");
            (frames > 0).then(|| {
                format!(
                    "{frames} frames have a link type that is not read ({})",
                    e.capture.link_types.join(", ")
                )
            })
        },
        why: "Whatever TCP they hold is missing from the report.",
        remedy: "See docs/limits.md for the link types that are read.",
    },
    Row {
        id: "evicted",
        seen: |e| {
            let count = e.totals.evicted.saturating_sub(e.capture.evicted_half_open);
            (count > 0).then(|| {
                format!(
                    "finished early because too many were live at a time: {}",
                    counted(count, "connection")
                )
            })
        },
        why: "Later packets of theirs count as new connections.",
        remedy: "Raise --max-connections, or select with --filter.",
    },
    Row {
        id: "evicted_half_open",
        seen: |e| {
            let count = e.capture.evicted_half_open;
            (count > 0).then(|| {
                format!(
                    "finished early because too many were half open at a time: {}",
                    counted(count, "connection")
                )
            })
        },
        why: "An answer that came later counts as a new connection.",
        remedy: "SYNs that nobody answers are a flood or a scan: leave them out with --filter. 100,000 half-open connections are followed, or --max-connections if that is less.",
    },
    Row {
        id: "truncated",
        seen: |e| e.capture.truncated.then(|| "the capture ends inside a record".to_owned()),
        why: "Everything before it is analysed.",
        remedy: "The capture was still being written, or was cut. --allow-truncated makes this exit 0.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_capture_has_no_warning() {
        let capture = CaptureReport { frames: 46, tcp_segments: 46, ..CaptureReport::default() };
        assert_eq!(all(&capture, &Totals::default()), []);
    }

    #[test]
    fn each_row_can_be_due() {
        let mut capture =
            CaptureReport { frames: 9, truncated: true, super_segments: 1, ..CaptureReport::default() };
        capture.capture_drops.interface = Some(7);
        capture.capture_drops.unseen_bytes = 2896;
        capture.cleaned.duplicates = 2;
        capture.cleaned.repeated = 1;
        capture.cleaned.clock_disorder = 1;
        capture.cleaned.odd_stamps = 1;
        capture.skipped.insert("cut_tcp_header".to_owned(), 3);
        capture.skipped.insert("unknown_link_type".to_owned(), 6);
        capture.evicted_half_open = 1;
        let totals = Totals { one_sided: 1, evicted: 2, ..Totals::default() };
        let due: Vec<&str> = all(&capture, &totals).iter().map(|warning| warning.id).collect();
        assert_eq!(due, ROWS.iter().map(|row| row.id).collect::<Vec<_>>());
    }
}
