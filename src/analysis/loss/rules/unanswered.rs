//! Its bytes were never acknowledged: neither the data nor its acknowledgments need have been lost.

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "unanswered",
    about: "its bytes were never acknowledged in the capture",
    judge: |open, _| open.delivered.is_none().then_some((Verdict::Undecided, 0.0)),
};
