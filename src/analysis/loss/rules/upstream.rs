//! No earlier copy passed the tap though later data did: it was lost on the way to the tap.

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "upstream",
    about: "it fills a hole, and its sending order shows that it was sent again",
    judge: |open, _| {
        let confidence = if open.resent_by == "hole-timing" { 0.7 } else { 0.9 };
        (!open.seen_before()).then_some((Verdict::Lost, confidence))
    },
    saw: |open, _| {
        Sight::of(match open.original_frame {
            Some(frame) => Saw::Frame(frame, "is an earlier copy, so it was not lost before the tap"),
            None => Saw::Words("no earlier copy passed the tap"),
        })
    },
};
