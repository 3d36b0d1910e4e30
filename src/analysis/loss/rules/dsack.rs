//! The receiver reports that it got the bytes twice (RFC 2883), and this copy is the one it answers (RFC 3708).

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "dsack",
    about: "a duplicate report answers this copy (RFC 2883, RFC 3708)",
    judge: |open, _| open.dsacked.then_some((Verdict::Spurious, 0.99)),
};
