//! Eifel detection (RFC 3522): the acknowledgment that moves past the bytes echoes the stamp of the copy that arrived
//! first. An older stamp than this copy's names an earlier one.

use std::cmp::Ordering;

use super::LossRule;
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "eifel-timestamp",
    about: "the TSecr of the acknowledgment names the copy that arrived (RFC 3522)",
    judge: |open, _| {
        // Two copies of one tick cannot be told apart.
        if open.before_tsval.is_some() && open.before_tsval == open.copy.tsval {
            return None;
        }
        match open.echo? {
            Ordering::Less => Some((Verdict::Spurious, 0.98)),
            Ordering::Equal => Some((Verdict::Lost, 0.98)),
            Ordering::Greater => None,
        }
    },
};
