//! Without SACK: a segment that fills the first gap is acknowledged at once (RFC 5681 section 4.2), up to the next gap.
//! What lies between had arrived before, so sending it again was not needed.

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "cumulative-jump",
    about: "the acknowledgment of a segment sent before it jumped over its bytes (RFC 5681 section 4.2)",
    judge: |open, _| open.jumped.then_some((Verdict::Spurious, 0.85)),
};
