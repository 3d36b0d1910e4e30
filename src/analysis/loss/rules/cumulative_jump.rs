//! Without SACK: a segment that fills the first gap is acknowledged at once (RFC 5681 section 4.2), up to the next gap.
//! What lies between had arrived before, so sending it again was not needed.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "cumulative-jump",
    about: "the acknowledgment of a segment sent before it jumped over its bytes (RFC 5681 section 4.2)",
    judge: |open, _| open.jumped.then_some((Verdict::Spurious, 0.85)),
    saw: |open, context| match open.jumped {
        true => Sight::of(Saw::Frame(
            open.witness.jump,
            "acknowledges a segment sent before and all of its bytes",
        )),
        false if context.sack => Sight::nothing("only where SACK is off"),
        false => Sight::of(Saw::Words("no acknowledgment jumped over its bytes")),
    },
};
