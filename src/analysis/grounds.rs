//! What a row of the retransmissions rests on where no rule for retransmissions gave its verdict: one row each.

use super::loss::loss_rules;

/// An id that the report's `evidence` may have.
#[derive(Debug, PartialEq)]
pub(crate) struct Ground {
    pub(crate) id: &'static str,
    /// What it says.
    pub(crate) about: &'static str,
    /// How sure that is, 0 to 1.
    pub(crate) confidence: f64,
}

/// RFC 7323 section 5.4: a sender's stamps never run backwards.
pub(super) const TSVAL_ORDER: Ground = Ground {
    id: "tsval-order",
    about: "by TSval, it was sent before a segment that passed before it",
    confidence: 0.95,
};

pub(super) const IP_ID_ORDER: Ground = Ground {
    id: "ip-id-order",
    about: "by IP identification, it was sent before a segment that passed before it",
    confidence: 0.95,
};

pub(super) const CAUSALITY: Ground =
    Ground { id: "causality", about: "it came too soon to be an answer to the hole", confidence: 0.7 };

/// Its confidence is measured (docs/accuracy.md): a lost acknowledgment leaves the same trace more often.
pub(super) const IP_ID_GAP: Ground = Ground {
    id: "ip-id-gap",
    about: "by IP identification and time, a copy of it was lost before it passed the tap",
    confidence: 0.2,
};

/// RFC 9293 sections 3.8.4 and 3.8.6.1: a keep-alive repeats the byte before the next, a window probe goes beyond the window.
pub(super) const SEQUENCE: Ground = Ground {
    id: "sequence-before-next",
    about: "its sequence number and length are those of a keep-alive or window probe",
    confidence: 0.95,
};

/// RFC 8684 section 3.3.
pub(super) const MAPPING: Ground = Ground {
    id: "mptcp-mapping",
    about: "by its data sequence numbers, another subflow of its connection carried it before",
    confidence: 0.99,
};

/// What `join` puts in place of all the others; it is less sure where copies cannot be told apart.
pub(crate) const TWO_TAPS: Ground = Ground {
    id: "two-taps",
    about: "what two captures of the same traffic tell together (`join`)",
    confidence: 1.0,
};

/// No rule knew.
pub(super) const NONE: Ground =
    Ground { id: "none", about: "nothing tells whether it was needed", confidence: 0.0 };

const ALL: [&Ground; 8] =
    [&TSVAL_ORDER, &IP_ID_ORDER, &CAUSALITY, &IP_ID_GAP, &SEQUENCE, &MAPPING, &TWO_TAPS, &NONE];

/// Each id that the report's `evidence` may have, and what it says: the rules for retransmissions in their order, and the rest.
pub fn evidence() -> impl Iterator<Item = (&'static str, &'static str)> {
    loss_rules().chain(ALL.into_iter().map(|ground| (ground.id, ground.about)))
}
