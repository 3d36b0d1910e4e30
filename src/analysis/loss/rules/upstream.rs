//! No earlier copy passed the tap though later data did: it was lost on the way to the tap.

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "upstream",
    about: "it fills a hole, and its sending order shows that it was sent again",
    judge: |open, _| {
        let confidence = if open.resent_by == "hole-timing" { 0.7 } else { 0.9 };
        (!open.seen_before()).then_some((Verdict::Lost, confidence))
    },
};
