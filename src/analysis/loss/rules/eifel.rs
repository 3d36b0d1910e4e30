//! Eifel detection (RFC 3522): the acknowledgment that moves past the bytes echoes the stamp of the copy that arrived
//! first. An older stamp than this copy's names an earlier one.

use std::cmp::Ordering;

use super::super::trail::Saw;
use super::{LossRule, Sight};
use crate::report::Verdict;

pub(super) const RULE: LossRule = LossRule {
    id: "eifel-timestamp",
    about: "the TSecr of the acknowledgment names the copy that arrived (RFC 3522)",
    judge: |open, context| {
        // Two copies of one tick cannot be told apart.
        if open.before_tsval.is_some() && open.before_tsval == open.copy.tsval {
            return None;
        }
        match open.echo? {
            Ordering::Less => Some((Verdict::Spurious, 0.98)),
            // It was accepted first; where the path reorders, the earlier one may have come and been refused.
            Ordering::Equal if open.may_be_refused && context.reorders => Some((Verdict::Lost, 0.7)),
            Ordering::Equal => Some((Verdict::Lost, 0.98)),
            Ordering::Greater => None,
        }
    },
    saw: |open, _| match (open.copy.tsval, open.echo) {
        (None, _) => Sight::nothing("no timestamps"),
        (Some(tsval), Some(_)) if open.before_tsval == Some(tsval) => {
            Sight::nothing("the copy before has the same TSval")
        }
        (Some(tsval), Some(_)) => {
            Sight::of(Saw::Echo { frame: open.witness.echo, tsecr: open.witness.tsecr, tsval })
        }
        (Some(_), None) => Sight::nothing("no acknowledgment moved past its first byte"),
    },
};
