//! What a segment is, in one word and one sentence.

use crate::analysis::{Facts, Purpose, Sighting};
use crate::decode::TcpFlags;
use crate::report::{Kind, RetransmissionRow};

/// A word of the report and what it means. Every `what` of [`crate::report::explanation::Explanation`] but `skipped`.
pub(super) const NATURES: &[(&str, &str)] = &[
    ("new_data", "ordinary new data: its bytes had not passed before, and nothing before them was missing"),
    (
        "hole_before",
        "new data, but bytes before it had not passed yet: they were lost, are late, or were not captured",
    ),
    ("retransmission", "bytes that were sent before, on the wire again"),
    ("reordering", "sent once, and overtaken by later segments on its way to the tap"),
    ("duplicate", "a second capture of a packet that was captured before; it counts nowhere"),
    ("keep_alive", "a keep-alive: asks whether the peer is still there; no retransmission"),
    ("zero_window_probe", "a probe of a closed window; no retransmission"),
    ("inferred_loss", "looks like new data, but a first copy must have been lost before the tap"),
    (
        "reinjection",
        "data of a Multipath TCP connection that was sent before, mostly on another subflow: new in this one, and no loss of it",
    ),
    ("late_in_capture", "its bytes had just been acknowledged: the capture has it in the wrong order"),
    ("unplaced_data", "data far from all other sequence numbers of its direction, which is not believed"),
    ("acknowledgment", "an acknowledgment without data"),
    (
        "duplicate_ack",
        "a duplicate acknowledgment (RFC 5681 section 2): something arrived out of order behind a hole",
    ),
    ("syn", "opens the connection"),
    (
        "syn_repeat",
        "its SYN was sent before: the peer had not answered, or the answer was lost; no data loss",
    ),
    ("fin", "ends its direction"),
    ("fin_repeat", "its FIN was sent before and had not been acknowledged; no data loss"),
    ("rst", "resets the connection"),
];

/// The row of [`NATURES`].
pub(super) fn of(
    flags: TcpFlags,
    len: u32,
    sighting: &Sighting,
    row: Option<&RetransmissionRow>,
) -> (&'static str, &'static str) {
    let word = word(flags, len, sighting, row);
    *NATURES.iter().find(|row| row.0 == word).unwrap_or(&NATURES[0])
}

fn word(flags: TcpFlags, len: u32, sighting: &Sighting, row: Option<&RetransmissionRow>) -> &'static str {
    let Some(facts) = sighting.facts else { return "duplicate" };
    if let Some(row) = row {
        return match row.kind {
            Kind::Retransmission => "retransmission",
            Kind::Reordering => "reordering",
            Kind::Duplicate => "duplicate",
            Kind::KeepAlive => "keep_alive",
            Kind::ZeroWindowProbe => "zero_window_probe",
            Kind::InferredLoss => "inferred_loss",
            Kind::Reinjection => "reinjection",
        };
    }
    match facts.purpose {
        Purpose::KeepAlive => return "keep_alive",
        Purpose::WindowProbe => return "zero_window_probe",
        Purpose::Ordinary => {}
    }
    if flags.has(TcpFlags::RST) {
        "rst"
    } else if flags.has(TcpFlags::SYN) {
        if sighting.syn_before { "syn_repeat" } else { "syn" }
    } else if len > 0 {
        data(&facts, sighting.gap.unwrap_or(0))
    } else if flags.has(TcpFlags::FIN) {
        if sighting.fin_before { "fin_repeat" } else { "fin" }
    } else if facts.duplicate_ack {
        "duplicate_ack"
    } else {
        "acknowledgment"
    }
}

const fn data(facts: &Facts, gap: i64) -> &'static str {
    if facts.data_len == 0 {
        "unplaced_data"
    } else if facts.fresh < facts.data_len || gap < 0 {
        "late_in_capture"
    } else if gap > 0 {
        "hole_before"
    } else {
        "new_data"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_command_has_every_word() {
        let page = include_str!("../../docs/commands/explain.md");
        for (word, meaning) in NATURES {
            assert!(page.contains(&format!("`{word}`")), "{word}");
            assert!(!meaning.is_empty());
        }
    }
}
