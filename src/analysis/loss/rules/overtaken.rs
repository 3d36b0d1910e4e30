//! A copy that was sent earlier came later: it was late, not lost.

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "overtaken",
    about: "a copy sent before it, by TSval or IP identification, passed the tap after it",
    judge: |open, _| open.overtaken.then_some((Verdict::Spurious, 0.95)),
};
