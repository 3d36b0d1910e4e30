//! Its bytes were never acknowledged: neither the data nor its acknowledgments need have been lost.

use super::super::evidence::Context;
use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "unanswered",
    about: "its bytes were never acknowledged in the capture",
    judge: |open, _| open.delivered.is_none().then_some((Verdict::Undecided, 0.0)),
    saw: |open, context| {
        Sight::acknowledgment(open, &Context { min_down: None, ..*context })
            .unwrap_or_else(|| Sight::of(Saw::Words("never acknowledged in the capture")))
    },
};
