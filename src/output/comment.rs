//! A verdict as a comment on its packet, for Wireshark's packet list.

use std::fmt::Write;

use serde_json::Value;

use crate::report::RetransmissionRow;

/// The comment; it holds nothing that comes from the capture but numbers.
pub fn comment(row: &RetransmissionRow) -> String {
    let mut out = format!("tcptrace-rs: {}", word(serde_json::to_value(row.kind)));
    if let Some(verdict) = row.verdict {
        let _ = write!(out, ", {}", word(serde_json::to_value(verdict)).to_uppercase());
    }
    let _ = write!(
        out,
        "; connection {} {}, {} bytes at offset {}; evidence {}, confidence {:.2}",
        row.connection,
        row.dir.name(),
        row.len,
        row.offset,
        row.evidence,
        row.confidence
    );
    if row.verdict.is_some() {
        let _ = write!(out, "; trigger {}", word(serde_json::to_value(row.trigger)));
    }
    if let Some(frame) = row.original_frame {
        let _ = write!(out, "; earlier copy in frame {frame}");
    }
    out
}

/// An enum's own word, for people.
fn word(value: serde_json::Result<Value>) -> String {
    value.ok().as_ref().and_then(Value::as_str).unwrap_or("unknown").replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Dir, Kind, Trigger, Verdict};

    #[test]
    fn a_comment_says_all_of_the_row() {
        let row = RetransmissionRow {
            connection: 3,
            dir: Dir::S2c,
            frame: 88_213,
            ts_ns: 0,
            offset: 91_223_104,
            len: 1448,
            kind: Kind::Retransmission,
            trigger: Trigger::Rack,
            verdict: Some(Verdict::Spurious),
            evidence: "dsack",
            confidence: 0.99,
            original_frame: Some(88_020),
        };
        assert_eq!(
            comment(&row),
            "tcptrace-rs: retransmission, SPURIOUS; connection 3 s2c, 1448 bytes at offset 91223104; evidence dsack, \
             confidence 0.99; trigger rack; earlier copy in frame 88020"
        );
        let probe =
            RetransmissionRow { kind: Kind::ZeroWindowProbe, verdict: None, original_frame: None, ..row };
        assert!(comment(&probe).starts_with("tcptrace-rs: zero window probe; connection 3"));
    }
}
