//! A copy that was sent earlier came later: it was late, not lost.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "overtaken",
    about: "a copy sent before it, by TSval or IP identification, passed the tap after it",
    judge: |open, _| open.overtaken.then_some((Verdict::Spurious, 0.95)),
    saw: |open, _| {
        Sight::of(Saw::Words(if open.overtaken {
            "a copy that was sent before it came after it"
        } else {
            "no copy that was sent before it came after it"
        }))
    },
};
