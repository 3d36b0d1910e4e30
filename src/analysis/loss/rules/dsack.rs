//! The receiver reports that it got the bytes twice (RFC 2883), and this copy is the one it answers (RFC 3708).

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "dsack",
    about: "a duplicate report answers this copy (RFC 2883, RFC 3708)",
    judge: |open, _| open.dsacked.then_some((Verdict::Spurious, 0.99)),
    saw: |open, context| match open.dsacked {
        true => Sight::of(Saw::Duplicate(open.witness.duplicate, open.witness.reported.clone())),
        false if context.sack => Sight::of(Saw::Words("no duplicate report answers it")),
        false => Sight::nothing("without SACK no duplicates are reported"),
    },
};
